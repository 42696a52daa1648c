"""A notebook converted by nbconvert with its default settings, opened without a network: the explorer is there."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from jupyter import write_notebook
from playwright.sync_api import FrameLocator, expect
from samples import SAMPLES, SMALL_CAP_MIB
from watching import WatchedPage

import bucketviz as bv
from bucketviz.records import save

pytestmark = [pytest.mark.browser, pytest.mark.slow]
CELLS = ("import bucketviz as bv\nbv.explore('plan.json', title='first')", "bv.explore('plan.json', title='second')")


def convert(notebook: Path, *flags: str) -> None:
    command = [sys.executable, "-m", "nbconvert", *flags, notebook.name]
    done = subprocess.run(command, cwd=notebook.parent, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one notebook run and converted twice: with the state of its widgets, and without."""
    folder = tmp_path_factory.mktemp("converted")
    save(bv.plan(SAMPLES["over_the_cap"](), cap_mib=SMALL_CAP_MIB), folder / "plan.json")
    source = write_notebook(folder / "source.ipynb", CELLS)
    convert(source, "--to", "notebook", "--execute", "--output", "stateful.ipynb")
    run = nbformat.read(folder / "stateful.ipynb", as_version=4)
    assert run.metadata.pop("widgets"), "nbconvert keeps the state of widgets by default"
    nbformat.write(run, folder / "stateless.ipynb")
    for name in ("stateful", "stateless"):
        convert(folder / f"{name}.ipynb", "--to", "html")
    return folder


@pytest.fixture
def explorers(watched: WatchedPage, converted: Path, request: pytest.FixtureRequest) -> Iterator[list[FrameLocator]]:
    page = watched.page
    page.route(lambda url: not url.startswith("file:"), lambda route: route.abort())
    page.goto((converted / f"{request.param}.html").as_uri())
    yield [page.frame_locator("iframe[title=first]"), page.frame_locator("iframe[title=second]")]
    ours = [error for error in watched.errors if "Failed to load resource" not in error and "http" not in error]
    assert ours == []


@pytest.mark.parametrize("explorers", ["stateful", "stateless"], indirect=True)
def test_both_explorers_are_shown_and_answer_clicks(explorers: list[FrameLocator], watched: WatchedPage) -> None:
    for frame, title in zip(explorers, ("first", "second"), strict=True):
        watched.page.locator(f"iframe[title={title}]").scroll_into_view_if_needed()
        expect(frame.locator(".bv-summary")).to_contain_text(title)
    explorers[0].locator('.bv-grid [role=row][title="ag4"]').click()
    expect(explorers[0].locator(".bv-inspector")).to_contain_text("Would join at a cap of 1.5 KiB or more")
    expect(explorers[1].locator(".bv-grid [role=row][aria-selected=true]")).to_have_count(0)


@pytest.mark.parametrize("explorers", ["stateful"], indirect=True)
def test_where_frames_are_not_let_through_there_is_text(explorers: list[FrameLocator], watched: WatchedPage) -> None:
    page = watched.page
    page.locator("iframe").evaluate_all("frames => frames.forEach(frame => frame.remove())")
    page.locator("summary").first.click()
    expect(page.locator(".bucketviz-static pre").first).to_contain_text("ag4")
