"""One rank of a job: ``torchrun --nnodes=N --nproc-per-node=M -m bucketviz.execution.worker JOB``.

It reads the job, rewrites the graph for itself, makes sure that all ranks will call the same collectives, makes the
process groups anew, runs the graph before and after on the same inputs, and leaves what it found in the job's folder.
This is an entry point: like the command line it may use every stage.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import torch
from torch._C._distributed_c10d import PrefixStore, Store
from torch.distributed.rendezvous import rendezvous

from bucketviz.errors import BucketvizError, ExecutionError
from bucketviz.execution.compare import compare
from bucketviz.execution.diagnosis import cause_of_failure
from bucketviz.execution.environment import environment
from bucketviz.execution.groups import Block, own_groups
from bucketviz.execution.handshake import Intent, check_intents, collective_order
from bucketviz.execution.inputs import rank_inputs
from bucketviz.execution.job import EXECUTION, JobOptions, read_inputs, read_job, read_options, result_path, status_path
from bucketviz.execution.ownership import own_attributes
from bucketviz.execution.process_groups import group_names, num_started, process_groups
from bucketviz.execution.proof import Side
from bucketviz.execution.results import read_results, write_execution, write_outputs
from bucketviz.execution.status import StatusNotes, read_status
from bucketviz.execution.tolerance import relative_tolerances
from bucketviz.execution.watch import watching
from bucketviz.records import Execution, Measured, RankRun
from bucketviz.rewriting import Bucketed, rewrite
from bucketviz.sources.describe import describe
from bucketviz.views import rewrite_record

_NUM_STEPS = 7
"""Load, meet, for each side run and time, wait."""
_MARGIN_S = 5.0
"""Ranks give up waiting for another one this much later than whoever watches them all, who knows which one it is."""
_PEER_MARKS = ("gloo/transport", "NCCL", "onnection closed by peer", "onnection reset by peer", "Broken pipe")


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the rank that torchrun's environment describes; ends the process with code 1 when that fails."""
    parser = argparse.ArgumentParser(prog="bucketviz.execution.worker", description=__doc__)
    parser.add_argument("job", type=Path, help="folder of the job, which all machines see")
    parser.add_argument(
        "--import", dest="modules", action="append", default=[], metavar="MODULE", help="it registers custom ops"
    )
    asked = parser.parse_args(arguments)
    try:
        options = read_options(asked.job)
        rank = _own_rank(options)
    except ExecutionError as error:
        sys.exit(f"bucketviz: {error}")
    notes = StatusNotes(status_path(asked.job, rank), _NUM_STEPS, num_started)
    with watching(notes.tick):
        try:
            run_rank(asked.job, options, rank, asked.modules, notes)
        except BaseException as error:
            _give_up(error, asked.job, options.world_size, notes)


def run_rank(folder: Path, options: JobOptions, rank: int, modules: Sequence[str], notes: StatusNotes) -> None:
    """Does the whole job of one rank.

    Args:
        folder: The job.
        options: What it asks for.
        rank: Global rank.
        modules: Imported first: they register the custom ops that the graph calls.
        notes: Where the rank notes what it is doing.

    Raises:
        BucketvizError: when the job cannot be done, or the ranks are not going to do the same.
    """
    notes.begin("loading the job")
    for module in modules:
        import_module(module)
    device = _own_device(options)
    job = read_job(folder, device)
    groups = job.plan.graph.groups
    own = own_groups(rank, groups, options.world_size)
    result = rewrite(job.before, job.plan, rank=rank, groups=own)
    own_attributes(result.after)
    inputs = read_inputs(folder, rank, device)
    if inputs is None:
        inputs = rank_inputs(job.before, rank, seed=options.seed, device=device)
    notes.begin("meeting the other ranks")
    timeout = timedelta(seconds=options.timeout_s + _MARGIN_S)
    store, _, _ = next(rendezvous("env://", timeout=timeout))
    check_intents(PrefixStore("intents", store), rank, options.world_size, _intent(result, own))
    names = group_names(job.before)
    world = PrefixStore("world", store)
    with process_groups(options.backend, world, rank, options.world_size, groups, names, device, timeout):
        write_execution(result_path(folder, rank), _prove(folder, options, rank, result, inputs, device, notes))
        notes.begin("waiting for the other ranks to finish")
        _conclude(folder, result, options.world_size, rank, store)
        notes.finish()


