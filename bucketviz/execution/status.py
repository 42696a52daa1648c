"""What a rank is doing, in a small file of fixed size that others read while it runs, and after it died."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from threading import Lock
from typing import Any

from bucketviz.units import format_count

BLOCK_BYTES = 8192
"""Written once in full when the job is made, so that a note needs no further space: a full disk can be told of."""
_MAX_ERROR_CHARACTERS = 3000


@dataclass(frozen=True, slots=True)
class Status:
    """Where a rank is.

    Attributes:
        step: How many steps (load, meet, run, …) it has begun; 0 before it started.
        doing: The step in words.
        node: Where in the step it is, in words; empty where nobody knows.
        progress: Nodes or collectives begun in this step: of two ranks in one step the lower one is behind.
        done: Fraction of the whole job that is done.
        error: Why it failed; empty while it has not.
        is_peer_error: True when what failed is the connection to another rank.
        is_finished: True when it is through.
        is_ending: True when it was asked to end (SIGTERM).
        is_gone: True when another rank on its machine saw that its process is no more.
        pid: Its process.
        parent: The process that started it.
        machine: Where it runs, in words (``machine 1 (host)``); empty where all ranks are on one.
        exit_codes: Of the ranks that failed, by rank; only the process that starts them knows.
    """

    step: int = 0
    doing: str = ""
    node: str = ""
    progress: int = 0
    done: float = 0.0
    error: str = ""
    is_peer_error: bool = False
    is_finished: bool = False
    is_ending: bool = False
    is_gone: bool = False
    pid: int = 0
    parent: int = 0
    machine: str = ""
    exit_codes: dict[str, int] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """``running the graph before, at node ar0 (…), 3 of 12``."""
        doing = self.doing or "starting"
        return f"{doing}, {self.node}" if self.node else doing

    @property
    def on_machine(self) -> str:
        """`` on machine 1 (host)``; empty where all ranks are on one."""
        return f" on {self.machine}" if self.machine else ""

    @property
    def is_under_way(self) -> bool:
        """True when it was started, and has neither finished nor failed nor been asked to end."""
        return self.pid > 0 and not (self.is_finished or self.error or self.is_ending)

    @property
    def position(self) -> tuple[int, int]:
        """Compares ranks: who is lower is behind."""
        return self.step, self.progress


def has_vanished(status: Status) -> bool:
    """True when a rank of this machine is no more, though it had neither finished nor said why it fails."""
    if not status.pid or status.is_finished:
        return False
    try:
        os.kill(status.pid, 0)
    except ProcessLookupError:
        return True
    return False


def is_frozen(status: Status) -> bool:
    """True when a rank of this machine was stopped (SIGSTOP); Linux tells, elsewhere nobody does."""
    try:
        state = Path(f"/proc/{status.pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state in ("T", "t")


def prepare_status(path: Path) -> None:
    """Makes a status file that nothing is noted in yet."""
    path.write_bytes(bytes(BLOCK_BYTES))


def read_status(path: Path) -> Status:
    """Gives what was noted last; an empty status where nothing is, or where it is being written this moment."""
    try:
        document = json.loads(path.read_bytes().rstrip(b"\0") or b"{}")
    except (OSError, ValueError):
        return Status()
    return status_of(document)


def status_of(document: Mapping[str, Any]) -> Status:
    """Gives a status back from JSON."""
    known = {item.name for item in fields(Status)}
    return Status(**{key: value for key, value in document.items() if key in known})


class StatusNotes:
    """Notes the status of this process; several threads may."""

    def __init__(self, path: Path, num_steps: int, count: Callable[[], int], machine: str = "") -> None:
        """Takes the file, the number of steps to come, what counts the collectives started so far, and where it is."""
        self._descriptor = _opened(path)
        self._num_steps = num_steps
        self._count = count
        self._counted_from: int | None = None
        self._run = ""
        self._lock = Lock()
        self.status = Status()
        self._note(pid=os.getpid(), parent=os.getppid(), machine=machine)

    def begin(self, doing: str) -> None:
        """Notes that the next step begins."""
        self._counted_from = None
        step = self.status.step + 1
        self._note(step=step, doing=doing, node="", progress=0, done=min(1.0, (step - 1) / self._num_steps))

    def at_node(self, node: str, index: int, num_nodes: int) -> None:
        """Notes the node that runs now."""
        done = (self.status.step - 1 + index / num_nodes) / self._num_steps
        self._note(node=f"at node {node}, {index + 1} of {num_nodes}", progress=index, done=min(1.0, done))

    def at_run(self, run: str) -> None:
        """Notes a run that does not tell its nodes: from now on :meth:`tick` counts its collectives."""
        if self._counted_from is None:
            self._counted_from = self._count()
        self._run = run
        self.tick()

    def tick(self) -> None:
        """Notes how many collectives have been started in this step, where it does not tell its nodes."""
        if self._counted_from is not None:
            started = self._count() - self._counted_from
            self._note(node=f"in {self._run}, {format_count(started, 'collective')} started", progress=started)

    def fail(self, error: str, *, is_peer_error: bool) -> None:
        """Notes why this process ends; the first note stays."""
        if not self.status.error:
            self._note(error=error[:_MAX_ERROR_CHARACTERS], is_peer_error=is_peer_error)

    def asked_to_end(self) -> None:
        """Notes that this process is about to end because somebody asked it to."""
        if not self.status.is_ending:
            self._note(is_ending=True)

    def exit_codes(self, codes: dict[str, int]) -> None:
        """Notes with which codes ranks ended that this process started."""
        self._note(exit_codes=codes)

    def finish(self) -> None:
        """Notes that all is done."""
        self._counted_from = None
        self._note(doing="finished", node="", done=1.0, is_finished=True)

    def _note(self, **changes: Any) -> None:
        with self._lock:
            self.status = replace(self.status, **changes)
            text = json.dumps(asdict(self.status)).encode()
            if self._descriptor is None:
                return
            with suppress(OSError):
                os.pwrite(self._descriptor, text[:BLOCK_BYTES].ljust(BLOCK_BYTES, b"\0"), 0)


def _opened(path: Path) -> int | None:
    """Opens the file for notes; None where there can be none, as the folder cannot be written."""
    try:
        path.parent.mkdir(exist_ok=True)
        return os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
    except OSError:
        return None
