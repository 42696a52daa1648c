"""Makes the README's animation anew: the stepper walking over the decisions of a small Llama, in Chromium.

pip install -e ".[test]" pillow && python assets/images/animate_stepper.py
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright
from take_pictures import HERE, llama_page, open_browser

SIZE = {"width": 1280, "height": 800}
MOST_BYTES = 2_000_000
NUM_STEPS = 30
STEP_MS, LAST_MS = 450, 2500


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = open_browser(playwright)
        address = llama_page(Path(folder)).as_uri()
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport=SIZE, color_scheme=scheme)
            page.goto(address)
            animate(list(steps(page)), HERE / f"stepper-{scheme}.webp")
            page.close()
        browser.close()


def animate(frames: list[Image.Image], path: Path) -> None:
    durations = [STEP_MS] * (len(frames) - 1) + [LAST_MS]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=durations, loop=0, quality=70, method=6)
    num_bytes = path.stat().st_size
    assert num_bytes <= MOST_BYTES, f"{path.name} has {num_bytes:,} bytes, over {MOST_BYTES:,}; take fewer steps"
    print(f"{path.name}: {len(frames)} frames, {num_bytes:,} bytes")


def steps(page: Page) -> Iterator[Image.Image]:
    """Yields what is seen before the first decision and after each."""
    page.locator(".bucketviz").focus()
    for step in range(NUM_STEPS + 1):
        if step:
            page.keyboard.press("n")
        page.wait_for_timeout(400)
        yield Image.open(io.BytesIO(page.screenshot())).convert("RGB")


if __name__ == "__main__":
    main()
