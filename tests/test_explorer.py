"""The widget from Python's side, and the offline page as a file."""

import base64
import gzip
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import torch.fx as fx
from samples import SAMPLES, SMALL_CAP_MIB

import bucketviz as bv
from bucketviz.errors import ExplorerError
from bucketviz.explorer import Explorer
from bucketviz.explorer import bundle as bundle_module
from bucketviz.explorer.wire import read_payload


@pytest.fixture
def explorer() -> Explorer:
    return bv.explore([SAMPLES["adjacent_gathers"](), SAMPLES["over_the_cap"]()], title="two graphs")


def page_of(explorer: Explorer, folder: Path) -> str:
    return explorer.to_html(folder / "page.html").read_text(encoding="utf-8")


class Page(HTMLParser):
    """Collects the elements of a page by tag, and the text of its scripts by id."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str, str] = {}
        self._script = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._script = (dict(attrs).get("id") or "code") if tag == "script" else ""

    def handle_data(self, data: str) -> None:
        if self._script:
            self.scripts[self._script] = self.scripts.get(self._script, "") + data
            self._script = ""


def test_the_selection_takes_nodes_buckets_and_nodes_of_the_graph_after(explorer: Explorer) -> None:
    merged = explorer.rewrite.bucket_starts[0]
    for selection in (["ag0"], ["B0"], [f"after:{merged}"], ["ag1", "wait_ag1"], []):
        explorer.selection = selection
        assert explorer.selection == selection


def test_a_selection_that_does_not_exist_is_refused_and_the_old_one_kept(explorer: Explorer) -> None:
    explorer.selection = ["ag0"]
    with pytest.raises(ExplorerError, match=r"cannot select 'ag9': .* has no such node; close: ag"):
        explorer.selection = ["ag9"]
    assert explorer.selection == ["ag0"]


def test_each_view_has_its_own_names(explorer: Explorer) -> None:
    with pytest.raises(ExplorerError, match="cannot select 'ag4'"):
        explorer.selection = ["ag4"]
    explorer.view = 1
    explorer.selection = ["ag4"]
    assert explorer.plan.decision("ag4").collective == "ag4"


def test_another_view_keeps_of_selection_and_step_what_it_has(explorer: Explorer) -> None:
    explorer.view = 1
    explorer.selection, explorer.step = ["ag0", "ag4"], 4
    explorer.view = 0
    assert explorer.selection == ["ag0"]
    assert explorer.step == -1


@pytest.mark.parametrize(
    ("trait", "value"), [("step", 3), ("step", -2), ("view", 2), ("view", -1), ("theme", "sepia"), ("height", 10)]
)
def test_traits_are_checked(explorer: Explorer, trait: str, value: Any) -> None:
    before = getattr(explorer, trait)
    with pytest.raises(ExplorerError, match=trait):
        setattr(explorer, trait, value)
    assert getattr(explorer, trait) == before


def test_a_theme_is_checked_when_the_explorer_is_made() -> None:
    with pytest.raises(ExplorerError, match="theme='sepia' is not known; choose one of auto, light, dark"):
        bv.explore(SAMPLES["adjacent_gathers"](), theme="sepia")


def test_text_tells_the_same(explorer: Explorer) -> None:
    text = str(explorer)
    assert text.startswith("two graphs")
    assert all(str(rewrite.plan) in text for rewrite in explorer.rewrites)


def test_the_page_holds_the_same_document(explorer: Explorer, tmp_path: Path) -> None:
    page = Page(page_of(explorer, tmp_path))
    packed = page.scripts["bucketviz-payload"]
    assert read_payload(gzip.decompress(base64.b64decode(packed)).decode()) == read_payload(explorer.payload)


def test_the_page_asks_for_nothing(explorer: Explorer, tmp_path: Path) -> None:
    page = Page(page_of(explorer, tmp_path))
    sources = [(tag, attrs) for tag, attrs in page.tags if attrs.get("src") or attrs.get("href", "data:,") != "data:,"]
    assert sources == []
    policy = next(attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'")


def test_the_page_is_the_same_every_time(explorer: Explorer, tmp_path: Path) -> None:
    assert page_of(explorer, tmp_path) == page_of(explorer, tmp_path)


def test_names_with_markup_stay_text(tmp_path: Path) -> None:
    gm = SAMPLES["adjacent_gathers"]()
    hostile = "</script><img src=x onerror=alert(1)>"
    for node in gm.graph.nodes:
        node.meta["nn_module_stack"] = {hostile: (hostile, fx.GraphModule)}
    text = page_of(bv.explore(gm, title=hostile), tmp_path)
    assert hostile not in text
    assert len(re.findall("<img", Page(text).get_starttag_text() or "")) == 0
    assert [tag for tag, _ in Page(text).tags if tag == "img"] == []


def test_a_page_that_cannot_be_written_says_why(explorer: Explorer, tmp_path: Path) -> None:
    with pytest.raises(ExplorerError, match=r"cannot write .*No such file or directory"):
        explorer.to_html(tmp_path / "absent" / "page.html")


def test_a_missing_bundle_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bundle_module, "files", lambda package: tmp_path)
    with pytest.raises(ExplorerError, match="npm run build"):
        bv.explore(SAMPLES["adjacent_gathers"]())


def test_a_page_that_fails_leaves_the_old_one_and_nothing_else(
    explorer: Explorer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = page_of(explorer, tmp_path)

    def full(self: Path, data: bytes) -> int:
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ExplorerError, match="No space left on device"):
        explorer.to_html(tmp_path / "page.html")
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == good


def test_a_title_that_no_file_can_hold_is_written_with_a_mark(tmp_path: Path) -> None:
    assert "x?" in page_of(bv.explore(SAMPLES["adjacent_gathers"](), title="x\ud800"), tmp_path)


@pytest.mark.parametrize("path", ["", ".", "a\0b", None, "x" * 300])
def test_a_path_that_cannot_be_is_refused(explorer: Explorer, tmp_path: Path, path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExplorerError, match="name a file in a folder that exists"):
        explorer.to_html(path)
    assert list(tmp_path.iterdir()) == []


def test_a_home_folder_is_found(explorer: Explorer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert explorer.to_html("~/page.html") == tmp_path / "page.html"


def test_predictions_are_held_against_the_plan() -> None:
    explorer = bv.explore(SAMPLES["over_the_cap"](), cap_mib=SMALL_CAP_MIB)
    assert str(explorer.score) == "0 of 0 right"
    explorer.quiz = True
    explorer.set_state({"guesses": ["opens", "joins", "joins", "alone"]})
    assert explorer.score == (2, 4)
    explorer.guesses = ["opens", "joins", "opens", "joins", "alone"]
    assert explorer.score == (5, 5)
    for guesses, problem in (
        (["maybe"], "a guess of 'maybe' is not known"),
        (["alone"] * 6, "has 5 decisions to predict"),
    ):
        with pytest.raises(ExplorerError, match=problem):
            explorer.guesses = guesses
    explorer.replan(cap_mib=1)
    assert explorer.guesses == []


def test_a_page_opens_as_the_explorer_stands(explorer: Explorer, tmp_path: Path) -> None:
    explorer.quiz, explorer.step, explorer.selection, explorer.filter = True, 1, ["ag1"], "ag"
    packed = Page(page_of(explorer, tmp_path)).scripts["bucketviz-payload"]
    opens = {"view": 0, "selection": ["ag1"], "step": 1, "query": "ag"}
    document = read_payload(explorer.payload) | {"quiz": True, "opens": opens}
    assert read_payload(gzip.decompress(base64.b64decode(packed)).decode()) == document


def test_a_lesson_stands_in_front_of_its_first_question_and_keeps_score() -> None:
    lesson = bv.lesson(SAMPLES["over_the_cap"](), cap_mib=SMALL_CAP_MIB, ask_reasons="joined")
    assert lesson.quiz
    assert [(each.step, each.collective) for each in lesson.questions] == [(1, "ag1"), (3, "ag3")]
    assert (lesson.step, lesson.selection) == (1, ["ag1"])
    lesson.guesses = ["joins", "alone"]
    assert lesson.score == (1, 2)
    with pytest.raises(ExplorerError, match=r"got 3 guesses, and .* has 2 decisions to predict"):
        lesson.guesses = ["joins"] * 3
    lesson.replan(cap_mib=1)
    assert [each.collective for each in lesson.questions] == ["ag1", "ag2", "ag3", "ag4"]


def test_the_page_of_a_lesson_does_not_tell_without_scripts_what_it_asks(tmp_path: Path) -> None:
    gm = SAMPLES["over_the_cap"]()
    told = page_of(bv.explore(gm, cap_mib=SMALL_CAP_MIB), tmp_path)
    asked = page_of(bv.lesson(gm, cap_mib=SMALL_CAP_MIB), tmp_path)
    left_alone = re.compile(r"<noscript>.*left alone", re.DOTALL)
    assert left_alone.search(told.partition("<script")[0])
    assert not left_alone.search(asked.partition("<script")[0])


def test_many_views_are_counted_in_the_title() -> None:
    names = ("adjacent_gathers", "over_the_cap", "dependent_gather")
    explorer = bv.explore([SAMPLES[name]() for name in names])
    assert str(explorer).startswith(f"{explorer.subjects[0].name} and 2 more\n")


def test_a_lesson_asks_by_kind_and_from_a_step_on() -> None:
    gm = SAMPLES["run_with_another_kind_inside"]()
    assert [each.collective for each in bv.lesson(gm, ask_kinds=["all_gather"]).questions] == ["ag0", "ag1"]
    assert [each.step for each in bv.lesson(gm, ask_from=2).questions] == [2]
    both = bv.lesson([SAMPLES["adjacent_gathers"](), gm], ask_kinds="all_reduce")
    assert (both.view, both.selection) == (1, ["ar0"])


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"ask_kinds": "gather"}, "ask_kinds='gather' is not known; choose out of all_gather"),
        ({"ask_kinds": []}, r"ask_kinds=\[\] asks for nothing; choose out of all_gather, .*, or leave it out"),
        ({"ask_reasons": ()}, r"ask_reasons=\(\) asks for nothing; choose out of opened, joined"),
        ({"ask_reasons": ["joined", 3]}, "ask_reasons=3 is not known; choose out of opened, joined"),
        ({"ask_from": -1}, "ask_from takes the step of a decision, counted from 0, got -1"),
        ({"ask_from": 5}, "no decision is asked for .*5 collectives → 1.*; ask for other kinds or reasons"),
    ],
)
def test_a_lesson_that_cannot_be_says_why(asked: dict, problem: str) -> None:
    with pytest.raises(ExplorerError, match=problem):
        bv.lesson(SAMPLES["over_the_cap"](), **asked)


def test_a_lesson_about_a_graph_without_collectives_says_so() -> None:
    with pytest.raises(ExplorerError, match=r"nothing communicates here, .*; give a graph with collectives"):
        bv.lesson(SAMPLES["no_collectives"]())
