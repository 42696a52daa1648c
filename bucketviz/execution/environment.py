"""Where a run is made."""

from __future__ import annotations

import os
import platform
import shlex
import socket
import subprocess
import sys
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import torch

from bucketviz.records.execution import Environment


def environment(device: torch.device) -> Environment:
    """Gives versions, the device and its driver, the date and the command."""
    is_gpu = device.type == "cuda"
    return Environment(
        torch=torch.__version__,
        device_name=torch.cuda.get_device_name(device) if is_gpu else _processor(),
        driver=_driver() if is_gpu else None,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        command=_command(sys.argv),
    )


def machine_name() -> str:
    """Gives ``machine 1 (host)`` where torchrun runs ranks on several machines; nothing where there is one."""
    if int(os.environ.get("GROUP_WORLD_SIZE", "1")) < 2:
        return ""
    return f"machine {os.environ.get('GROUP_RANK', '?')} ({socket.gethostname()})"


def _command(arguments: list[str]) -> str:
    """The command line with the program's folder left out, as it says nothing about the run."""
    return shlex.join([Path(arguments[0]).name, *arguments[1:]]) if arguments and arguments[0] else ""


@cache
def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


@cache
def _driver() -> str | None:
    """The version that nvidia-smi names; torch knows none."""
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        found = subprocess.run(query, capture_output=True, text=True, timeout=10, check=True).stdout.split()
    except (OSError, subprocess.SubprocessError):
        return None
    return found[0] if found else None
