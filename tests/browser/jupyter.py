"""A JupyterLab of its own: its own settings and workspace, gone afterwards with everything it started."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TOKEN = "bucketviz"
START_SECONDS = 90


@contextmanager
def jupyterlab(folder: Path) -> Iterator[str]:
    """Serves a folder and yields the address of the laboratory, without a trailing slash."""
    port = _free_port()
    settings = {name: str(folder / ".jupyter" / name) for name in ("config", "runtime", "data")}
    environment = os.environ | {f"JUPYTER_{name.upper()}_DIR": path for name, path in settings.items()}
    flags = ["--no-browser", f"--port={port}", f"--IdentityProvider.token={TOKEN}", "--allow-root"]
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *flags, str(folder)],
        env=environment | {"IPYTHONDIR": str(folder / ".ipython")},
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        address = f"http://localhost:{port}"
        _wait_until_it_answers(f"{address}/api/status?token={TOKEN}", server)
        yield address
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("localhost", 0))
        return int(listener.getsockname()[1])


def _wait_until_it_answers(address: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise RuntimeError(f"JupyterLab stopped with exit status {server.returncode}")
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.3)
    raise TimeoutError(f"JupyterLab did not answer within {START_SECONDS} s")
