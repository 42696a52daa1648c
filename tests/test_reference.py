"""Every public name says what it is, is used in a notebook, and stands in the reference."""

import ast
import inspect
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import execute
import nbformat
import pytest
from typer.testing import CliRunner

import bucketviz as bv
from bucketviz.cli import app
from bucketviz.errors import BucketvizError
from bucketviz.reference import MODULES, write_reference

DOCUMENTED = [(name, public) for name in MODULES for public in getattr(import_module(name), "__all__", ())]


def own_members(value: type) -> Iterator[tuple[str, object]]:
    """Public methods and properties that a class defines itself."""
    for name, member in vars(value).items():
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
            yield name, member


@pytest.mark.parametrize(("module", "name"), DOCUMENTED, ids=lambda part: part)
def test_every_public_name_says_what_it_is(module: str, name: str) -> None:
    value = getattr(import_module(module), name)
    if not (isinstance(value, type | ModuleType) or callable(value)):
        return
    assert (inspect.getdoc(value) or "").strip(), f"{module}.{name} has no docstring"
    if isinstance(value, type):
        silent = [each for each, member in own_members(value) if not inspect.getdoc(member)]
        assert silent == [], f"{module}.{name}"


def names_used(notebook: Path) -> set[str]:
    """The attributes of ``bv`` that the code of a notebook reads."""
    trees = [ast.parse(cell.source) for cell in execute.code_cells(nbformat.read(notebook, as_version=4))]
    return {
        node.attr
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "bv"
    }


def test_every_name_of_the_package_is_used_in_a_notebook() -> None:
    used = set().union(*map(names_used, execute.NOTEBOOKS))
    assert set(bv.__all__) - used == set()


@pytest.mark.slow
def test_the_reference_is_made_without_a_warning_and_holds_every_name(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["docs", "--folder", str(tmp_path)])
    assert done.exit_code == 0, done.output
    opened = (tmp_path / "bucketviz.html").read_text(encoding="utf-8")
    beside = [f"{module.replace('.', '/')}.html" for module in MODULES if module != "bucketviz"]
    assert [page for page in beside if f'href="{page}' not in opened] == []
    for module in MODULES:
        page = (tmp_path / f"{module.replace('.', '/')}.html").read_text(encoding="utf-8")
        values = {name: getattr(import_module(module), name) for name in getattr(import_module(module), "__all__", ())}
        listed = [name for name, value in values.items() if not isinstance(value, ModuleType)]
        assert [name for name in listed if f'id="{name}"' not in page] == []
        assert {value.__name__ for value in values.values() if isinstance(value, ModuleType)} <= set(MODULES)


@pytest.mark.parametrize("folder", ["", " "])
def test_an_empty_folder_is_not_the_current_one(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["docs", "--folder", folder])
    assert done.exit_code == 2
    told = f"bucketviz: cannot write the reference to {folder!r}: it is empty; name another folder"
    assert " ".join(done.output.split()) == " ".join(told.split())
    assert list(tmp_path.iterdir()) == []


def test_a_reference_that_cannot_be_written_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BucketvizError, match=r"cannot write the reference to .*; name another folder"):
        write_reference(tmp_path / "file")
    monkeypatch.setitem(sys.modules, "pdoc", None)
    with pytest.raises(BucketvizError, match=r"made by pdoc; pip install -e \"\.\[docs\]\""):
        write_reference(tmp_path)
