"""Reachability on random graphs, before and after merges, beside a transitive closure that is computed anew."""

from hypothesis import given, settings
from hypothesis import strategies as st

from bucketviz.planning import make_plan
from bucketviz.planning.packing import MOST_REJECTED
from bucketviz.planning.reachability import Above, Below, Reachability
from bucketviz.records import Collective, Graph, Kind, Node, Policy, Reason, Role, Tensor

VALUE = Tensor("f32", (4,), "cpu", 16)


@st.composite
def dags(draw: st.DrawFn) -> Graph:
    """Draws up to fourteen nodes, each of which reads any of those before it."""
    nodes: list[Node] = []
    for index in range(draw(st.integers(2, 14))):
        names = [node.name for node in nodes]
        inputs = draw(st.lists(st.sampled_from(names), unique=True, max_size=3)) if names else []
        nodes.append(Node(f"n{index}", Role.COMPUTE, "op", tuple(inputs)))
    return Graph("random", tuple(nodes))


def closure(inputs: dict[str, set[str]]) -> dict[str, set[str]]:
    """Gives everything that each node depends on, by repetition until nothing is added."""
    above = {name: set(sources) for name, sources in inputs.items()}
    grows = True
    while grows:
        sizes = {name: len(sources) for name, sources in above.items()}
        for sources in above.values():
            sources |= set().union(*(above[source] for source in sources))
        grows = sizes != {name: len(sources) for name, sources in above.items()}
    return above


def merged_inputs(graph: Graph, buckets: list[list[str]]) -> dict[str, set[str]]:
    """Gives what each node reads once the members of each bucket stand for all of them."""
    group = {name: set(bucket) for bucket in buckets for name in bucket}
    inputs: dict[str, set[str]] = {}
    for node in graph.nodes:
        read = set().union(*(graph.node(name).inputs for name in group.get(node.name, {node.name})), set())
        inputs[node.name] = set().union(*(group.get(name, {name}) for name in read), set())
    return inputs


@settings(max_examples=100, deadline=None)
@given(graph=dags(), data=st.data())
def test_it_knows_what_depends_on_what_whatever_is_merged(graph: Graph, data: st.DataObject) -> None:
    reachability, buckets = Reachability(graph), []
    names = [node.name for node in graph.nodes]
    free = set(names)
    for _ in range(data.draw(st.integers(0, 3))):
        above = closure(merged_inputs(graph, buckets))
        bucket: list[str] = []
        for name in data.draw(st.lists(st.sampled_from(names), unique=True, max_size=4)):
            independent = all(name not in above[other] and other not in above[name] for other in bucket)
            if name in free and independent:
                bucket.append(name)
        if len(bucket) > 1:
            reachability.merge([reachability.index[name] for name in bucket])
            buckets.append(bucket)
            free -= set(bucket)
    above = closure(merged_inputs(graph, buckets))
    single = sorted(free)
    members = data.draw(st.lists(st.sampled_from(single), unique=True, min_size=1, max_size=4)) if single else []
    below, over = Below(reachability), Above(reachability)
    for count, member in enumerate(members):
        below.add(reachability.index[member])
        over.add(reachability.index[member])
        for name in data.draw(st.permutations(single)):
            member_above = below.member_above(reachability.index[name])
            assert (member_above is not None) == (not above[name].isdisjoint(members[: count + 1]))
            assert member_above is None or names[member_above] in above[name]
            assert (reachability.index[name] in over) == any(name in above[other] for other in members[: count + 1])
    assert sorted(reachability.order) == list(range(len(names)))
    assert all(reachability.position[node] == place for place, node in enumerate(reachability.order))


def chain(num_collectives: int, num_independent: int) -> Graph:
    """Gives all_reduces each of which needs the one before, then some that need none."""
    nodes = [Node("x", Role.INPUT, "x", (), VALUE, storage="x")]
    for index in range(num_collectives + num_independent):
        read = nodes[-1].name if index < num_collectives else "x"
        start, wait = f"ar{index}", f"wait{index}"
        collective = Collective(Kind.ALL_REDUCE, "0", None, "sum", read, (wait,), True, False, 16, 16)
        nodes.append(Node(start, Role.COLLECTIVE, "all_reduce", (read,), VALUE, storage=start, collective=collective))
        nodes.append(Node(wait, Role.WAIT, "wait", (start,), VALUE, storage=start))
    return Graph("chain", tuple(nodes))


def test_a_bucket_waits_for_so_many_dependents_and_no_longer() -> None:
    few = make_plan(chain(MOST_REJECTED + 1, 2), Policy())
    assert [bucket.collectives[0] for bucket in few.buckets] == ["ar0"]
    many = make_plan(chain(MOST_REJECTED + 2, 2), Policy())
    assert [bucket.collectives[0] for bucket in many.buckets] == [f"ar{MOST_REJECTED + 1}"]
    assert many.decision("ar0").reason is Reason.DEPENDS_ON_BUCKET
    opener = many.decision(f"ar{MOST_REJECTED + 1}")
    assert opener.evidence["closed_by"] == "dependents"
    assert "too many in a row depend on the bucket before" in many.why(opener.collective)


def test_a_chain_stays_as_it_is_and_every_link_says_why() -> None:
    plan = make_plan(chain(100, 0), Policy())
    assert plan.buckets == ()
    assert {decision.reason for decision in plan.decisions} == {Reason.DEPENDS_ON_BUCKET}
