"""An op that does something bad on one rank: what tests of faults put in a graph, and have every rank import."""

import os
import resource
import signal
import sys
import time
from collections import Counter
from threading import Timer

import torch

OWN_RANK = int(os.environ.get("RANK", "-1"))
_calls: Counter[str] = Counter()


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_soon() -> None:
    """Half a second later: the rank waits for a collective by then."""
    Timer(0.5, kill).start()


def fail() -> None:
    raise ValueError("this rank has had enough")


def leave() -> None:
    os._exit(7)


def freeze() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def fill_disk() -> None:
    """No file of this process can grow beyond 8 KiB from now on."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, resource.RLIM_INFINITY))


def lose_disk() -> None:
    """Nothing can be written at all."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))


def sleep() -> None:
    time.sleep(3600)


def nap() -> None:
    time.sleep(1.5)


def _act(x: torch.Tensor, deed: str, rank: int, call: int) -> torch.Tensor:
    _calls[deed] += 1
    if rank == OWN_RANK and _calls[deed] == call:
        getattr(sys.modules[__name__], deed)()
    return x.clone()


torch.library.define("faults::act", "(Tensor x, str deed, int rank, int call) -> Tensor")
torch.library.impl("faults::act", "CompositeExplicitAutograd", _act)
torch.library.register_fake("faults::act", lambda x, deed, rank, call: torch.empty_like(x))
ACT = torch.ops.faults.act.default
