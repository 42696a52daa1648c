"""The pass inside torch.compile: in place, never a broken compile, told apart by its policy."""

import copy
import importlib
import os
import subprocess
import sys
import warnings
from typing import Any

import pytest
import torch
import torch.fx as fx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rewrites import all_samples_but, differing_outputs, num_collectives, on_every_rank, rank_of_world, snapshot
from samples import SAMPLES, SMALL_CAP_MIB
from simple_fsdp import DIM, NUM_GATHERS, light_compilation, no_graph_cache, sharded_net
from strategies import graphs
from torch._inductor.custom_graph_pass import CustomGraphPass
from torch.distributed.device_mesh import init_device_mesh

import bucketviz as bv
from bucketviz import compiling
from bucketviz.errors import ExplorerError, PolicyError, RewriteError
from bucketviz.records import Policy
from bucketviz.records.policy import MODES, Cap
from bucketviz.sources.fake_world import GROUPS_KEY, fake_world

WORLD_SIZE = 4
OTHER_CHOICES = {
    "cap_mib": 25,
    "kinds": "all_gather",
    "mode": "custom_ops",
    "fidelity": "inductor",
}


def nodes_by_name(gm: fx.GraphModule) -> dict[str, fx.Node]:
    return {node.name: node for node in gm.graph.nodes}


@pytest.mark.parametrize("sample", all_samples_but("no_collectives"))
def test_a_graph_is_rewritten_in_place_as_a_copy_would_be(sample: str) -> None:
    gm, twin = SAMPLES[sample](), SAMPLES[sample]()
    graph, before = gm.graph, nodes_by_name(gm)
    bucket_pass = bv.BucketPass()
    with rank_of_world(0, len(gm.meta[GROUPS_KEY]["0"])):
        bucket_pass(graph)
        expected = bv.bucket(twin)
    assert gm.graph is graph
    graph.lint()
    assert str(graph) == str(expected.after.graph)
    kept = nodes_by_name(gm)
    assert all(kept[name] is before[name] for name in before if name in kept)
    assert [plan.buckets for plan in bucket_pass.plans] == [expected.plan.buckets]
    assert bucket_pass.rewrites[0].bucket_starts == expected.bucket_starts
    assert bucket_pass.rewrites[0].replaced == expected.replaced
    assert bucket_pass.rewrites[0].provenance == expected.provenance
    assert bucket_pass.refusals == []


@pytest.mark.parametrize("mode", MODES)
def test_every_bit_is_kept_on_every_rank(mode: str) -> None:
    after = on_every_rank(lambda gm: bv.BucketPass(mode=mode)(gm.graph), SAMPLES["fsdp_step"], WORLD_SIZE)
    before = SAMPLES["fsdp_step"]()
    assert num_collectives(after[0]) < num_collectives(before)
    assert differing_outputs(before, after) == []


