"""Where a file cannot be: every way to write one names the path as it was given, and what to give."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from samples import SAMPLES
from samples_of_runs import sample_run

import bucketviz as bv
from bucketviz.errors import BucketvizError
from bucketviz.explorer import Explorer
from bucketviz.files import cannot_write, path_of, replace_file
from bucketviz.records import Plan

Write = Callable[[Any], object]


@pytest.fixture(scope="module")
def plan() -> Plan:
    return bv.plan(SAMPLES["adjacent_gathers"]())


@pytest.fixture(scope="module")
def explorer(plan: Plan) -> Explorer:
    return bv.explore(plan)


@pytest.fixture(params=["save", "run", "trace", "run trace", "timeline", "page", "csv"])
def write(request: pytest.FixtureRequest, plan: Plan, explorer: Explorer) -> Write:
    ways: dict[str, Write] = {
        "save": lambda path: bv.save(plan, path),
        "run": lambda path: sample_run().save(path),
        "trace": explorer.to_perfetto,
        "run trace": lambda path: sample_run().to_perfetto(path),
        "timeline": lambda path: sample_run().ranks[0].before.timeline.to_perfetto(path),
        "page": explorer.to_html,
        "csv": explorer.save,
    }
    return ways[request.param]


def refusal(write: Write, path: object) -> str:
    with pytest.raises(BucketvizError) as caught:
        write(path)
    return str(caught.value)


def test_a_folder_is_named_as_it_was_given(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "made.csv").mkdir()
    monkeypatch.chdir(tmp_path)
    message = refusal(write, "made.csv")
    assert message.startswith(
        "cannot write made.csv: it is a folder; name a file in a folder that exists, as in made.csv/"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["made.csv"]
    assert not list((tmp_path / "made.csv").iterdir())


@pytest.mark.parametrize("path", [".", "", Path(), "/"])
def test_where_only_a_folder_can_be_no_type_of_a_path_is_told(write: Write, path: Any) -> None:
    message = refusal(write, path)
    assert message.startswith(f"cannot write {str(path) or repr('')}: it")
    assert "PosixPath" not in message


@pytest.mark.parametrize(
    ("path", "told"), [(None, "None"), (3, "an int"), (b"a.csv", "a bytes"), (["a.csv"], "a list")], ids=str
)
def test_what_is_no_path_is_told_by_its_type(write: Write, path: Any, told: str) -> None:
    message = refusal(write, path)
    assert message.startswith(f"cannot write {path!r}: a path is a str or a pathlib.Path, not {told};")


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("absent/a.csv", "No such file or directory"),
        ("a\0.csv", "embedded null byte"),
        (f"{'a' * 300}.csv", "File name too long"),
        ("~nobody-of-that-name/a.csv", "Could not determine home directory."),
    ],
)
def test_a_path_that_cannot_be(write: Write, tmp_path: Path, path: str, why: str, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert refusal(write, path) == f"cannot write {path}: {why}; name a file in a folder that exists"
    assert not list(tmp_path.iterdir())


def test_a_device_is_left_alone() -> None:
    with pytest.raises(OSError, match="it is no regular file"):
        replace_file("/dev/null", b"")
    assert Path("/dev/null").is_char_device()


def test_a_folder_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BucketvizError) as caught:
        bv.load(tmp_path)
    assert str(caught.value) == f"cannot read {tmp_path}: it is a folder; give the path of a saved record"


def test_a_path_may_be_of_any_kind_that_opens_files(tmp_path: Path) -> None:
    assert path_of(tmp_path) == tmp_path
    assert replace_file(str(tmp_path / "a"), b"x").read_bytes() == b"x"
    assert "disk" in cannot_write("a", OSError(28, "no disk"), "b")
