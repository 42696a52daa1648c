"""What if, in a real JupyterLab: controls plan in the kernel, Python's policy shows, what cannot be is refused."""

from pathlib import Path

import nbformat
import pytest
from jupyter import TOKEN, jupyterlab
from playwright.sync_api import Locator, Page, expect
from watching import WatchedPage

pytestmark = [pytest.mark.browser, pytest.mark.slow]
CELLS = (
    """
import bucketviz as bv
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
    kernel = {"name": "python3", "display_name": "Python 3"}
    cells = [nbformat.v4.new_code_cell(cell.strip()) for cell in CELLS]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), tmp_path / "whatif.ipynb")
    return tmp_path


def run_cell(page: Page, index: int) -> str:
    """Runs a cell by its place and gives what it prints."""
    cell = page.locator(".jp-CodeCell").nth(index)
    cell.locator(".jp-OutputArea-output").evaluate_all("outputs => outputs.forEach(each => each.textContent = '')")
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    output = cell.locator(".jp-OutputArea-output")
    expect(output).to_contain_text("done" if index in (1, 3) else "probe:", timeout=60_000)
    return output.inner_text().strip()


def counts(widget: Locator) -> str:
    return str(widget.locator(".bv-stats").inner_text())


def test_controls_python_and_the_pin_speak_of_one_plan(watched: WatchedPage, folder: Path) -> None:
    page = watched.page
    with jupyterlab(folder) as address:
        with page.expect_websocket(lambda socket: "/api/kernels/" in socket.url, timeout=60_000):
            page.goto(f"{address}/lab/tree/whatif.ipynb?token={TOKEN}")
        expect(page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]")).to_be_visible(timeout=60_000)
        page.locator(".jp-CodeCell").first.locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
        widget = page.locator(".bucketviz")
        expect(widget).to_have_count(1, timeout=120_000)
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
        told = run_cell(page, 2)
        assert told.startswith(f"probe: 2.0 adjacent True ['{name}']")
        expect(widget.locator(".bv-stats")).to_contain_text(f"→ {int(told.split()[-1]):,}")

        bar.get_by_label("Cap in MiB").fill("-1")
        bar.get_by_label("Cap in MiB").press("Enter")
        expect(bar.get_by_role("alert")).to_contain_text("PolicyError: cap_mib must be a positive number of MiB")
        expect(bar.get_by_label("Cap in MiB")).to_have_value("2")

        shown = counts(widget)
        assert run_cell(page, 1) == "done"
        expect(bar.get_by_label("strategy")).to_have_value("grouped")
        assert counts(widget) != shown
        slider = bar.get_by_role("slider")
        slider.focus()
        slider.press("End")
        expect(bar).to_have_attribute("aria-busy", "false")
        assert run_cell(page, 2).split()[2] == "grouped"

        strip.get_by_role("button", name="Back to pinned").click()
        expect(bar.get_by_label("Cap in MiB")).to_have_value("0.5")
        strip.get_by_role("button", name="Unpin").click()
        expect(strip).to_be_hidden()
        assert run_cell(page, 2).startswith(f"probe: 0.5 adjacent True ['{name}']")

        assert run_cell(page, 3) == "done"
        quiz = widget.get_by_role("group", name="Prediction")
        expect(quiz).to_contain_text("predict 1 of ")
        for guess in ("is left alone", "Next", "is left alone"):
            quiz.get_by_role("button", name=guess).click()
        right = str(quiz.locator(".bv-score").inner_text())
        assert run_cell(page, 4) == f"probe: True {right} 1"
        assert page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    assert watched.errors == []
