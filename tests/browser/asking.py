"""A person asks the explorer a question: clicks and keys are counted, and there are three at most."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

MOST_ACTIONS = 3


class Asker:
    """What a person does on a page, one action each: a click, a key, a word typed where the cursor is.

    Attributes:
        page: The page with one explorer on it.
        actions: What was done so far.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.actions: list[str] = []

    def click(self, target: Locator) -> None:
        self._count(f"click {target}")
        target.click()

    def press(self, key: str) -> None:
        self._count(f"press {key}")
        self.page.keyboard.press(key)

    def write(self, text: str) -> None:
        self._count(f"write {text}")
        self.page.keyboard.insert_text(text)

    def row(self, name: str) -> Locator:
        """The decision on the collective of an FX name."""
        return self.page.locator(f'.bv-grid [role=row][title$="{name}"]')

    @property
    def inspector(self) -> Locator:
        return self.page.locator(".bv-inspector")

    def _count(self, action: str) -> None:
        self.actions.append(action)
        assert len(self.actions) <= MOST_ACTIONS, f"more than {MOST_ACTIONS} clicks and keys: {self.actions}"
