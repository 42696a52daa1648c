"""A job run on this machine: one process a rank, started, watched and cleaned up behind."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import torch
import torch.fx as fx

from bucketviz.errors import ExecutionError
from bucketviz.execution.diagnosis import cause_of_failure, cause_of_stall, ranks_named, stall_limit
from bucketviz.execution.environment import environment
from bucketviz.execution.job import AGENT, Inputs, JobOptions, outputs_path, status_path, write_job
from bucketviz.execution.results import read_results
from bucketviz.execution.status import Status, has_vanished, read_status
from bucketviz.records import Execution, Plan

_POLL_SECONDS = 0.1
_END_SECONDS = 6.0
"""How long the ranks may take to end when they are asked to."""


def launch(
    before: fx.GraphModule,
    plan: Plan,
    options: JobOptions,
    *,
    inputs: Inputs | None = None,
    outputs: Path | None = None,
    imports: Sequence[str] = (),
    port: int = 0,
    on_progress: Callable[[float], None] | None = None,
) -> Execution:
    """Runs a graph before and after on ranks in processes of their own, and gives what they found.

    Nothing outlives the call, also where it fails or is interrupted: no process, no file in the temporary folder.

    Args:
        before: The graph.
        plan: Its plan.
        options: How to run it.
        inputs: For each rank one value a placeholder; random ones when None.
        outputs: Folder that takes what every rank returned.
        imports: Modules that every rank imports first: those that register custom ops.
        port: On which the ranks meet; 0 takes a free one.
        on_progress: Told the fraction that is done.

    Raises:
        ExecutionError: naming the rank and the cause; what the other ranks found is its ``execution``.
    """
    folder = _temporary_folder()
    try:
        write_job(folder, before, plan, options, inputs)
        with _agent(folder, port, imports) as process:
            _watch(process, folder, options, on_progress or (lambda _: None))
        execution = _found(folder, options, process.returncode, port)
        if outputs is not None:
            _take_outputs(folder, options.world_size, outputs)
        return replace(
            execution,
            environment=replace(execution.environment, command=environment(torch.device("cpu")).command),
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _temporary_folder() -> Path:
    try:
        return Path(mkdtemp(prefix="bucketviz-"))
    except OSError as error:
        raise ExecutionError(f"no temporary folder can be made for the ranks: {error}; set TMPDIR") from error


@contextmanager
def _agent(folder: Path, port: int, imports: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Starts the process that starts the ranks, in a session of its own; it has ended, and they, when this is left."""
    command = [sys.executable, "-m", "bucketviz.execution.agent", str(folder), str(port), str(os.getpid()), *imports]
    with (folder / "logs" / "agent.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=_environment(folder),
            start_new_session=True,
        )
    try:
        yield process
    finally:
        _end(process)


def _environment(folder: Path) -> dict[str, str]:
    """What the ranks inherit: the modules that can be imported here, one thread each, a place for what they leave."""
    loopback = next((name for _, name in socket.if_nameindex() if name in ("lo", "lo0")), None)
    return {
        **({"GLOO_SOCKET_IFNAME": loopback} if loopback else {}),
        "OMP_NUM_THREADS": "1",
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        **_inherited(),
        "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path),
        "PYTHONSAFEPATH": "1",
        "TMPDIR": str(folder / "tmp"),
        "TORCH_ELASTIC_SHUTDOWN_TIMEOUT": str(int(_END_SECONDS) - 1),
    }


def _inherited() -> dict[str, str]:
    """This environment, less a folder for compiled code that nobody asked for: the ranks' goes when they are done.

    Torch writes there where it keeps such code by default as soon as a graph is traced.
    """
    if "TORCHINDUCTOR_CACHE_DIR" not in os.environ:
        return dict(os.environ)
    from torch._inductor.runtime.cache_dir_utils import default_cache_dir  # to import it would make the folder

    return {
        name: value
        for name, value in os.environ.items()
        if (name, value) != ("TORCHINDUCTOR_CACHE_DIR", default_cache_dir())
    }


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the agent, which ends the ranks; killed, it takes them along (they ask the kernel for that)."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END_SECONDS)
    process.kill()
    process.wait()


def _watch(
    process: subprocess.Popen[bytes], folder: Path, options: JobOptions, on_progress: Callable[[float], None]
) -> None:
    """Waits until the agent ends.

    Raises:
        ExecutionError: when no rank gets on for too long.
    """
    last: list[Status] = []
    changed = time.monotonic()
    while process.poll() is None:
        statuses = _statuses(folder, options)
        if statuses != last:
            last, changed = statuses, time.monotonic()
            on_progress(sum(status.done for status in statuses) / len(statuses))
        limit = stall_limit(statuses, options.timeout_s)
        grace = _END_SECONDS if any(map(has_vanished, statuses)) else 0.0
        if time.monotonic() - changed > limit + grace:
            raise _error(cause_of_stall(statuses, limit), folder, options)
        time.sleep(_POLL_SECONDS)
    on_progress(1.0)


def _found(folder: Path, options: JobOptions, exit_code: int, port: int) -> Execution:
    statuses, agent = _statuses(folder, options), read_status(status_path(folder, AGENT))
    if agent.error:
        advice = f"port {port} was asked for, port=0 takes a free one" if port else "try again"
        raise _error(f"the ranks cannot be started: {agent.error}; {advice}", folder, options)
    if exit_code != 0 and agent.exit_codes:
        codes = {int(rank): code for rank, code in agent.exit_codes.items()}
        raise _error(cause_of_failure(statuses, codes), folder, options)
    if exit_code != 0:
        log = _tail(folder / "logs" / "agent.log")
        raise _error(f"the process that starts the ranks ended with code {exit_code}: {log}", folder, options)
    execution = read_results(folder, options.world_size)
    if execution is None or len(execution.ranks) != options.world_size:
        raise _error("the ranks ended without leaving all results", folder, options)
    return execution


def _error(cause: str, folder: Path, options: JobOptions) -> ExecutionError:
    with suppress(ExecutionError):
        execution = read_results(folder, options.world_size)
        if execution is not None:
            found = (
                f"What was found on {ranks_named([run.rank for run in execution.ranks])} is in the error's execution"
            )
            return ExecutionError(f"{cause}. {found}", execution)
    return ExecutionError(cause)


def _statuses(folder: Path, options: JobOptions) -> list[Status]:
    return [read_status(status_path(folder, rank)) for rank in range(options.world_size)]


def _tail(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return lines[-1] if lines else "it said nothing"


def _take_outputs(folder: Path, world_size: int, outputs: Path) -> None:
    try:
        outputs.mkdir(parents=True, exist_ok=True)
        for rank in range(world_size):
            shutil.copy(outputs_path(folder, rank), outputs)
    except OSError as error:
        raise ExecutionError(f"the outputs cannot be written to {outputs}: {error}; name another folder") from error
