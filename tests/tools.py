"""Tools that a test may need beside Python packages: Chromium, and a torch with gloo."""

import os

import pytest

REQUIRED = frozenset(filter(None, os.environ.get("BUCKETVIZ_REQUIRE", "").split(",")))
"""Tools whose absence is a failure instead of a skip: ``browser``, ``gloo``."""


def absent(tool: str, reason: str) -> None:
    """Skips the test for want of a tool, or fails it where the tool is required."""
    if tool in REQUIRED:
        pytest.fail(reason)
    pytest.skip(reason)
