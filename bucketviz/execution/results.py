"""What ranks leave behind in the folder of a job, and all of it together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from safetensors.torch import save_file

from bucketviz.errors import ExecutionError, RecordError
from bucketviz.execution.job import outputs_path, result_path
from bucketviz.files import replace_file
from bucketviz.records import Execution, from_json, to_json


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


def read_results(folder: Path, world_size: int) -> Execution | None:
    """Gives what the ranks left behind, as one run; ranks that left nothing are absent. None when all are.

    Raises:
        ExecutionError: for a file that is no result.
    """
    paths = [path for path in (result_path(folder, rank) for rank in range(world_size)) if path.exists()]
    found = [_read(path) for path in paths]
    if not found:
        return None
    return replace(
        found[0],
        outputs=tuple(output for execution in found for output in execution.outputs),
        ranks=tuple(run for execution in found for run in execution.ranks),
    )


def _read(path: Path) -> Execution:
    try:
        execution = from_json(path.read_bytes())
    except (OSError, RecordError) as error:
        raise ExecutionError(f"{path} cannot be read: {error}") from error
    if not isinstance(execution, Execution):
        raise ExecutionError(f"{path} holds a {type(execution).__name__}, not a run")
    return execution
