"""Files that are written whole or not at all."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def replace_file(path: str | Path, content: bytes) -> Path:
    """Writes a file and gives its path; one that is there already is replaced whole or not at all.

    Raises:
        OSError, TypeError, ValueError: when there can be no such file.
    """
    target = Path(path).expanduser()
    unfinished = target.with_name(f"{target.name}.part")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(target)
    finally:
        with suppress(OSError, ValueError):
            unfinished.unlink()
    return target