@pytest.mark.parametrize("mode", ["default", "custom_ops_multidtype"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_a_second_run_changes_nothing(sample: str, mode: str) -> None:
    for cap_mib in (SMALL_CAP_MIB, 2000.0):
        check_second_run(SAMPLES[sample](), mode, cap_mib)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(
    gm=graphs(groups=("0", "1"), writes=True),
    cap_mib=st.sampled_from((0.0005, 0.001, 2000.0)),
    mode=st.sampled_from(MODES),
)
def test_a_second_run_changes_nothing_in_random_graphs(gm: fx.GraphModule, cap_mib: float, mode: str) -> None:
    check_second_run(gm, mode, cap_mib)


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(
    gm=graphs(groups=("0", "1"), world_size=2, writes=True),
    cap_mib=st.sampled_from((0.0005, 0.001, (0.0005, 0.002), 2000.0)),
    mode=st.sampled_from(MODES),
)
def test_random_graphs_keep_every_bit_and_a_second_run_changes_nothing(
    gm: fx.GraphModule, cap_mib: Cap, mode: str
) -> None:
    after = [copy.deepcopy(gm) for _ in range(2)]
    for rank, changed in enumerate(after):
        with fake_world(2, rank):
            check_second_run(changed, mode, cap_mib)
    assert differing_outputs(gm, after) == []


def test_collectives_that_merging_makes_neighbours_are_merged_in_the_same_run() -> None:
    gm = SAMPLES["others_between_neighbours"]()
    bucket_pass = bv.BucketPass()
    bucket_pass(gm.graph)
    assert [[bucket.collectives for bucket in plan.buckets] for plan in bucket_pass.plans] == [
        [("ag1", "ag2"), ("ag0", "ag3")]
    ]
    assert num_collectives(gm) == 2


def check_second_run(gm: fx.GraphModule, mode: str, cap_mib: Cap) -> None:
    bucket_pass = bv.BucketPass(mode=mode, cap_mib=cap_mib)
    bucket_pass(gm.graph)
    once = snapshot(gm)
    bucket_pass(gm.graph)
    assert snapshot(gm) == once
    assert bucket_pass.refusals == []


def test_new_nodes_are_recorded_under_the_names_that_the_graph_gave_them() -> None:
    gm = SAMPLES["adjacent_gathers"]()
    expected = bv.bucket(gm)
    taken = expected.bucket_starts[0]
    with gm.graph.inserting_before():
        used_up = gm.graph.create_node("call_function", torch.ops.aten.ones.default, ([1],), name=taken)
    gm.graph.erase_node(used_up)
    bucket_pass = bv.BucketPass()
    bucket_pass(gm.graph)
    (kept,) = bucket_pass.rewrites
    (start,) = kept.bucket_starts
    assert start != taken
    named = set(nodes_by_name(gm))
    assert {start, *kept.replaced.values(), *kept.provenance} <= named
    assert {node.name for node in kept.after.nodes} == named
    assert kept.provenance[start] == expected.provenance[taken]


def test_what_communicates_without_a_bucket_is_kept_and_what_does_not_communicate_is_not() -> None:
    bucket_pass = bv.BucketPass(kinds="all_reduce")
    gm = SAMPLES["adjacent_gathers"]()
    before = snapshot(gm)
    bucket_pass(gm.graph)
    bucket_pass(SAMPLES["no_collectives"]().graph)
    assert snapshot(gm) == before
    assert [(plan.num_collectives_before, plan.buckets) for plan in bucket_pass.plans] == [(3, ())]


def test_a_graph_that_cannot_be_rewritten_stays_as_it_was_and_says_why_once() -> None:
    bucket_pass = bv.BucketPass()
    gm = SAMPLES["adjacent_gathers"]()
    gm.meta[GROUPS_KEY] = {"another": (0, 1, 2, 3)}
    before = snapshot(gm)
    with pytest.warns(RuntimeWarning, match="compiled as it is: bucket B0 .* its ranks are not known") as seen:
        bucket_pass(gm.graph)
        bucket_pass(gm.graph)
    assert len(seen) == 1
    assert snapshot(gm) == before
    assert len(bucket_pass.refusals) == 2
    assert bucket_pass.rewrites == []
    assert "could not be rewritten: 2" in repr(bucket_pass)


def test_a_cycle_that_inductor_would_close_is_a_reason_too() -> None:
    gm = SAMPLES["cycle_between_kinds"]()
    before = snapshot(gm)
    bucket_pass = bv.BucketPass(fidelity="inductor")
    with pytest.warns(RuntimeWarning, match="would make a collective wait for itself"):
        bucket_pass(gm.graph)
    assert snapshot(gm) == before


def test_a_graph_without_a_module_is_refused() -> None:
    with pytest.warns(RuntimeWarning, match="the graph belongs to no GraphModule"):
        bv.BucketPass()(fx.Graph())


def test_a_bug_of_ours_is_raised_and_the_graph_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise AssertionError("a bug")

    monkeypatch.setattr(compiling, "rewrite", broken)
    gm = SAMPLES["adjacent_gathers"]()
    before = snapshot(gm)
    with pytest.raises(AssertionError, match="a bug"):
        bv.BucketPass()(gm.graph)
    assert snapshot(gm) == before


def test_no_guard_is_added() -> None:
    gm = SAMPLES["hinted_symbol"]()
    shape_env = next(node.meta["val"] for node in gm.graph.nodes).fake_mode.shape_env
    before = [str(guard.expr) for guard in shape_env.guards]
    bucket_pass = bv.BucketPass()
    bucket_pass(gm.graph)
    assert bucket_pass.plans[0].buckets
    assert [str(guard.expr) for guard in shape_env.guards] == before


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((), {"cap_mib": -1}, "cap_mib must be a positive"),
        ((), {"mode": "fast"}, "mode='fast' is not known"),
        ((), {"cap_mb": 25}, "unknown option cap_mb"),
        ((Policy(),), {"cap_mib": 25}, "got a policy and also cap_mib"),
    ],
)
def test_mistakes_in_the_policy_raise_at_once(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        bv.BucketPass(*arguments, **options)


def test_the_policy_is_given_whole_or_in_keywords() -> None:
    assert bv.BucketPass(Policy(cap_mib=25)).policy == bv.BucketPass(cap_mib=25).policy == Policy(cap_mib=25)


@pytest.mark.parametrize("name", OTHER_CHOICES)
def test_another_policy_has_another_uuid(name: str) -> None:
    choice = {name: OTHER_CHOICES[name]}
    assert bv.BucketPass(**choice).uuid() == bv.BucketPass(**choice).uuid()
    assert bv.BucketPass(**choice).uuid() != bv.BucketPass().uuid()


@pytest.mark.slow
def test_the_uuid_is_the_same_in_another_process() -> None:
    code = "import bucketviz as bv; print(bv.BucketPass(cap_mib=[1, 2.5], kinds=['all_gather', 'all_reduce']).uuid())"
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    printed = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True, text=True)
    assert printed.stdout.strip() == bv.BucketPass(cap_mib=(1, 2.5), kinds=("all_reduce", "all_gather")).uuid()


