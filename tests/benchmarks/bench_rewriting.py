"""Rewriting beside the installed torch's merge: the same merged collectives, the ratio of times, growth, a large step.

python tests/benchmarks/bench_rewriting.py --pairs 1000 --members 2000 --growth 1000 2000 4000 8000 16000 --layers 126
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import llama
import torch
import torch.fx as fx
from bench_planning import timed
from layers import WIDTH, WORLD_SIZE, fsdp_graph
from torch._inductor.fx_passes import bucketing as torch_bucketing
from torch._inductor.pattern_matcher import stable_topological_sort

import bucketviz as bv
from bucketviz import bucketing
from bucketviz.collectives import collective_op
from bucketviz.records import Plan, Policy
from bucketviz.sources.fake_world import fake_world
from bucketviz.units import MIB

Merge = Callable[..., None]
KINDS = ("all_gather", "reduce_scatter")
MEMBER_BYTES = {"all_gather": WIDTH * WIDTH * torch.bfloat16.itemsize, "reduce_scatter": WIDTH * WIDTH * 4}
"""What a member counts against the cap in the graph of :func:`layers.fsdp_graph`."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """CPU seconds for the same buckets: torch's merge, ours in its place, and ours on a copy that is checked."""

    num_nodes: int
    num_buckets: int
    torch_seconds: float
    in_place_seconds: float
    rewrite_seconds: float
    is_identical: bool


@dataclass(frozen=True, slots=True)
class Step:
    """A whole training step, planned and rewritten: CPU seconds, and collectives before and after."""

    torch_seconds: float
    plan_seconds: float
    rewrite_seconds: float
    num_before: int
    num_after: int
    is_identical: bool


def main() -> None:
    """Prints the tables for the sizes asked for."""
    options = _options()
    for num_pairs in options.pairs:
        for kind in KINDS:
            _print_comparison(f"{num_pairs} pairs, {kind}", compare(2 * num_pairs, kind, members=2))
    for num_members in options.members:
        _print_comparison(f"one bucket of {num_members}", compare(num_members, "reduce_scatter", members=num_members))
    for kind, in_one in (("all_gather", False), ("reduce_scatter", True)):
        _print_growth(kind, in_one, options.growth)
    for num_layers in options.layers:
        _print_step(num_layers, step(num_layers))


def compare(num_layers: int, kind: str, members: int) -> Comparison:
    """Merges the collectives of one kind, ``members`` to a bucket, with torch's pass and with both of ours."""
    gm = fsdp_graph(num_layers)
    plan = bv.plan(gm, policy_for(kind, members))
    rewrite_seconds, result = min((timed(lambda: bv.bucket(gm, plan)) for _ in range(3)), key=lambda run: run[0])
    in_place_seconds, ours = _merge_in_place(getattr(bucketing, f"merge_{kind}"), fsdp_graph(num_layers), plan)
    torch_seconds, theirs = _merge_in_place(getattr(torch_bucketing, f"merge_{kind}"), fsdp_graph(num_layers), plan)
    stable_topological_sort(theirs.graph)
    return Comparison(
        num_nodes=len(gm.graph.nodes),
        num_buckets=len(plan.buckets),
        torch_seconds=torch_seconds,
        in_place_seconds=in_place_seconds,
        rewrite_seconds=rewrite_seconds,
        is_identical=merged(theirs) == merged(ours) == merged(result.after),
    )


def rewriting_seconds(num_layers: int, kind: str, members: int) -> float:
    """Times one rewrite, the fastest of three."""
    gm = fsdp_graph(num_layers)
    plan = bv.plan(gm, policy_for(kind, members))
    return min(timed(lambda: bv.bucket(gm, plan))[0] for _ in range(3))


