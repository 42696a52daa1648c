"""How long a graph takes and how much memory it needs."""

from __future__ import annotations

import time
from collections.abc import Callable

import torch
from torch.profiler import ProfilerActivity

from bucketviz.execution.checks import check_count
from bucketviz.records.execution import Measured

Run = Callable[[], object]


def measure(
    run: Run,
    *,
    device: torch.device,
    warmup: int,
    repeats: int,
    before_each: Run | None = None,
    with_memory: bool = True,
) -> Measured:
    """Gives the seconds of each repeat and the peak memory of a run.

    On a GPU a repeat is timed by two events on the current stream, and the peak is the caching allocator's. On CPU
    it is timed by a monotonic clock, and the peak comes from torch.profiler's records of every allocation, in a run
    of its own after the repeats, so that recording slows none of them.

    Args:
        run: Runs the graph once.
        device: Where it runs.
        warmup: Runs that are not measured.
        repeats: Runs that are.
        before_each: Called before every run and not measured: a barrier, so that no rank's time holds another's
            delay.
        with_memory: Whether the peak is asked for.

    Units:
        Seconds; bytes beyond what was allocated when the run began.

    Raises:
        ExecutionError: when warmup or repeats is no such number.

    Example:
        >>> measured = measure(lambda: torch.ones(256), device=torch.device("cpu"), warmup=1, repeats=3)
        >>> len(measured.seconds), measured.peak_bytes
        (3, 1024)
    """
    check_count("warmup", warmup, 0)
    check_count("repeats", repeats, 1)
    prepare = before_each or (lambda: None)
    for _ in range(warmup):
        prepare()
        run()
    if device.type == "cuda":
        return _on_gpu(run, prepare, device, repeats, with_memory)
    seconds = tuple(_clocked(run, prepare) for _ in range(repeats))
    return Measured(seconds, _peak_on_cpu(run, prepare) if with_memory else None)


def _clocked(run: Run, prepare: Run) -> float:
    prepare()
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def _on_gpu(run: Run, prepare: Run, device: torch.device, repeats: int, with_memory: bool) -> Measured:
    with torch.cuda.device(device):
        torch.cuda.reset_peak_memory_stats()
        held_bytes = torch.cuda.memory_allocated()
        seconds = tuple(_timed_by_events(run, prepare) for _ in range(repeats))
        return Measured(seconds, torch.cuda.max_memory_allocated() - held_bytes if with_memory else None)


def _timed_by_events(run: Run, prepare: Run) -> float:
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
    prepare()
    torch.cuda.synchronize()
    begin.record()
    run()
    end.record()
    torch.cuda.synchronize()
    return float(begin.elapsed_time(end)) / 1000


def _peak_on_cpu(run: Run, prepare: Run) -> int:
    prepare()
    with torch.profiler.profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        run()
    live_bytes = peak_bytes = 0
    for event in sorted(profiler.profiler.kineto_results.events(), key=lambda event: event.start_ns()):
        if event.name() == "[memory]":
            live_bytes += event.nbytes()
            peak_bytes = max(peak_bytes, live_bytes)
    return peak_bytes