def test_ranks_that_share_a_cache_do_not_share_a_uuid() -> None:
    uuids = []
    for rank in range(WORLD_SIZE):
        with fake_world(WORLD_SIZE, rank):
            uuids.append(bv.BucketPass().uuid())
    assert len(set(uuids)) == WORLD_SIZE


@pytest.mark.parametrize("options", [{"cap_mib": lambda _: 25.0}, {"filter_wait": lambda _: True}])
def test_a_callable_in_the_policy_keeps_the_cache_out_of_it(options: dict[str, Any]) -> None:
    bucket_pass = bv.BucketPass(**options)
    assert bucket_pass.uuid() is None
    assert f"not cached by Inductor, because {next(iter(options))} is a callable" in repr(bucket_pass)


def test_the_explorer_shows_a_view_for_each_graph() -> None:
    bucket_pass = bv.BucketPass()
    for sample in ("adjacent_gathers", "fsdp_step"):
        bucket_pass(SAMPLES[sample]().graph)
    assert bv.explore(bucket_pass).rewrites == tuple(bucket_pass.rewrites)


def test_the_explorer_says_what_to_do_where_nothing_was_compiled() -> None:
    with pytest.raises(ExplorerError, match="has seen no graph that communicates: compile and run the model first"):
        bv.explore(bv.BucketPass())


def test_a_torch_without_custom_passes_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch._inductor.custom_graph_pass", None)
    monkeypatch.delitem(sys.modules, "bucketviz.compiling")
    with pytest.raises(RewriteError, match=r"torch \S+ has no place for a pass .*; install torch 2.11 to 2.14"):
        importlib.import_module("bucketviz.compiling")


class Probe(CustomGraphPass):
    """Counts collectives and guards around a pass, in the graph that Inductor hands over."""

    def __init__(self, inner: CustomGraphPass) -> None:
        self.inner = inner
        self.collectives: list[tuple[int, int]] = []
        self.guards: list[tuple[int, int]] = []

    def __call__(self, graph: fx.Graph) -> None:
        gm = graph.owning_module
        before = num_collectives(gm), self._num_guards(graph)
        self.inner(graph)
        after = num_collectives(gm), self._num_guards(graph)
        self.collectives.append((before[0], after[0]))
        self.guards.append((before[1], after[1]))

    def uuid(self) -> None:
        return None

    @staticmethod
    def _num_guards(graph: fx.Graph) -> int:
        values = [node.meta["val"] for node in graph.nodes if isinstance(node.meta.get("val"), torch.Tensor)]
        return len(values[0].fake_mode.shape_env.guards)


def compile_net(custom_pass: CustomGraphPass) -> None:
    """Compiles a net on one fake rank with Inductor, with a dynamic batch, and runs it forward and backward."""
    with warnings.catch_warnings(), fake_world(WORLD_SIZE, rank=1), light_compilation(), no_graph_cache():
        warnings.simplefilter("ignore")
        net = sharded_net(init_device_mesh("cpu", (WORLD_SIZE,)))
        step = torch.compile(net, fullgraph=True, options={"post_grad_custom_post_pass": custom_pass})
        x = torch.randn(6, DIM)
        torch._dynamo.mark_dynamic(x, 0)
        step(x)[0].sum().backward()
    torch._dynamo.reset()


@pytest.fixture(scope="module")
def compiled() -> tuple[Probe, bv.BucketPass]:
    bucket_pass = bv.BucketPass()
    probe = Probe(bucket_pass)
    compile_net(probe)
    return probe, bucket_pass


@pytest.mark.slow
def test_inductor_compiles_what_the_pass_gives_forward_and_backward(compiled: tuple[Probe, bv.BucketPass]) -> None:
    probe, bucket_pass = compiled
    assert bucket_pass.refusals == []
    assert probe.collectives == [(NUM_GATHERS + 2, 2), (NUM_GATHERS, 1)]
    counted = [(plan.num_collectives_before, plan.num_collectives_after) for plan in bucket_pass.plans]
    assert counted == probe.collectives
    forward, backward = (plan.graph.name for plan in bucket_pass.plans)
    assert "forward" in forward
    assert "backward" in backward


@pytest.mark.slow
def test_inductor_has_no_more_guards_than_before(compiled: tuple[Probe, bv.BucketPass]) -> None:
    probe, bucket_pass = compiled
    shapes = {
        str(size)
        for plan in bucket_pass.plans
        for node in plan.graph.nodes
        if node.tensor
        for size in node.tensor.shape
    }
    assert any(shape.startswith("s") for shape in shapes), "the batch is a symbol"
    assert all(before == after for before, after in probe.guards)


@pytest.mark.slow
@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "default"])
def test_inductor_compiles_every_other_mode(mode: str) -> None:
    bucket_pass = bv.BucketPass(mode=mode)
    compile_net(bucket_pass)
    assert bucket_pass.refusals == []
    assert [plan.num_collectives_after for plan in bucket_pass.plans] == [2, 1]