def _prove(
    folder: Path,
    options: JobOptions,
    rank: int,
    result: Bucketed,
    inputs: Sequence[object],
    device: torch.device,
    notes: StatusNotes,
) -> Execution:
    """Gives what this rank found; the comparison is written before anything is timed, so that it is not lost."""
    sides = [
        Side(name, gm, inputs, options, notes) for name, gm in (("before", result.before), ("after", result.after))
    ]
    before, after = [side.outputs(rank) for side in sides]
    if options.keep_outputs:
        write_outputs(folder, rank, {"before": before, "after": after})
    compared = compare([before], [after], relative_tolerances(result.before, result.plan))
    execution = Execution(
        backend=options.backend,
        device=device.type,
        world_size=options.world_size,
        outputs=tuple(replace(output, rank=rank) for output in compared),
        ranks=(RankRun(rank, Measured(()), Measured(())),),
        environment=environment(device),
    )
    write_execution(result_path(folder, rank), execution)
    del before, after
    return replace(execution, ranks=(RankRun(rank, *(side.measured(device) for side in sides)),))


def _conclude(folder: Path, result: Bucketed, world_size: int, rank: int, store: Store) -> None:
    """Waits until all ranks are through; rank 0, which may keep the store, puts the results together and goes last."""
    store.set(f"through/{rank}", "")
    store.multi_get([f"through/{other}" for other in range(world_size)])
    if rank != 0:
        store.set(f"gone/{rank}", "")
        return
    execution = read_results(folder, world_size)
    assert execution is not None, "this rank has left its own result"
    write_execution(folder / EXECUTION, replace(execution, rewrite=rewrite_record(result)))
    with suppress(OSError):
        print(execution, flush=True)
    store.multi_get([f"gone/{other}" for other in range(1, world_size)])


def _intent(result: Bucketed, own: Mapping[str, Block]) -> Intent:
    graphs = {"graph before": result.before, "graph after": result.after}
    return Intent(
        {name: collective_order(name, describe(gm).nodes, own) for name, gm in graphs.items()},
        tuple(bucket.collectives for bucket in result.plan.buckets),
    )


def _own_rank(options: JobOptions) -> int:
    try:
        rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    except KeyError as error:
        raise ExecutionError(
            f"{error} is not set; start the ranks with torchrun --nproc-per-node={options.world_size} "
            "-m bucketviz.execution.worker JOB"
        ) from error
    if world_size != options.world_size:
        raise ExecutionError(f"the job is for {options.world_size} ranks, torchrun started {world_size}; start as many")
    return rank


def _own_device(options: JobOptions) -> torch.device:
    if options.device_type == "cpu":
        return torch.device("cpu")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    return device


def _give_up(error: BaseException, folder: Path, world_size: int, notes: StatusNotes) -> NoReturn:
    """Notes why this rank fails and ends it at once: what its threads and groups still wait for never comes."""
    text = str(error) if isinstance(error, BucketvizError) else f"{type(error).__name__}: {error}"
    is_peer_error = any(mark in text for mark in _PEER_MARKS)
    notes.fail(text, is_peer_error=is_peer_error)
    try:
        traceback.print_exc()
        if is_peer_error:
            statuses = [read_status(status_path(folder, other)) for other in range(world_size)]
            print(f"bucketviz: {cause_of_failure(statuses, {})}", file=sys.stderr)
        sys.stderr.flush()
    finally:
        os._exit(1)


if __name__ == "__main__":
    main()
    os._exit(0)  # taking Python and torch apart takes seconds
