"""Servers of a test's own: started, waited for, and gone afterwards with everything that they started."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

START_SECONDS = 90


@contextmanager
def served(module: str, *flags: str, folder: Path, asked: str, environment: Mapping[str, str] = {}) -> Iterator[None]:
    """Runs a Python module as a server in a folder until it answers at the address ``asked``."""
    server = subprocess.Popen(
        [sys.executable, "-m", module, *flags],
        env=os.environ | environment,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait_until_it_answers(asked, server, module)
        yield
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def free_port() -> int:
    """Gives a port of this machine that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("localhost", 0))
        return int(listener.getsockname()[1])


def _wait_until_it_answers(address: str, server: subprocess.Popen[bytes], module: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise RuntimeError(f"{module} stopped with exit status {server.returncode}")
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.3)
    raise TimeoutError(f"{module} did not answer within {START_SECONDS} s")
