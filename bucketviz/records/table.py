"""The decisions of a plan as a table of text."""

from __future__ import annotations

from bucketviz.records.explain import decision_text
from bucketviz.records.plan import Decision, Plan
from bucketviz.units import format_bytes

_GAP = "  "
_LEAST_MODULE = 8


def tabulate(plan: Plan, width: int | None = None) -> str:
    """Gives the decision table as aligned text, one row a collective, counted from 1 as in the explorer.

    Args:
        plan: The plan.
        width: Characters in a line; where they do not suffice, module paths lose their front.
    """
    rows = [("#", "collective", "module", "size", "decision"), *(_cells(plan, item) for item in plan.decisions)]
    number, collective, module, size, _ = (max(map(len, column)) for column in zip(*rows, strict=True))
    if width is not None:
        decision = max(len(row[-1]) for row in rows)
        module = min(module, max(_LEAST_MODULE, width - number - collective - size - decision - 4 * len(_GAP)))
    lines = (
        _GAP.join((n.rjust(number), c.ljust(collective), _cut(m, module).ljust(module), s.rjust(size), d))
        for n, c, m, s, d in rows
    )
    return "\n".join(lines)


def _cells(plan: Plan, decision: Decision) -> tuple[str, str, str, str, str]:
    collective = plan.graph.node(decision.collective).collective
    size = format_bytes(collective.size_bytes if collective is not None else None)
    return str(decision.step + 1), decision.collective, decision.module, size, decision_text(plan, decision)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"…{text[len(text) - width + 1 :]}"
