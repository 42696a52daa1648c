"""The process that starts the ranks of one machine through torch's elastic launcher, and ends when its parent does.

A process of its own, so that whoever called is left alone: their signal handlers, threads, environment and files.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs, Std
from torch.distributed.elastic.multiprocessing.api import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

from bucketviz.execution.job import AGENT, read_options, status_path
from bucketviz.execution.status import StatusNotes

WORKER = "bucketviz.execution.worker"
HOST = "127.0.0.1"
_POLL_SECONDS = 0.1
_LIMIT_SECONDS = 10.0
"""From the parent's death to the end at the latest."""


def main(arguments: Sequence[str]) -> None:
    """Runs a job: ``python -m bucketviz.execution.agent JOB PORT PARENT [MODULE …]``.

    What went wrong is noted in this process's own status: the exit code of each rank that failed, or why none could
    be started. When the parent dies, the ranks are ended and the folder of the job is removed.
    """
    folder, port, parent, modules = Path(arguments[0]), int(arguments[1]), int(arguments[2]), arguments[3:]
    Thread(target=_end_with, args=(parent, folder), daemon=True).start()
    notes = StatusNotes(status_path(folder, AGENT), 1, lambda: 0)
    registering = [part for module in modules for part in ("--import", module)]
    try:
        elastic_launch(_config(folder, port), sys.executable)("-m", WORKER, str(folder), "--watched", *registering)
    except ChildFailedError as error:
        notes.exit_codes({str(rank): failure.exitcode for rank, failure in error.failures.items()})
        sys.exit(1)
    except SignalException:
        sys.exit(1)
    except Exception as error:
        notes.fail(f"{error} ({error.__cause__})" if error.__cause__ else str(error), is_peer_error=False)
        raise
    finally:
        if os.getppid() != parent:
            shutil.rmtree(folder, ignore_errors=True)


def _config(folder: Path, port: int) -> LaunchConfig:
    return LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=read_options(folder).world_size,
        run_id=folder.name,
        rdzv_backend="c10d",
        rdzv_endpoint=f"{HOST}:{port}",
        rdzv_configs={"is_host": True, "timeout": 60},
        local_addr=HOST,
        max_restarts=0,
        monitor_interval=_POLL_SECONDS,
        logs_specs=DefaultLogsSpecs(log_dir=str(folder / "logs"), redirects=Std.ALL),
    )


def _end_with(parent: int, folder: Path) -> None:
    """Ends this process, and with it the ranks, once the parent is gone."""
    while os.getppid() == parent:
        time.sleep(_POLL_SECONDS)
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:  # the launcher has begun, and ends in order
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_LIMIT_SECONDS)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
    os._exit(0)  # taking Python and torch apart takes seconds
