"""Chromium as tests start it, and a page that keeps what went wrong on it and what it asked for."""

from __future__ import annotations

import shutil

from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def launched(playwright: Playwright, *flags: str) -> Browser:
    """Starts the Chromium that is installed, which asks the network for nothing of its own."""
    return playwright.chromium.launch(executable_path=shutil.which("chromium"), args=[*FLAGS, *flags])


class WatchedPage:
    """A page in Chromium.

    Attributes:
        page: The page.
        errors: Console errors and uncaught exceptions, in order.
        requests: Address of every request.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("console", self._keep_error)
        page.on("pageerror", lambda error: self.errors.append(error.stack or str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def _keep_error(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} ({message.location.get('url', '')})")
