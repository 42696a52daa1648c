"""Steps before and after bucketing, beside the installed torch's own pass, and packing beside the device's copy.

    python tests/benchmarks/gpu/bench_buckets.py                               a world of eight in lockstep, and world 1
    torchrun --nproc-per-node=8 tests/benchmarks/gpu/bench_buckets.py          one rank a GPU

On a machine without a GPU the same runs on the CPU, over gloo. Nothing is drawn from these numbers but themselves.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.distributed as dist
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent))

from copying import copy_speeds
from versions import graph_of_layers, num_collectives, versions

from bucketviz.execution import random_inputs, run_lockstep
from bucketviz.execution.environment import environment
from bucketviz.execution.measure import measure
from bucketviz.records import Policy
from bucketviz.units import format_bytes

LOCKSTEP_RANKS = 8
Run = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Row:
    """One version of a graph: its collectives, median seconds of a run, and whether its numbers are those before."""

    world: str
    version: str
    num_collectives: int
    seconds: float
    is_equal: bool


def main() -> None:
    """Prints what ran where, then the tables; under torchrun the first rank does."""
    options = _options()
    device = _device()
    rows: list[Row] = []
    with _world(device) as (rank, world_size):
        rows += _of_ranks(options, device, rank, world_size)
    if rank:
        return
    if world_size == 1:
        rows += _in_lockstep(options, device)
    console = Console()
    made = environment(device)
    told = (made.device_name, made.driver, f"torch {made.torch}", made.date, made.command)
    console.print(" | ".join(filter(None, told)), soft_wrap=True)
    _print_steps(console, rows)
    _print_copies(console, options, device)


def _of_ranks(options: argparse.Namespace, device: torch.device, rank: int, world_size: int) -> list[Row]:
    """Measures this rank of a world that is up; the slowest rank counts."""
    gm = graph_of_layers(options.layers, options.width, world_size)
    inputs = random_inputs(gm, world_size, device=device)[rank]
    graphs = {name: found[0] for name, found in versions(gm, _policy(options), world_size, [rank]).items()}
    runs = {name: lambda gm=graph: gm(*inputs) for name, graph in graphs.items()}
    outputs = {name: run() for name, run in runs.items()}
    world = f"{world_size} x {dist.get_backend()}"
    seconds = _medians(runs, device, options.repeats)
    return [
        Row(
            world,
            name,
            num_collectives(graph),
            _slowest(seconds[name], device),
            _same(outputs["before"], outputs[name]),
        )
        for name, graph in graphs.items()
    ]


def _in_lockstep(options: argparse.Namespace, device: torch.device) -> list[Row]:
    gm = graph_of_layers(options.layers, options.width, LOCKSTEP_RANKS)
    inputs = random_inputs(gm, LOCKSTEP_RANKS, device=device)
    groups = {"0": range(LOCKSTEP_RANKS)}
    graphs = versions(gm, _policy(options), LOCKSTEP_RANKS, range(LOCKSTEP_RANKS))
    runs = {name: lambda of=ranks: run_lockstep(of, inputs, groups, device=device) for name, ranks in graphs.items()}
    outputs = {name: [value for rank in run() for value in rank] for name, run in runs.items()}
    seconds = _medians(runs, device, options.repeats)
    return [
        Row(
            f"{LOCKSTEP_RANKS} in lockstep",
            name,
            num_collectives(ranks[0]),
            seconds[name],
            _same(outputs["before"], outputs[name]),
        )
        for name, ranks in graphs.items()
    ]


def _medians(runs: Mapping[str, Run], device: torch.device, repeats: int) -> dict[str, float]:
    """Runs the versions in turn, so that what else the machine does meets them all."""
    for run in runs.values():
        measure(run, device=device, warmup=2, repeats=1, with_memory=False)
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            found[name] += measure(run, device=device, warmup=0, repeats=1, with_memory=False).seconds
    return {name: statistics.median(seconds) for name, seconds in found.items()}


def _same(before: Sequence[torch.Tensor], after: Sequence[torch.Tensor]) -> bool:
    return all(
        torch.equal(old.view(torch.uint8), new.view(torch.uint8)) for old, new in zip(before, after, strict=True)
    )


def _slowest(seconds: float, device: torch.device) -> float:
    value = torch.tensor([seconds], device=device, dtype=torch.float64)
    dist.all_reduce(value, op=dist.ReduceOp.MAX)
    return float(value)


@contextmanager
def _world(device: torch.device) -> Iterator[tuple[int, int]]:
    """The world that torchrun made, or one of this process alone: (rank, world size)."""
    backend = "nccl" if device.type == "cuda" else "gloo"
    if "RANK" in os.environ:
        dist.init_process_group(backend)
    else:
        dist.init_process_group(backend, store=dist.HashStore(), rank=0, world_size=1)
    try:
        yield dist.get_rank(), dist.get_world_size()
    finally:
        dist.destroy_process_group()


def _device() -> torch.device:
    if not torch.cuda.is_available():
        return torch.device("cpu")
    torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    return torch.device("cuda", torch.cuda.current_device())


def _policy(options: argparse.Namespace) -> Policy:
    return Policy(cap_mib=float(options.cap_mib), mode=options.mode, kinds=("all_gather", "reduce_scatter"))


def _print_steps(console: Console, rows: Sequence[Row]) -> None:
    table = Table(title="A step, before and after", title_justify="left")
    for heading, justify in (("world", "left"), ("graph", "left"), ("starts", "right"), ("time", "right")):
        table.add_column(heading, justify=justify)
    table.add_column("speed-up", justify="right")
    table.add_column("numbers", no_wrap=True)
    before = {row.world: row for row in rows if row.version == "before"}
    for row in rows:
        ratio = before[row.world].seconds / row.seconds
        numbers = "bitwise equal" if row.is_equal else "DIFFERENT"
        count, time = str(row.num_collectives), f"{row.seconds * 1e3:.2f} ms"
        table.add_row(row.world, row.version, count, time, f"{ratio:.2f}x", numbers, end_section=row.version == "torch")
    console.print(table)


def _print_copies(console: Console, options: argparse.Namespace, device: torch.device) -> None:
    table = Table(title="Packing and cutting, bytes read and written", title_justify="left")
    for heading in ("what", "bucket", "members", "speed", "device's copy", "share"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for bucket_mib in options.bucket_mib:
        for num_members in options.members:
            for speed in copy_speeds(bucket_mib, num_members, device, options.repeats):
                copied = 2 * speed.bucket_bytes / speed.copy_seconds
                table.add_row(
                    speed.what,
                    format_bytes(speed.bucket_bytes),
                    str(speed.num_members),
                    f"{speed.bytes_per_second / 1e9:.1f} GB/s",
                    f"{copied / 1e9:.1f} GB/s",
                    f"{speed.share_of_copy:.0%}",
                )
    console.print(table)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=32, help="layers of the graph, one gather and one scatter each")
    parser.add_argument("--width", type=int, default=512, help="width of a layer, a multiple of the world size")
    parser.add_argument("--cap-mib", type=float, default=25)
    parser.add_argument("--mode", default="default")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--bucket-mib", type=int, nargs="*", default=[16, 128], help="sizes of the buckets packed")
    parser.add_argument("--members", type=int, nargs="*", default=[4, 64], help="members of the buckets packed")
    return parser.parse_args()


if __name__ == "__main__":
    main()
