"""The floors of the house: who may import whom, read from the sources."""

import ast
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "bucketviz"
STAGES = ("sources", "planning", "rewriting", "execution", "explorer", "simulation")
TORCH_FREE = (
    "errors",
    "units",
    "files",
    "frames",
    "garbage",
    "records",
    "planning",
    "explorer",
    "options",
    "predicting",
    "showing",
    "simulation",
)
ENTRY_POINTS = {"execution/worker.py": "worker"}
"""Files that stand on top, like the command line, whatever folder they are in."""
FLOORS = {
    "errors": (),
    "units": (),
    "files": ("errors",),
    "frames": (),
    "garbage": (),
    "progress": (),
    "records": ("errors", "units", "files"),
    "collectives": ("errors", "records"),
    "tensors": ("records",),
} | dict.fromkeys(
    STAGES, ("errors", "units", "files", "frames", "garbage", "progress", "records", "collectives", "tensors")
)


@cache
def _imports() -> list[tuple[str, str, str]]:
    """Lists (file, part of the package it is in, module it imports)."""
    found = []
    for file in sorted(PACKAGE.rglob("*.py")):
        path = file.relative_to(PACKAGE)
        part = ENTRY_POINTS.get(path.as_posix(), path.parts[0].removesuffix(".py"))
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                found += [(str(path), part, name.name) for name in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path} has a relative import"
                found.append((str(path), part, node.module or ""))
    return found


def test_every_part_of_the_package_has_a_floor_or_stands_on_top() -> None:
    parts = {part for _, part, _ in _imports()}
    on_top = {"__init__", "__main__", "arguments", "bucketing", "cli", "compiling", "deciding", "demo", "executing"}
    on_top |= {"options", "predicting", "reference", "showing", "subjects", "verbs", "views", *ENTRY_POINTS.values()}
    assert parts - set(FLOORS) == on_top


def test_no_part_imports_one_that_is_beside_or_above_it() -> None:
    broken = [
        f"{file} imports {module}"
        for file, part, module in _imports()
        if part in FLOORS and module.startswith("bucketviz.") and module.split(".")[1] not in (part, *FLOORS[part])
    ]
    assert broken == []


@pytest.mark.parametrize("part", TORCH_FREE)
def test_torch_is_not_imported_where_records_must_open_without_it(part: str) -> None:
    importing = [file for file, own, module in _imports() if own == part and module.split(".")[0] == "torch"]
    assert importing == []


def test_collectives_are_named_in_one_file_only() -> None:
    naming = [
        str(file.relative_to(PACKAGE))
        for file in PACKAGE.rglob("*.py")
        if any(
            isinstance(node, ast.Attribute) and node.attr in ("_c10d_functional", "c10d_functional")
            for node in ast.walk(ast.parse(file.read_text()))
        )
    ]
    assert naming == ["collectives.py"]
