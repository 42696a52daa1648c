"""A person saves a file with the explorer's Export menu."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

SVG = "{http://www.w3.org/2000/svg}"


def saved(page: Page, label: str, folder: Path) -> Path:
    """The file that an entry of the menu saves, under its own name in a folder."""
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=label).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path
