"""The verb ``execute``: a graph before and after on every rank of a world, in this process or in one a rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.fx as fx

from bucketviz.arguments import check_result, check_world_size
from bucketviz.errors import ExecutionError
from bucketviz.execution import verify_lockstep
from bucketviz.execution.capabilities import LOCKSTEP, check_runs_on_gloo
from bucketviz.execution.groups import own_groups
from bucketviz.execution.job import DEVICE_TYPES, JobOptions, write_job
from bucketviz.execution.launch import launch
from bucketviz.files import path_of
from bucketviz.progress import Advance, progress
from bucketviz.records import Execution, Graph
from bucketviz.rewriting import Bucketed, rewrite
from bucketviz.views import rewrite_record

BACKENDS = ("lockstep", *DEVICE_TYPES)
_MAX_PROCESSES = 64
"""More ranks than that are no job for one machine."""


def execute(
    result: Bucketed,
    *,
    backend: str | None = None,
    device: str | None = None,
    world_size: int | None = None,
    inputs: Sequence[Sequence[object]] | None = None,
    seed: int = 0,
    warmup: int | None = None,
    repeats: int | None = None,
    compile: bool = False,
    profile: bool = False,
    outputs: str | Path | None = None,
    imports: Sequence[str] = (),
    timeout_s: float | None = None,
    port: int = 0,
    on_progress: Callable[[float], None] | None = None,
) -> Execution:
    """Runs the graph before and after on every rank with the same inputs, compares every output and takes the time.

    ``lockstep`` runs all ranks in this process, in step: the reference for all numbers. Nothing is sent there, so its
    report tells the time only of several ``repeats``. ``gloo`` and ``nccl`` start a process a rank with torch's elastic
    launcher and send for real; nothing of it is left when the call is over.

    Args:
        result: What :func:`bucket` gave.
        backend: ``lockstep``, ``gloo`` (CPU) or ``nccl`` (one GPU a rank); by default nccl where there are enough
            GPUs, gloo elsewhere.
        device: Where the tensors live: ``cpu``, or ``cuda``, which lockstep takes for a world on one GPU.
        world_size: Number of ranks; by default as many as it takes for the highest rank in the graph's process groups.
        inputs: For each rank a value for each placeholder; random ones by default, different on each rank.
        seed: Seed of the random inputs and of random ops.
        warmup: Runs of each side that are not timed; by default 1, in lockstep 0.
        repeats: Runs of each side that are; by default 5, in lockstep 1.
        compile: Whether both sides go through Inductor. Needs ranks in processes of their own, as all that follows. The
            compiled code goes with the run, unless ``TORCHINDUCTOR_CACHE_DIR`` names a folder for it.
        profile: Whether each side runs once more under the profiler, for its timelines.
        outputs: Folder that takes ``rank-0.safetensors`` …: what each rank returned, ``before.0`` …, ``after.0`` ….
        imports: Modules that every rank imports first: those that register custom ops which the graph calls.
        timeout_s: The run is over when no rank has got on for so long, by default 300 s; compiling counts as one step.
        port: On which the ranks of this machine meet; 0 takes a free one.
        on_progress: Told the fraction that is done, from 0 to 1; by default a bar shows it after two seconds.

    Raises:
        ExecutionError: for what :func:`bucket` did not give, another backend, a world that does not fit the groups, an
            op that is not known; and for a rank that failed, named with the cause. What the other ranks found is then
            the error's ``execution``.
    """
    check_result(result)
    world = _checked_world_size(result.plan.graph, world_size)
    backend = checked_backend(backend, device, world)
    record = rewrite_record(result)
    asked = {"warmup": warmup, "repeats": repeats, "timeout_s": timeout_s}
    runs: dict[str, Any] = {"seed": seed} | {name: value for name, value in asked.items() if value is not None}
    outputs = None if outputs is None else _folder("outputs", outputs)
    with progress(f"Running {record.before.name} on {world} ranks", total=1.0) as advance:
        on_progress = on_progress or _steps(advance)
        if backend == "lockstep":
            refused = {"outputs": outputs, "imports": imports, "timeout_s": timeout_s is not None, "port": port}
            _refuse_in_lockstep(compile=compile, profile=profile, **refused)
            execution = _in_lockstep(result, world, inputs, "cpu" if device is None else device, runs, on_progress)
        else:
            runs |= {"compile": compile, "profile": profile, "keep_outputs": outputs is not None}
            execution = launch(
                result.before,
                result.plan,
                _job_options(result.plan.graph, backend, world, runs),
                inputs=inputs,
                outputs=outputs,
                imports=imports,
                port=port,
                on_progress=on_progress,
            )
    return replace(execution, rewrite=record)


def _in_lockstep(
    result: Bucketed,
    world_size: int,
    inputs: Sequence[Sequence[object]] | None,
    device: str,
    runs: dict[str, Any],
    on_progress: Callable[[float], None],
) -> Execution:
    """Proves a rewrite in this process."""
    return verify_lockstep(
        [result.before] * world_size,
        [_rewritten_for(rank, result, world_size) for rank in range(world_size)],
        result.plan.graph.groups,
        inputs,
        device=device,
        on_progress=on_progress,
        **runs,
    )


def save_job(
    result: Bucketed,
    folder: str | Path,
    *,
    backend: str = "gloo",
    world_size: int | None = None,
    inputs: Sequence[Sequence[object]] | None = None,
    **options: Any,
) -> Path:
    """Writes what :func:`execute` would run to a folder, for ranks that torchrun starts on one machine or several.

    On each of N machines with M ranks, the folder being one that all of them see:

        torchrun --nnodes=N --nproc-per-node=M -m bucketviz.execution.worker FOLDER

    Rank 0 writes ``execution.json`` there at the end.

    Args:
        result: What :func:`bucket` gave.
        folder: Not there yet, or empty. It will hold JSON and safetensors; nothing in it is ever executed.
        backend: ``gloo`` or ``nccl``.
        world_size: As for :func:`execute`.
        inputs: They go to the folder; without them each rank makes its own from the seed.
        options: Further fields of :class:`bucketviz.execution.job.JobOptions`: ``seed``, ``warmup``, ``repeats``,
            ``compile``, ``profile``, ``keep_outputs``, ``timeout_s``.

    Raises:
        ExecutionError: when an option is none, when the folder is in use or cannot be written, or when the graph holds
            what no file can carry.
    """
    check_result(result)
    world = _checked_world_size(result.plan.graph, world_size)
    job_options = _job_options(result.plan.graph, backend, world, options)
    return write_job(_folder("folder", folder), result.before, result.plan, job_options, inputs)


def _folder(asked: str, path: str | Path) -> Path:
    try:
        return path_of(path)
    except (OSError, TypeError, ValueError) as error:
        raise ExecutionError(f"{asked}={path!r} cannot be: {error}; name a folder") from error


def _job_options(graph: Graph, backend: str, world_size: int, given: dict[str, Any]) -> JobOptions:
    known = [field.name for field in fields(JobOptions)]
    unknown = set(given) - set(known)
    if unknown:
        raise ExecutionError(f"unknown option {', '.join(sorted(unknown))}; a job has {', '.join(known)}")
    options = JobOptions(backend, world_size, **given)
    for rank in range(world_size):
        own_groups(rank, graph.groups, world_size)
    if backend == "gloo":
        check_runs_on_gloo(graph)
    return options


def _checked_world_size(graph: Graph, world_size: int | None) -> int:
    if world_size is not None:
        check_world_size(world_size)
        return world_size
    if graph.groups:
        return max(max(ranks) for ranks in graph.groups.values()) + 1
    if not any(True for _ in graph.collectives()):
        return 1
    raise ExecutionError(
        "the graph names no process group that is known, so its world size is not; "
        'pass world_size= and set gm.meta["process_groups"] = {name: ranks}'
    )


def checked_backend(backend: str | None, device: str | None, world_size: int) -> str:
    """Gives the backend that was asked for, or the one that fits this machine, where it fits the device.

    Raises:
        ExecutionError: for a backend that is not known, and for what this machine has no GPUs or processes for.
    """
    if backend not in (None, *BACKENDS):
        raise ExecutionError(f"backend={backend!r} is not known; choose {', '.join(BACKENDS)}")
    if backend is None:
        is_gpu = str(device).startswith("cuda") or (device is None and 0 < world_size <= torch.cuda.device_count())
        backend = "nccl" if is_gpu else "gloo"
    wanted = DEVICE_TYPES.get(backend)
    if wanted and device is not None and str(device) != wanted:
        raise ExecutionError(
            f"backend={backend!r} runs on device={wanted!r}, got {str(device)!r}; give backend='lockstep', which runs "
            "all ranks on one device"
        )
    if backend != "lockstep":
        _check_fits_here(backend, world_size)
    return backend


def _check_fits_here(backend: str, world_size: int) -> None:
    """Refuses what this machine has no GPUs or processes for."""
    if backend == "nccl" and torch.cuda.device_count() < world_size:
        raise ExecutionError(
            f"nccl takes one GPU a rank: {world_size} ranks, {torch.cuda.device_count()} GPUs here; "
            "use backend='lockstep', device='cuda', which runs all ranks on one GPU, or save_job and torchrun on "
            "several machines"
        )
    if not (dist.is_nccl_available() if backend == "nccl" else dist.is_gloo_available()):
        raise ExecutionError(f"this torch is built without {backend}; use {LOCKSTEP}")
    if world_size > _MAX_PROCESSES:
        raise ExecutionError(
            f"{world_size} ranks are too many processes for one machine (at most {_MAX_PROCESSES}); use {LOCKSTEP}, "
            "or save_job and torchrun on several machines"
        )


def _refuse_in_lockstep(**options: object) -> None:
    given = [name for name, value in options.items() if value]
    if given:
        raise ExecutionError(
            f"{', '.join(given)} needs ranks in processes of their own; give backend='gloo' or 'nccl', or leave it out"
        )


def _steps(advance: Advance) -> Callable[[float], None]:
    """Turns fractions done into the steps that a bar takes."""
    done = 0.0

    def report(fraction: float) -> None:
        nonlocal done
        advance(fraction - done)
        done = fraction

    return report


def _rewritten_for(rank: int, result: Bucketed, world_size: int) -> fx.GraphModule:
    """Gives the graph after for one rank, which may mean another group by the same name than rank 0 does."""
    if rank == result.rank:
        return result.after
    own = own_groups(rank, result.plan.graph.groups, world_size)
    return rewrite(result.before, result.plan, rank=rank, groups=own).after
