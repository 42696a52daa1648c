"""What leaves the explorer as data: tables and networks that say what the plan says."""

import csv
import io

import networkx as nx
import pandas as pd
import pytest
from exporting import ALL_SAMPLES, SIDES, rewrite_of, side_of

from bucketviz.explorer.exports.networks import to_graphml, to_networkx
from bucketviz.explorer.exports.tables import to_csv
from bucketviz.records.explain import explain


@pytest.mark.parametrize("sample", ALL_SAMPLES)
def test_a_row_for_each_decision_with_all_that_was_compared(sample: str) -> None:
    plan = rewrite_of(sample).plan
    rows = list(csv.DictReader(io.StringIO(to_csv(plan).decode())))
    assert [row["collective"] for row in rows] == [decision.collective for decision in plan.decisions]
    for row, decision in zip(rows, plan.decisions, strict=True):
        assert row["reason"] == decision.reason.value
        assert row["bucket"] == ("" if decision.bucket is None else f"B{decision.bucket}")
        assert row["why"] == explain(plan, decision)
        for key, value in decision.evidence.items():
            text = " ".join(value) if isinstance(value, tuple) else "" if value is None else str(value)
            assert row[f"evidence.{key}"] == text
        own = {f"evidence.{key}" for key in decision.evidence}
        assert all(cell == "" for key, cell in row.items() if key.startswith("evidence.") and key not in own)


def test_pandas_reads_the_table() -> None:
    plan = rewrite_of("over_the_cap").plan
    table = pd.read_csv(io.BytesIO(to_csv(plan)))
    assert table["size_bytes"].tolist() == [512] * 5
    assert table.groupby("reason").size().to_dict() == {"joined": 2, "opened": 2, "over cap": 1}


@pytest.mark.parametrize("name", SIDES)
@pytest.mark.parametrize("sample", ALL_SAMPLES)
def test_a_network_has_the_graph_and_the_plan(sample: str, name: str) -> None:
    side = side_of(sample, name)
    network = to_networkx(side)
    assert list(network) == [node.name for node in side.graph.nodes]
    assert set(network.edges) == {(source, node.name) for node in side.graph.nodes for source in node.inputs}
    assert nx.is_directed_acyclic_graph(network)
    for node, collective in side.graph.collectives():
        attributes = network.nodes[node.name]
        assert attributes["role"] == "collective"
        assert attributes["kind"] == collective.kind.value
        assert attributes.get("size_bytes") == collective.size_bytes
        merged = side.merged.get(node.name)
        decision = side.plan.decision(node.name) if merged is None else None
        assert attributes.get("reason") == (decision and decision.reason.value)
        assert attributes.get("bucket") == (f"B{side.buckets[node.name]}" if node.name in side.buckets else None)


@pytest.mark.parametrize("name", SIDES)
@pytest.mark.parametrize("sample", ["fsdp_step", "over_the_cap", "other_collectives", "missing_metadata"])
def test_graphml_comes_back_as_it_went(sample: str, name: str) -> None:
    side = side_of(sample, name)
    back = nx.parse_graphml(to_graphml(side).decode())
    network = to_networkx(side)
    assert dict(back.nodes(data=True)) == dict(network.nodes(data=True))
    assert set(back.edges) == set(network.edges)
