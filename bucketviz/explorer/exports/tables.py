"""The decisions as a table: one row each, every number that was compared in a column of its own."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import StringIO

from bucketviz.explorer.exports.texts import cell
from bucketviz.records import Decision, Plan
from bucketviz.records.explain import explain
from bucketviz.records.plan import Value


def to_csv(plan: Plan) -> bytes:
    """Gives the decisions as CSV (RFC 4180, UTF-8), in the order of the pass.

    Evidence stands in columns of its own (``evidence.cap_bytes``), empty where a decision holds none of it;
    several names in a cell are parted by spaces. Text that a spreadsheet would run as a formula starts with an
    apostrophe.
    """
    evidence = dict.fromkeys(key for decision in plan.decisions for key in decision.evidence)
    rows = [_row(plan, decision, evidence) for decision in plan.decisions]
    file = StringIO(newline="")
    writer = csv.DictWriter(file, [*_COLUMNS, *(f"evidence.{key}" for key in evidence)])
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
    return file.getvalue().encode()


_COLUMNS = (
    "graph",
    "step",
    "collective",
    "kind",
    "group",
    "size_bytes",
    "module",
    "source",
    "outcome",
    "reason",
    "bucket",
    "joins_at_cap_bytes",
    "inductor_differs",
    "why",
)


def _row(plan: Plan, decision: Decision, evidence: Mapping[str, None]) -> dict[str, Value]:
    collective = plan.graph.node(decision.collective).collective
    assert collective is not None, "decisions are about collectives"
    own: tuple[Value, ...] = (
        plan.graph.name,
        decision.step,
        decision.collective,
        collective.kind.value,
        collective.group_name,
        collective.size_bytes,
        decision.module,
        decision.source,
        decision.outcome.value,
        decision.reason.value,
        None if decision.bucket is None else plan.buckets[decision.bucket].label,
        decision.joins_at_cap_bytes,
        decision.inductor_differs,
        explain(plan, decision),
    )
    compared = {f"evidence.{key}": decision.evidence.get(key) for key in evidence}
    return dict(zip(_COLUMNS, own, strict=True)) | compared


def _cell(value: Value) -> str | int | float | None:
    if isinstance(value, tuple):
        return cell(" ".join(value))
    return cell(value) if isinstance(value, str) else value
