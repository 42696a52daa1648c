"""What several test modules share: browsers that must be there, and a world of fake ranks."""

import shutil
from collections.abc import Iterator

import pytest
from tools import absent

from bucketviz.sources.fake_world import fake_world


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("browser") and shutil.which("chromium") is None:
        absent("browser", "Chromium is not installed (Debian: apt-get install chromium)")


@pytest.fixture
def world_of_four() -> Iterator[None]:
    """Four fake ranks, this process being rank 0; group '0' spans them."""
    with fake_world(4):
        yield
