"""A lesson in a real JupyterLab: asked by click and by key, told with the reason, read and begun again from Python."""

from pathlib import Path

import pytest
from jupyter import jupyterlab, open_notebook, run_all, run_cell, write_notebook
from playwright.sync_api import expect
from watching import WatchedPage

pytestmark = [pytest.mark.browser, pytest.mark.slow]
CELLS = (
    """
import torch
import bucketviz as bv
model = torch.nn.Sequential(*(torch.nn.Linear(64, 64) for _ in range(3)))
gm = bv.capture(model, torch.ones(4, 64), world_size=4).forward
""",
    "lesson = bv.lesson(gm, cap_mib=0.02)\nlesson",
    'print("probe:", lesson.score, lesson.guesses, [each.reason.value for each in lesson.questions], lesson.step)',
    'lesson.guesses = []\nlesson.step = 0\nprint("again")',
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_notebook(tmp_path / "lesson.ipynb", CELLS)
    return tmp_path


def test_answers_by_click_and_by_key_are_known_to_python(watched: WatchedPage, folder: Path) -> None:
    page = watched.page
    verdicts = "['opened', 'joined', 'joined', 'joined', 'opened', 'joined']"
    with jupyterlab(folder) as address:
        open_notebook(page, address, "lesson.ipynb")
        run_all(page)
        lesson = page.locator(".bucketviz")
        expect(lesson).to_have_count(1, timeout=120_000)
        strip = lesson.get_by_role("group", name="Prediction")
        expect(strip).to_contain_text("predict 1 of 6")
        expect(lesson.locator(".bv-grid [role=row][title] .bv-outcome")).to_have_text(["?"] * 6)
        assert run_cell(page, 2, "probe:") == f"probe: 0 of 0 right [] {verdicts} 0"

        strip.get_by_role("button", name="opens a bucket").click()
        expect(strip).to_contain_text("Right: opened B0.")
        expect(strip).to_contain_text("all_gather_into_tensor opened B0")
        for key in ("n", "3"):
            page.keyboard.press(key)
        expect(strip).to_contain_text("Not so: joined B0.")
        expect(strip).to_contain_text("all_gather_into_tensor_1 joined B0")
        expect(strip).to_contain_text("1 of 2 right")
        assert run_cell(page, 2, "probe:") == f"probe: 1 of 2 right ['opens', 'alone'] {verdicts} 1"

        assert run_cell(page, 3, "again") == "again"
        expect(strip).to_contain_text("predict 1 of 6")
        page.locator(".bv-grid").click()
        page.keyboard.press("2")
        expect(strip).to_contain_text("1 of 1 right")
        assert run_cell(page, 2, "probe:") == f"probe: 1 of 1 right ['opens'] {verdicts} 0"
        expect(page.locator(".jp-CodeCell")).to_have_count(len(CELLS))
        assert page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    assert watched.errors == []
