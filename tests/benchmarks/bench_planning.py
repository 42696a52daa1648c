"""Planning beside the installed torch's pass: identical buckets, the ratio of times, growth, replanning.

python tests/benchmarks/bench_planning.py --layers 500 2000 4000 --growth 1000 2000 4000 8000 16000 --replan 2000
"""

from __future__ import annotations

import argparse
import gc
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import torch.fx as fx
from layers import GATHERED_BYTES, fsdp_graph
from torch._inductor.fx_passes.bucketing import bucket_all_gather_by_mb

import bucketviz as bv
from bucketviz.planning import Planner
from bucketviz.records import Plan, Policy
from bucketviz.units import MIB, format_bytes

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both sides on one graph, in seconds of CPU: torch's pass, ours on a loaded graph, ours from the FX graph."""

    num_nodes: int
    num_buckets: int
    torch_seconds: float
    loaded_seconds: float
    fx_seconds: float
    is_identical: bool


@dataclass(frozen=True, slots=True)
class Growth:
    """One row of the growth table: time and peak memory of one plan of a loaded graph."""

    num_layers: int
    seconds: float
    peak_bytes: int


def main() -> None:
    """Prints the three tables for the sizes asked for."""
    options = _options()
    for num_layers in options.layers:
        _print_comparison(num_layers, compare(num_layers, options.members))
    _print_growth([measure_growth(num_layers, options.members) for num_layers in options.growth])
    for num_layers in options.replan:
        outline, whole = replanning_seconds(num_layers, options.members)
        print(f"replan      L={num_layers}: outline {outline * 1e3:.1f} ms, whole plan {whole * 1e3:.1f} ms (safe)")


def compare(num_layers: int, members: int) -> Comparison:
    """Plans the all_gathers of one graph with torch's pass and with ours, ``members`` to a bucket."""
    gm = fsdp_graph(num_layers)
    policy = policy_for(members)
    graph = bv.describe(gm)
    torch_seconds, expected = timed(lambda: _torch_buckets(gm, policy))
    loaded_seconds, loaded = best_of_five(lambda fresh: bv.plan(fresh, policy), lambda: replace(graph))
    fx_seconds, from_fx = best_of_five(lambda fresh: bv.plan(fresh, policy), lambda: gm)
    return Comparison(
        num_nodes=len(graph.nodes),
        num_buckets=len(expected),
        torch_seconds=torch_seconds,
        loaded_seconds=loaded_seconds,
        fx_seconds=fx_seconds,
        is_identical=expected == _buckets(loaded) == _buckets(from_fx),
    )


def measure_growth(num_layers: int, members: int) -> Growth:
    """Measures one size; memory in a run of its own, because watching it takes time."""
    graph = bv.describe(fsdp_graph(num_layers))
    policy = policy_for(members)
    seconds, _ = best_of_five(lambda fresh: bv.plan(fresh, policy), lambda: replace(graph))
    fresh = replace(graph)
    tracemalloc.start()
    bv.plan(fresh, policy)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return Growth(num_layers, seconds, peak_bytes)


def replanning_seconds(num_layers: int, members: int) -> tuple[float, float]:
    """Times planning a graph anew with another cap, as the explorer does: what it shows first, and all of it."""
    planner = Planner(bv.describe(fsdp_graph(num_layers)))
    first, other = (replace(policy_for(count), kinds="all", fidelity="safe") for count in (members, members + 1))
    planner.plan(first)
    outline, _ = best_of_five(lambda same: same.outline(other).plan, lambda: planner)
    whole, _ = best_of_five(lambda same: same.plan(other), lambda: planner)
    return outline, whole


def policy_for(members: int) -> Policy:
    """Gives torch's own choice for the all_gathers, with a cap that lets ``members`` share a bucket."""
    return Policy(cap_mib=members * GATHERED_BYTES / MIB, kinds=("all_gather",), fidelity="inductor")


def best_of_five(act: Callable[[Result], Plan], prepare: Callable[[], Result]) -> tuple[float, Plan]:
    """Times ``act`` five times, each on what ``prepare`` gives, and keeps the fastest and frees the rest."""

    def run() -> tuple[float, Plan]:
        prepared = prepare()
        return timed(lambda: act(prepared))

    return min((run() for _ in range(5)), key=lambda one: one[0])


def timed(act: Callable[[], Result]) -> tuple[float, Result]:
    """Times one call, in seconds of CPU, without garbage collection (as ``timeit`` does)."""
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        result = act()
        return time.process_time() - start, result
    finally:
        gc.enable()


def _torch_buckets(gm: fx.GraphModule, policy: Policy) -> list[list[str]]:
    buckets = bucket_all_gather_by_mb(gm, lambda _: policy.cap_mib, None, "default")
    return [[node.name for node in bucket] for bucket in buckets]


def _buckets(plan: Plan) -> list[list[str]]:
    return [list(bucket.collectives) for bucket in plan.buckets]


def _print_comparison(num_layers: int, result: Comparison) -> None:
    verdict = "identical" if result.is_identical else "DIFFERENT"
    print(
        f"L={num_layers:<6} {result.num_nodes} nodes, {result.num_buckets} buckets ({verdict}): "
        f"torch {result.torch_seconds:.3f} s | loaded graph {result.loaded_seconds * 1e3:.1f} ms, "
        f"{result.torch_seconds / result.loaded_seconds:.0f}x | from the FX graph {result.fx_seconds * 1e3:.1f} ms, "
        f"{result.torch_seconds / result.fx_seconds:.0f}x"
    )


def _print_growth(rows: list[Growth]) -> None:
    for index, row in enumerate(rows):
        before = rows[max(0, index - 1)]
        print(
            f"growth      L={row.num_layers:<6} {row.seconds * 1e3:8.1f} ms ({row.seconds / before.seconds:.2f}x)   "
            f"peak {format_bytes(row.peak_bytes)} ({row.peak_bytes / before.peak_bytes:.2f}x)"
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, nargs="*", default=[200], help="layers of the graphs both sides plan")
    parser.add_argument("--growth", type=int, nargs="*", default=[100, 200, 400], help="layers, one row each")
    parser.add_argument("--replan", type=int, nargs="*", default=[200], help="layers of the graphs planned twice")
    parser.add_argument("--members", type=int, default=2, help="all_gathers that fit a bucket")
    return parser.parse_args()


if __name__ == "__main__":
    main()
