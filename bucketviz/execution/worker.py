"""One rank of a job: ``torchrun --nnodes=N --nproc-per-node=M -m bucketviz.execution.worker JOB``.

It reads the job, rewrites the graph for itself, makes sure that all ranks will call the same collectives, makes the
process groups anew, runs the graph before and after on the same inputs, and leaves what it found in the job's folder.
This is an entry point: like the command line it may use every stage.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from pathlib import Path

import torch
import torch._dynamo  # reading a graph imports it anyway, for seconds, which belong to the start of a rank
from torch._C._distributed_c10d import PrefixStore, Store
from torch.distributed.rendezvous import rendezvous

from bucketviz.errors import ExecutionError
from bucketviz.execution.compare import compare
from bucketviz.execution.diagnosis import START_SECONDS
from bucketviz.execution.ending import Ending
from bucketviz.execution.environment import environment, machine_name
from bucketviz.execution.fingerprint import fingerprint
from bucketviz.execution.groups import Block, own_groups
from bucketviz.execution.handshake import Intent, check_intents, collective_order
from bucketviz.execution.inputs import rank_inputs
from bucketviz.execution.job import (
    TIMEOUT_S,
    JobOptions,
    prepare_rank,
    read_inputs,
    read_job,
    read_options,
    result_path,
    status_path,
)
from bucketviz.execution.ownership import laid_out, own_attributes
from bucketviz.execution.process_groups import group_names, num_started, process_groups
from bucketviz.execution.proof import Side
from bucketviz.execution.results import conclude, write_execution, write_outputs
from bucketviz.execution.status import StatusNotes
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the rank that torchrun's environment describes; ends the process with code 1 when that fails."""
    parser = argparse.ArgumentParser(prog="bucketviz.execution.worker", description=__doc__)
    parser.add_argument("job", type=_job, help="folder of the job; each machine may have a copy of its own")
    parser.add_argument(
        "--import", dest="modules", action="append", default=[], metavar="MODULE", help="it registers custom ops"
    )
    parser.add_argument("--watched", action="store_true", help="whoever started this rank looks after it")
    asked = parser.parse_args(arguments)
    try:
        rank, world_size = (int(os.environ[name]) for name in ("RANK", "WORLD_SIZE"))
    except KeyError as error:
        sys.exit(
            f"bucketviz: {error} is not set; start the ranks with torchrun --nproc-per-node=NUMBER_OF_RANKS "
            "-m bucketviz.execution.worker JOB"
        )
    notes = StatusNotes(status_path(asked.job, rank), _NUM_STEPS, num_started, machine_name())
    ending = Ending(asked.job, notes)
    with watching(ending.tick, notes.asked_to_end):
        try:
            options = _read_options(asked.job)
            timeout_s = options.timeout_s if isinstance(options, JobOptions) else TIMEOUT_S
            store, _, _ = next(
                rendezvous("env://", timeout=timedelta(seconds=max(timeout_s, START_SECONDS) + _MARGIN_S))
            )
            with nullcontext() if asked.watched else ending.looking_out(store, rank, world_size, timeout_s):
                notes.begin("loading the job")
                if isinstance(options, ExecutionError):
                    raise options
                run_rank(asked.job, options, rank, world_size, asked.modules, notes, store)
        except BaseException as error:
            ending.failed(error, rank)


def _job(folder: str) -> Path:
    if not folder.strip():
        raise argparse.ArgumentTypeError(f"expected the folder of a job, got {folder!r}; give what save_job wrote")
    return Path(folder)


def run_rank(
    folder: Path,
    options: JobOptions,
    rank: int,
    world_size: int,
    modules: Sequence[str],
    notes: StatusNotes,
    store: Store,
) -> None:
    """Does the whole job of one rank.

    Args:
        folder: The job.
        options: What it is asked for.
        rank: Global rank.
        world_size: Number of ranks that were started.
        modules: Imported first: they register the custom ops that the graph calls.
        notes: Where the rank notes what it is doing.
        store: Where the ranks meet.

    Raises:
        BucketvizError: when the job cannot be done, or the ranks are not going to do the same.
    """
    if world_size != options.world_size:
        raise ExecutionError(f"the job is for {options.world_size} ranks, torchrun started {world_size}; start as many")
    prepare_rank(folder, rank)
    for module in modules:
        import_module(module)
    device = _own_device(options)
    job = read_job(folder, device)
    groups = job.plan.graph.groups
    own = own_groups(rank, groups, options.world_size)
    result = rewrite(job.before, job.plan, rank=rank, groups=own)
    own_attributes(result.after)
    given = read_inputs(folder, rank, device)
    if given is None:
        inputs = rank_inputs(job.before, rank, seed=options.seed, device=device)
    else:
        inputs = laid_out(job.before.graph.find_nodes(op="placeholder"), given)
    notes.begin("meeting the other ranks")
    intent = _intent(result, own, fingerprint(folder, options))
    check_intents(PrefixStore("intents", store), rank, options.world_size, intent)
    names = group_names(job.before)
    world = PrefixStore("world", store)
    timeout = timedelta(seconds=options.timeout_s + _MARGIN_S)
    with process_groups(options.backend, world, rank, options.world_size, groups, names, device, timeout):
        execution = _prove(folder, options, rank, result, inputs, device, notes)
        write_execution(result_path(folder, rank), execution)
        notes.begin("waiting for the other ranks to finish")
        conclude(folder, execution, rewrite_record(result), rank, store)
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


def _intent(result: Bucketed, own: Mapping[str, Block], job: Mapping[str, str]) -> Intent:
    graphs = {"graph before": result.before, "graph after": result.after}
    return Intent(
        {name: collective_order(name, describe(gm).nodes, own) for name, gm in graphs.items()},
        tuple(bucket.collectives for bucket in result.plan.buckets),
        job,
    )


def _read_options(folder: Path) -> JobOptions | ExecutionError:
    """Gives what the job is asked for; where it cannot be read the error, to be raised once the ranks can be told."""
    try:
        return read_options(folder)
    except ExecutionError as error:
        return error


def _own_device(options: JobOptions) -> torch.device:
    if options.device_type == "cpu":
        return torch.device("cpu")
    local_rank, num_gpus = int(os.environ["LOCAL_RANK"]), torch.cuda.device_count()
    if local_rank >= num_gpus:
        raise ExecutionError(
            f"nccl takes one GPU a rank: this is local rank {local_rank} of a machine with {num_gpus} GPUs; start at "
            "most as many ranks on it (--nproc-per-node), or write the job for gloo"
        )
    device = torch.device("cuda", local_rank)
    torch.cuda.set_device(device)
    return device


if __name__ == "__main__":
    main()
    os._exit(0)  # taking Python and torch apart takes seconds
