"""Makes the pictures of the README anew: the explorer on a small Llama, light and dark, in Chromium.

pip install -e ".[test]" && python assets/images/take_pictures.py
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Playwright, sync_playwright

import bucketviz as bv

HERE = Path(__file__).parent
SIZE = {"width": 1440, "height": 900}
SELECTED = "layers.1.attention.wq"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = open_browser(playwright)
        address = llama_page(Path(folder)).as_uri()
        for scheme in ("light", "dark"):
            print(take(browser, address, scheme).name)
        browser.close()


def open_browser(playwright: Playwright) -> Browser:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("no Chromium here; install it (Debian: apt-get install chromium)")
    return playwright.chromium.launch(executable_path=chromium, args=FLAGS)


def llama_page(folder: Path) -> Path:
    """Writes the offline page of a Llama with eight layers; gives its path."""
    captured = bv.capture(bv.gallery.llama(num_layers=8), bv.gallery.llama_inputs(), world_size=8)
    return bv.explore(captured, cap_mib=4, title="llama-8-layers").to_html(folder / "page.html")


def take(browser: Browser, address: str, scheme: str) -> Path:
    """Takes one picture with a collective selected; gives its path."""
    page = browser.new_page(viewport=SIZE, color_scheme=scheme, device_scale_factor=2)
    page.goto(address)
    page.locator(f".bv-grid [role=row][title*='{SELECTED}']").first.click()
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)
    path = HERE / f"explorer-{scheme}.png"
    page.screenshot(path=path)
    page.close()
    return path


if __name__ == "__main__":
    main()
