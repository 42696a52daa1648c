"""Stack traces as text, and which of their frames are the user's own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path, PurePath

_FRAME = re.compile(
    r'File "(?P<file>[^"]+)", line (?P<line>\d+)(?P<scope>[^\n]*)(?:\n(?![ \t]+File ")[ \t]+(?P<code>[^\n]+))?'
)
_PACKAGE = Path(__file__).parent
_MODELS = ("sources/gallery.py",)
"""Files of ours whose lines are what a reader looks for."""
_ELSEWHERE = re.compile(
    r"/(site|dist)-packages/torch/"
    r"|/(site|dist)-packages/bucketviz/(?!sources/gallery\.py$)"
    r"|/bucketviz/sources/(capture|sharding|tracing|weights)\.py$"
    r"|^<(eval_with_key|frozen )"
)
"""The same packages on the machine that a stack trace came from, and code that torch or Python made up."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a stack trace.

    Attributes:
        file: Path of the source file.
        line: Line number, from 1.
        code: That line; empty where the trace has none.
        scope: What follows the line number: ``, in forward``.
    """

    file: str
    line: int
    code: str
    scope: str

    @property
    def place(self) -> str:
        """``model.py:118``."""
        return f"{PurePath(self.file).name}:{self.line}"

    def __str__(self) -> str:
        head = f'File "{self.file}", line {self.line}{self.scope}'
        return f"{head}\n    {self.code}" if self.code else head


@lru_cache(maxsize=4096)
def user_frames(stack_trace: str) -> tuple[Frame, ...]:
    """Gives the frames outside of torch and of this package, outermost first; models of our gallery count as a user's.

    Args:
        stack_trace: As Python prints one, or any text that quotes one; no frame at all gives an empty tuple.
    """
    found = (match.groupdict() for match in _FRAME.finditer(stack_trace))
    return tuple(
        Frame(part["file"], int(part["line"]), (part["code"] or "").strip(), part["scope"].rstrip())
        for part in found
        if _is_users(part["file"])
    )


@lru_cache(maxsize=4096)
def innermost_place(stack_trace: str) -> str:
    """Gives ``model.py:118``, the innermost line of the user's code; empty when there is none."""
    frames = user_frames(stack_trace)
    return frames[-1].place if frames else ""


@lru_cache(maxsize=1)
def folders_of_torch() -> tuple[str, ...]:
    """Where torch is installed here, without importing it; nothing where it is not."""
    spec = find_spec("torch")
    return tuple(f"{Path(folder).as_posix()}/" for folder in (spec and spec.submodule_search_locations) or ())


@lru_cache(maxsize=4096)
def _is_users(file: str) -> bool:
    path = file.replace("\\", "/")
    own = f"{_PACKAGE.as_posix()}/"
    if path.startswith(own):
        return path.removeprefix(own) in _MODELS
    return not path.startswith(folders_of_torch()) and _ELSEWHERE.search(path) is None
