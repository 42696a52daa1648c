"""What several test modules share: which tools must be there, and a world of fake ranks."""

import os
import shutil
from collections.abc import Iterator

import pytest

from bucketviz.sources.fake_world import fake_world

REQUIRED = frozenset(filter(None, os.environ.get("BUCKETVIZ_REQUIRE", "").split(",")))
"""Tools whose absence is a failure instead of a skip: ``browser``, ``gloo``."""


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("browser") and shutil.which("chromium") is None:
        absent("browser", "Chromium is not installed (Debian: apt-get install chromium)")


def absent(tool: str, reason: str) -> None:
    """Skips the test for want of a tool, or fails it where the tool is required."""
    if tool in REQUIRED:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def world_of_four() -> Iterator[None]:
    """Four fake ranks, this process being rank 0; group '0' spans them."""
    with fake_world(4):
        yield
