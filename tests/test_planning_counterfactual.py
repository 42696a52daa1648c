"""Other caps are tried as far as the size of the graph allows, and what is not known is not claimed."""

import pytest

from bucketviz.planning.candidates import Candidate
from bucketviz.planning.counterfactual import Alternatives, smallest_joining_cap
from bucketviz.records import BucketKey, Collective, Kind, Node, Role


def run_of(*sizes: int) -> list[Candidate]:
    run = []
    for index, size in enumerate(sizes):
        collective = Collective(Kind.ALL_REDUCE, "0", None, "sum", "x", ("w",), True, False, size, size)
        node = Node(f"ar{index}", Role.COLLECTIVE, "all_reduce", ("x",), collective=collective)
        key = BucketKey(Kind.ALL_REDUCE, "0", None, "sum", "f32")
        run.append(Candidate(node.name, node, collective, key, size))
    return run


@pytest.mark.parametrize(("num_nodes", "num_plans"), [(1_000, 200), (30_000, 8), (10**6, 8)])
def test_large_graphs_are_planned_with_few_other_caps(num_nodes: int, num_plans: int) -> None:
    planned: list[int] = []
    alternatives = Alternatives(lambda cap: frozenset({str(planned.append(cap))}), num_nodes)
    for cap in range(num_plans):
        assert alternatives.merged_at(cap) is not None
    assert alternatives.merged_at(num_plans) is None
    assert alternatives.merged_at(0) is not None
    assert planned == list(range(num_plans))


def test_the_smallest_of_the_caps_that_help_is_named() -> None:
    asked: list[int] = []

    def merged_at(cap_bytes: int) -> frozenset[str]:
        asked.append(cap_bytes)
        return frozenset({"ar2"} if cap_bytes >= 9 else ())

    assert smallest_joining_cap(run_of(2, 3, 4, 9), 2, 4, Alternatives(merged_at, 10)) == 9
    assert asked == [7, 9]


def test_no_cap_is_claimed_once_the_plans_have_run_out() -> None:
    alternatives = Alternatives(lambda cap: frozenset({"ar2"}), 10**6)
    for cap in range(8):
        alternatives.merged_at(-cap)
    assert smallest_joining_cap(run_of(2, 3, 4), 2, 4, alternatives) is None


def test_a_cap_for_each_bucket_has_no_single_alternative() -> None:
    assert smallest_joining_cap(run_of(2, 3, 4), 2, 4, None) is None
