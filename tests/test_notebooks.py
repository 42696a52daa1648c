"""The notebooks run without a warning, show what they were committed with, and tell right answers from wrong ones."""

import re
from itertools import pairwise
from pathlib import Path

import execute
import nbformat
import pytest
from execute import code_cells
from nbformat import NotebookNode
from notebook_answers import ANSWERS

NAMES = {path.stem: path for path in execute.NOTEBOOKS}
VARIES = "varies"
"""Tag of cells whose output is measured, so that it is another one each time."""
NUM_EXERCISES = 3
UNANSWERED = "Not answered yet."


def shown(cell: NotebookNode) -> list[tuple[str, str]]:
    """What a cell shows as text; of what varies, only the kinds of output."""
    found: list[tuple[str, str]] = []
    for output in cell.outputs:
        kind = output.output_type
        text = output.get("text") or output.get("data", {}).get("text/plain", "")
        if kind == "stream" and found and found[-1][0] == kind:
            found[-1] = (kind, found[-1][1] + text)
        else:
            found.append((kind, text))
    return [(kind, "") for kind, _ in found] if VARIES in cell.metadata.get("tags", ()) else found


def test_every_notebook_has_answers_and_every_answer_a_notebook() -> None:
    assert set(ANSWERS) == set(NAMES)
    assert all(set(answers) == set(range(1, NUM_EXERCISES + 1)) for answers in ANSWERS.values())


@pytest.mark.parametrize("name", NAMES)
def test_outputs_are_those_of_this_code(name: str) -> None:
    notebook = nbformat.read(NAMES[name], as_version=4)
    assert notebook.metadata["bucketviz"]["source_sha256"] == execute.source_hash(notebook), (
        f"the code of {name} changed after it was run; run `python notebooks/execute.py {name[:2]}`"
    )


@pytest.mark.parametrize("name", NAMES)
def test_outputs_can_be_read_without_a_kernel(name: str) -> None:
    notebook = nbformat.read(NAMES[name], as_version=4)
    kinds = {kind for cell in code_cells(notebook) for output in cell.outputs for kind in output.get("data", {})}
    assert kinds <= {"text/plain", "image/png"}
    pictures = [out for cell in code_cells(notebook) for out in cell.outputs if "image/png" in out.get("data", {})]
    assert pictures, "each notebook has a picture at its centre"
    assert all(len(out.metadata["image/png"]["alt"]) > len("Plot: ") for out in pictures)
    assert "widgets" not in notebook.metadata


@pytest.mark.parametrize("name", NAMES)
def test_links_between_notebooks_lead_somewhere(name: str) -> None:
    cells = nbformat.read(NAMES[name], as_version=4).cells
    links = re.findall(r"\]\(([^)#]+)\)", "\n".join(cell.source for cell in cells if cell.cell_type == "markdown"))
    files = [link for link in links if not link.startswith("http")]
    assert [file for file in files if not (execute.HERE / file).is_file()] == []


def test_the_text_ahead_of_a_lesson_tells_its_cap() -> None:
    lessons = [
        (cap, text.source)
        for path in NAMES.values()
        for text, code in pairwise(nbformat.read(path, as_version=4).cells)
        for cap in re.findall(r"bv\.lesson\(.*\bcap_mib=([\d.]+)", code.source)
    ]
    assert lessons
    assert [cap for cap, text in lessons if f"{cap} MiB" not in text] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_it_runs_shows_what_is_committed_and_checks_answers(name: str, tmp_path: Path) -> None:
    committed = nbformat.read(NAMES[name], as_version=4)
    checks = [check for number, answers in ANSWERS[name].items() for check in checks_of(number, *answers)]
    again = execute.run(NAMES[name], checks)
    for before, after in zip(code_cells(committed), code_cells(again), strict=True):
        assert shown(after) == shown(before), f"run `python notebooks/execute.py {name[:2]}` after:\n{before.source}"
    texts = [text for cell in code_cells(again) for _, text in shown(cell)]
    assert sum(text.startswith(UNANSWERED) for text in texts) == NUM_EXERCISES


def checks_of(number: int, right: str, wrong: str) -> list[str]:
    """Code that fails unless an exercise knows a right answer from a wrong one, and from what is none."""
    verdict = f"exercises[{number}].verdict"
    return [
        f"assert {verdict}({right}).startswith('Right. '), {verdict}({right})",
        f"assert {verdict}({wrong}).startswith('Not so. '), {verdict}({wrong})",
        f"assert not {verdict}('no such thing').startswith('Right'), {verdict}('no such thing')",
    ]
