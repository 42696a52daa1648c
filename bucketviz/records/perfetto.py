"""Timelines as a trace that Perfetto and Holistic Trace Analysis read."""

from __future__ import annotations

from pathlib import Path

from bucketviz.records.execution import Execution


def write_execution(execution: Execution, path: str | Path) -> Path:
    """Writes the timelines of a run as a Chrome trace; gives the path."""
    raise NotImplementedError
