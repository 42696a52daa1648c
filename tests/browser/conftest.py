"""One Chromium for each test module, and a fresh page for each test."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright
from watching import WatchedPage

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def watched(browser: Browser) -> Iterator[WatchedPage]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    yield WatchedPage(context.new_page())
    context.close()
