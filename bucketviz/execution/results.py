"""What ranks leave behind in the folder of a job, and all of it together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch._C._distributed_c10d import Store

from bucketviz.errors import ExecutionError, RecordError, type_text
from bucketviz.execution.job import EXECUTION, outputs_path, result_path
from bucketviz.execution.posting import fetch, post
from bucketviz.files import replace_file
from bucketviz.records import Execution, Rewrite, from_json, to_json


def write_execution(path: Path, execution: Execution) -> None:
    """Leaves what was found, in place of what may have been left there before.

    Raises:
        ExecutionError: when the disk is full, for example.
    """
    try:
        replace_file(path, to_json(execution).encode())
    except OSError as error:
        raise ExecutionError(f"what was found cannot be written to {path}: {error}") from error


def write_outputs(folder: Path, rank: int, sides: dict[str, Sequence[object]]) -> None:
    """Leaves the tensors that the graphs of one rank returned: ``before.0``, …, ``after.0``, ….

    Raises:
        ExecutionError: when the disk is full, for example.
    """
    tensors = {
        f"{side}.{index}": value.detach().cpu().clone(memory_format=torch.contiguous_format)
        for side, outputs in sides.items()
        for index, value in enumerate(outputs)
        if isinstance(value, torch.Tensor)
    }
    path = outputs_path(folder, rank)
    try:
        save_file(tensors, path)
    except Exception as error:
        raise ExecutionError(f"the outputs cannot be written to {path}: {error}") from error


def conclude(folder: Path, execution: Execution, rewrite: Rewrite, rank: int, store: Store) -> None:
    """Puts what all ranks found together, leaves it in the job's folder on every machine, and says it once.

    The ranks send it through the store, as a folder may be one of several copies. Rank 0, which may keep the store,
    goes last.

    Args:
        folder: The job.
        execution: What this rank found.
        rewrite: What was run.
        rank: Global rank.
        store: Where the ranks meet.

    Raises:
        ExecutionError: when the disk is full, for example.
    """
    others = range(1, execution.world_size)
    post(store, f"found/{rank}", to_json(execution))
    if rank == 0 or os.environ.get("LOCAL_RANK") == "0":
        found = [_decoded(fetch(store, f"found/{other}"), f"what rank {other} sent") for other in (0, *others)]
        together = replace(_together(found), rewrite=rewrite)
        write_execution(folder / EXECUTION, together)
        with suppress(OSError):
            print(together if rank == 0 else f"bucketviz: all results are in {folder / EXECUTION} too", flush=True)
    store.set(f"through/{rank}", "")
    if rank == 0:
        store.multi_get([f"through/{other}" for other in others])


def read_results(folder: Path, world_size: int) -> Execution | None:
    """Gives what the ranks left behind, as one run; ranks that left nothing are absent. None when all are.

    Raises:
        ExecutionError: for a file that is no result.
    """
    paths = [path for path in (result_path(folder, rank) for rank in range(world_size)) if path.exists()]
    found = [_read(path) for path in paths]
    if not found:
        return None
    return _together(found)


def _together(found: Sequence[Execution]) -> Execution:
    return replace(
        found[0],
        outputs=tuple(output for execution in found for output in execution.outputs),
        ranks=tuple(run for execution in found for run in execution.ranks),
    )


def _read(path: Path) -> Execution:
    try:
        return _decoded(path.read_bytes(), str(path))
    except OSError as error:
        raise ExecutionError(f"{path} cannot be read: {error}") from error


def _decoded(text: str | bytes, what: str) -> Execution:
    try:
        execution = from_json(text)
    except RecordError as error:
        raise ExecutionError(f"{what} cannot be read: {error}") from error
    if not isinstance(execution, Execution):
        raise ExecutionError(f"{what} is {type_text(execution)}, not a run")
    return execution
