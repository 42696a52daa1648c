"""The examples in docstrings give what they claim."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "bucketviz"
WITH_EXAMPLES = [file for file in sorted(PACKAGE.rglob("*.py")) if ">>>" in file.read_text(encoding="utf-8")]


@pytest.mark.parametrize("file", WITH_EXAMPLES, ids=lambda file: file.stem)
def test_examples(file: Path) -> None:
    name = ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    failed, attempted = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert attempted > 0
    assert failed == 0
