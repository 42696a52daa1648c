"""One Chromium for each test module, a fresh page for each test, and the explorers that several modules look at."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from states import write_pages
from watching import WatchedPage, launched


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = launched(playwright)
        yield chromium
        chromium.close()


@pytest.fixture
def watched(browser: Browser) -> Iterator[WatchedPage]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    yield WatchedPage(context.new_page())
    context.close()


@pytest.fixture
def page(watched: WatchedPage) -> Iterator[Page]:
    """A page on which nothing may go wrong."""
    yield watched.page
    assert watched.errors == []


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The files that the states are of, by name."""
    return write_pages(tmp_path_factory.mktemp("pages"))