def step(num_layers: int) -> Step:
    """Plans and rewrites a Llama-shaped step, forward and backward, each bucket about a layer."""
    policy = Policy(cap_mib=llama.LAYER_BYTES / MIB, fidelity="inductor")
    builders = (llama.forward, llama.backward)
    graphs = [build(num_layers) for build in builders]
    plan_seconds, plans = timed(lambda: [bv.plan(gm, policy) for gm in graphs])
    rewrite_seconds, results = timed(lambda: [bv.bucket(gm, plan) for gm, plan in zip(graphs, plans, strict=True)])
    theirs = [build(num_layers) for build in builders]
    with fake_world(llama.WORLD_SIZE):
        torch_seconds, _ = timed(lambda: [_torchs_pass(gm, policy.cap_mib) for gm in theirs])
    for gm in theirs:
        stable_topological_sort(gm.graph)
    after = [result.after for result in results]
    return Step(
        torch_seconds=torch_seconds,
        plan_seconds=plan_seconds,
        rewrite_seconds=rewrite_seconds,
        num_before=sum(len(merged(gm)) for gm in graphs),
        num_after=sum(len(merged(gm)) for gm in after),
        is_identical=list(map(merged, theirs)) == list(map(merged, after)),
    )


def policy_for(kind: str, members: int) -> Policy:
    """Gives torch's own choice for one kind, with a cap that lets ``members`` share a bucket."""
    return Policy(cap_mib=members * MEMBER_BYTES[kind] / MIB, kinds=(kind,), fidelity="inductor")


def merged(gm: fx.GraphModule) -> list[tuple[str, torch.dtype, int]]:
    """Gives op, dtype and bytes of every collective, in order."""
    starts = [node for node in gm.graph.nodes if collective_op(node) is not None]
    return [(str(node.target), node.meta["val"].dtype, node.meta["val"].nbytes) for node in starts]


def _merge_in_place(merge: Merge, gm: fx.GraphModule, plan: Plan) -> tuple[float, fx.GraphModule]:
    nodes = {node.name: node for node in gm.graph.nodes}
    buckets = [[nodes[name] for name in bucket.collectives] for bucket in plan.buckets]
    with fake_world(WORLD_SIZE):
        seconds, _ = timed(lambda: merge(gm, buckets, "default"))
    return seconds, gm


def _torchs_pass(gm: fx.GraphModule, cap_mib: float) -> None:
    torch_bucketing.bucket_reduce_scatter(gm, lambda _: cap_mib, "default")
    torch_bucketing.bucket_all_reduce(gm, lambda _: cap_mib, "default")
    torch_bucketing.bucket_all_gather(gm, lambda _: cap_mib, "default")


def _verdict(is_identical: bool) -> str:
    return "identical" if is_identical else "DIFFERENT"


def _print_comparison(what: str, result: Comparison) -> None:
    print(
        f"{what}: {result.num_nodes} nodes, {result.num_buckets} buckets ({_verdict(result.is_identical)}): "
        f"torch {result.torch_seconds:.2f} s | in place {result.in_place_seconds:.2f} s, "
        f"{result.torch_seconds / result.in_place_seconds:.0f}x | rewrite {result.rewrite_seconds:.2f} s, "
        f"{result.torch_seconds / result.rewrite_seconds:.0f}x"
    )


def _print_growth(kind: str, in_one: bool, sizes: Sequence[int]) -> None:
    before = None
    for size in sizes:
        seconds = rewriting_seconds(size, kind, size if in_one else 2)
        shape = "in one bucket" if in_one else "in buckets of two"
        print(f"growth      {size:<6} {kind} {shape} {seconds:8.2f} s ({seconds / (before or seconds):.2f}x)")
        before = seconds


def _print_step(num_layers: int, result: Step) -> None:
    ours = result.plan_seconds + result.rewrite_seconds
    print(
        f"step of {num_layers} layers: {result.num_before} -> {result.num_after} collectives "
        f"({_verdict(result.is_identical)}): torch {result.torch_seconds:.2f} s | plan {result.plan_seconds:.2f} s + "
        f"rewrite {result.rewrite_seconds:.2f} s, {result.torch_seconds / ours:.0f}x"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, nargs="*", default=[100], help="buckets of two that both sides merge")
    parser.add_argument("--members", type=int, nargs="*", default=[200], help="members of the one bucket both merge")
    parser.add_argument("--growth", type=int, nargs="*", default=[100, 200, 400], help="collectives, one row each")
    parser.add_argument("--layers", type=int, nargs="*", default=[4], help="layers of the Llama-shaped steps")
    return parser.parse_args()


if __name__ == "__main__":
    main()
