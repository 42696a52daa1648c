"""What a job is, part by part, in words short enough to compare between ranks that read copies of its folder."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from pathlib import Path

from bucketviz.errors import ExecutionError
from bucketviz.execution.job import JobOptions

_WHOLE_FILES = ("graph.json", "plan.json", "tensors.safetensors")
_NUM_DIGITS = 8


def fingerprint(folder: Path, options: JobOptions) -> dict[str, str]:
    """Gives options by their values and files by a digest.

    What each rank is given (``inputs-3.json``) is left out: only that rank reads it.

    Raises:
        ExecutionError: when the folder cannot be read.
    """
    parts = {name: repr(value) for name, value in asdict(options).items()}
    try:
        return parts | {name: _file(folder / name) for name in _WHOLE_FILES}
    except OSError as error:
        raise ExecutionError(f"{folder} holds a job that cannot be read: {error}; write it again") from error


def _file(path: Path) -> str:
    with path.open("rb") as file:
        return f"sha256 {hashlib.file_digest(file, 'sha256').hexdigest()[:_NUM_DIGITS]}"
