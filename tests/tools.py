"""Tools that a test may need beside Python packages: Chromium and its fonts, a torch with gloo, Graphviz."""

import os
import shutil
from importlib.util import find_spec

import pytest

REQUIRED = frozenset(filter(None, os.environ.get("BUCKETVIZ_REQUIRE", "").split(",")))
"""Tools whose absence is a failure instead of a skip: ``browser``, ``fonts``, ``gloo``, ``graphviz``."""


def absent(tool: str, reason: str) -> None:
    """Skips the test for want of a tool, or fails it where the tool is required."""
    if tool in REQUIRED:
        pytest.fail(reason)
    pytest.skip(reason)


def need_dot() -> None:
    """Skips the test where nothing lays out and draws DOT."""
    if shutil.which("dot") is None and find_spec("pygraphviz") is None:
        absent("graphviz", "neither Graphviz nor pygraphviz is installed")
