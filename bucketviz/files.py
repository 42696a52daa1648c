"""Files that are written whole or not at all, and what is told where that cannot be."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from bucketviz.errors import type_text


def path_of(path: object) -> Path:
    """Gives a path as the file system knows it, ``~`` resolved.

    Raises:
        TypeError: for what is no path.
        ValueError: for an empty one, which would be the current folder.
        OSError: for the home of a user that is not there.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"a path is a str or a pathlib.Path, not {type_text(path)}")
    if not os.fspath(path).strip():
        raise ValueError("it is empty")
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise OSError(str(error)) from error


def replace_file(path: str | Path, content: bytes) -> Path:
    """Writes a file and gives its path; one that is there already is replaced whole or not at all.

    Raises:
        OSError, TypeError, ValueError: when there can be no such file; :func:`cannot_write` tells it.
    """
    target = path_of(path)
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder")
    if target.exists() and not target.is_file():
        raise OSError("it is no regular file")
    unfinished = target.with_name(f"{target.name}.{token_hex(4)}.part")  # others may write the same file
    try:
        unfinished.write_bytes(content)
        unfinished.replace(target)
    finally:
        with suppress(OSError, ValueError):
            unfinished.unlink()
    return target


def cannot_write(path: object, error: Exception, example: str) -> str:
    """Gives what to tell a user whose file cannot be written: the path as it was given, why, and what to give.

    Args:
        path: As it was given.
        error: What :func:`replace_file` raised.
        example: Name of such a file.

    Example:
        >>> cannot_write("results", IsADirectoryError(), "plan.json")
        'cannot write results: it is a folder; name a file in a folder that exists, as in results/plan.json'
    """
    advice = f"{_told('write', path, error)}; name a file in a folder that exists"
    if isinstance(error, IsADirectoryError):
        return f"{advice}, as in {Path(str(path)) / example}"
    return f"{advice}, as in {example}" if isinstance(error, TypeError) else advice


def cannot_read(path: object, error: Exception) -> str:
    """Gives what to tell a user whose record cannot be read.

    Example:
        >>> cannot_read("", ValueError("it is empty"))
        "cannot read '': it is empty; give the path of a saved record"
    """
    return f"{_told('read', path, error)}; give the path of a saved record"


def shown_path(path: object) -> str:
    """Gives a path as it was given; in quotes where it would not be seen.

    Example:
        >>> shown_path("a.json"), shown_path("")
        ('a.json', "''")
    """
    return str(path) if isinstance(path, str | os.PathLike) and str(path).strip() else repr(path)


def _told(verb: str, path: object, error: Exception) -> str:
    why = getattr(error, "strerror", None) or str(error)
    return f"cannot {verb} {shown_path(path)}: {'it is a folder' if isinstance(error, IsADirectoryError) else why}"
