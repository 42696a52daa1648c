"""What the tests of rewriting and of the original's signatures share: worlds, torch's own pass, snapshots, proofs."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch.distributed as dist
import torch.fx as fx
from samples import SAMPLES
from torch._inductor.fx_passes import bucketing as torch_bucketing
from torch._inductor.pattern_matcher import stable_topological_sort

import bucketviz as bv
from bucketviz.collectives import collective_op
from bucketviz.execution import verify_lockstep
from bucketviz.records.policy import MODES
from bucketviz.rewriting import Bucketed, rewrite
from bucketviz.sources.fake_world import GROUPS_KEY, fake_world

Change = Callable[[fx.GraphModule], None]


GATHERS = (
    "gathers_of_several_shapes",
    "absorbed_casts",
    "interleaved_dtypes",
    "float8_gathers",
    "zero_size_gather",
)
"""Samples of what a merged form of gathers has to get right: shapes, dtypes, casts."""
GATHER_MODES = ("custom_ops", "custom_ops_multidtype", "functional", "functional_copy_in")
OTHER_MODES = [mode for mode in MODES if mode != "default"]
FORM_CASES = [
    *((sample, mode) for sample in GATHERS for mode in GATHER_MODES),
    *(("reduce_scatters_of_several_shapes", mode) for mode in ("custom_ops", "coalesced")),
    *((sample, mode) for sample in ("non_contiguous_inputs", "fsdp_step") for mode in OTHER_MODES),
]
"""Samples under every mode that gives them another form than the default one."""


@contextmanager
def rank_of_world(rank: int, world_size: int) -> Iterator[None]:
    """One rank of a world with group "0", everyone, and a group "1" of its own: every second rank."""
    with fake_world(world_size, rank):
        group = dist.new_group(list(range(rank % 2, world_size, 2)))
        assert group.group_name == "1", group.group_name
        yield


def torchs_pass(gm: fx.GraphModule) -> None:
    """Merges all kinds as Inductor's post-grad passes do: in this order, then sorted."""
    torch_bucketing.bucket_reduce_scatter(gm)
    torch_bucketing.bucket_all_reduce(gm)
    torch_bucketing.bucket_all_gather(gm)
    stable_topological_sort(gm.graph)
    gm.graph.lint()
    gm.recompile()


def on_every_rank(change: Change, build: Callable[[], fx.GraphModule], world_size: int) -> list[fx.GraphModule]:
    """Changes a fresh graph in place on each rank of a world."""
    changed = []
    for rank in range(world_size):
        gm = build()
        with rank_of_world(rank, world_size):
            change(gm)
        changed.append(gm)
    return changed


def differing_outputs(
    before: fx.GraphModule, after: Sequence[fx.GraphModule], inputs: Sequence[Sequence[object]] | None = None
) -> list[tuple[int, int]]:
    """Runs both over all ranks with the same inputs and lists (rank, output) wherever a bit differs."""
    execution = verify_lockstep([before] * len(after), after, before.meta[GROUPS_KEY], inputs)
    outputs = len(before.graph.output_node().args[0])
    assert len(execution.outputs) == len(after) * outputs
    return [(item.rank, item.output) for item in execution.outputs if not item.is_equal]


def num_collectives(gm: fx.GraphModule) -> int:
    return sum(collective_op(node) is not None for node in gm.graph.nodes)


def names(buckets: Sequence[Sequence[fx.Node]]) -> list[list[str]]:
    return [[node.name for node in bucket] for bucket in buckets]


def starts(gm: fx.GraphModule, *wanted: str) -> list[fx.Node]:
    found = {node.name: node for node in gm.graph.nodes}
    return [found[name] for name in wanted]


def snapshot(gm: fx.GraphModule) -> tuple[Any, ...]:
    """Everything that a rewrite could change: code, nodes in order, arguments, metadata by identity and text."""
    nodes = [
        (node, node.name, node.target, node.args, node.kwargs, {key: (id(v), repr(v)) for key, v in node.meta.items()})
        for node in gm.graph.nodes
    ]
    return str(gm.graph), gm.code, nodes, dict(gm.meta)


def without_fake_tensors(gm: fx.GraphModule) -> fx.GraphModule:
    """The same graph, its values forgotten."""
    for node in gm.graph.nodes:
        node.meta.pop("val", None)
    return gm


def all_samples_but(*names: str) -> list[str]:
    assert set(names) <= set(SAMPLES)
    return [name for name in SAMPLES if name not in names]


def rewritten_for_all(gm: fx.GraphModule, **options: Any) -> list[fx.GraphModule]:
    """The graph after on every rank of group "0", each with the group that it calls "1"."""
    plan, world_size = bv.plan(gm, **options), len(gm.meta[GROUPS_KEY]["0"])
    groups = [{"0": range(world_size), "1": range(rank % 2, world_size, 2)} for rank in range(world_size)]
    return [rewrite(gm, plan, rank=rank, groups=own).after for rank, own in enumerate(groups)]


def new_nodes(result: Bucketed) -> list[fx.Node]:
    return [node for node in result.after.graph.nodes if node.name in result.provenance]
