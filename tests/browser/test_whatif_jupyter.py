"""What if, in a real JupyterLab: controls plan in the kernel, Python's policy shows, what cannot be is refused."""

from pathlib import Path

import pytest
from jupyter import jupyterlab, open_notebook, run_cell, write_notebook
from playwright.sync_api import Locator, expect
from watching import WatchedPage

pytestmark = [pytest.mark.browser, pytest.mark.slow]
CELLS = (
    """
import bucketviz as bv
from bucketviz.explorer import whatif
whatif.MOST_NODES_AT_ONCE = 100  # a plan comes in steps, as those of large graphs do
captured = bv.capture(bv.gallery.llama(num_layers=2), bv.gallery.llama_inputs(), world_size=8)
explorer = bv.explore(captured.backward, cap_mib=0.5)
explorer
""",
    'explorer.policy = bv.Policy(cap_mib=1, strategy="grouped")\nprint("done")',
    """
caps, plan, after = explorer.policy.cap_mib, explorer.plan, explorer.result.after
same = plan == bv.plan(captured.backward, explorer.policy)
print("probe:", caps, explorer.policy.strategy, same, explorer.selection, len(after.graph.nodes))
""",
    'explorer.quiz = True\nprint("done")',
    'print("probe:", explorer.quiz, explorer.score, explorer.step)',
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_notebook(tmp_path / "whatif.ipynb", CELLS)
    return tmp_path


def counts(widget: Locator) -> str:
    return str(widget.locator(".bv-stats").inner_text())


def test_controls_python_and_the_pin_speak_of_one_plan(watched: WatchedPage, folder: Path) -> None:
    page = watched.page
    with jupyterlab(folder) as address:
        open_notebook(page, address, "whatif.ipynb")
        page.locator(".jp-CodeCell").first.locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
        widget = page.locator(".bucketviz")
        expect(widget).to_have_count(1, timeout=120_000)
        expect(page.locator(".bucketviz-static")).to_be_attached()
        expect(page.locator(".bucketviz-static")).to_be_hidden()
        bar, strip = widget.locator(".bv-policy-bar"), widget.get_by_role("group", name="Against the pinned plan")
        widget.locator(".bv-grid [role=row][title]").nth(4).click()
        name = str(widget.locator(".bv-grid [aria-selected=true]").get_attribute("title")).splitlines()[-1]
        bar.get_by_role("button", name="Pin").click()
        expect(strip).to_contain_text("0 of ")

        bar.get_by_label("Cap in MiB").fill("2")
        bar.get_by_label("Cap in MiB").press("Enter")
        expect(strip).to_contain_text("simulated, not compiled")
        expect(strip).to_contain_text("over cap")
        expect(bar).to_have_attribute("aria-busy", "false")
        told = run_cell(page, 2, "probe:")
        assert told.startswith(f"probe: 2.0 adjacent True ['{name}']")
        expect(widget.locator(".bv-stats")).to_contain_text(f"→ {int(told.split()[-1]):,}")

        bar.get_by_label("Cap in MiB").fill("-1")
        bar.get_by_label("Cap in MiB").press("Enter")
        expect(bar.get_by_role("alert")).to_contain_text("PolicyError: cap_mib must be a positive number of MiB")
        expect(bar.get_by_label("Cap in MiB")).to_have_value("2")

        shown = counts(widget)
        assert run_cell(page, 1, "done") == "done"
        expect(bar.get_by_label("strategy")).to_have_value("grouped")
        assert counts(widget) != shown
        slider = bar.get_by_role("slider")
        slider.focus()
        slider.press("End")
        expect(bar).to_have_attribute("aria-busy", "false")
        assert run_cell(page, 2, "probe:").split()[2] == "grouped"

        strip.get_by_role("button", name="Back to pinned").click()
        expect(bar.get_by_label("Cap in MiB")).to_have_value("0.5")
        strip.get_by_role("button", name="Unpin").click()
        expect(strip).to_be_hidden()
        assert run_cell(page, 2, "probe:").startswith(f"probe: 0.5 adjacent True ['{name}']")

        assert run_cell(page, 3, "done") == "done"
        quiz = widget.get_by_role("group", name="Prediction")
        expect(quiz).to_contain_text("predict 1 of ")
        for guess in ("is left alone", "Next", "is left alone"):
            quiz.get_by_role("button", name=guess).click()
        right = str(quiz.locator(".bv-score").inner_text())
        assert run_cell(page, 4, "probe:") == f"probe: True {right} 1"
        assert page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    assert watched.errors == []
