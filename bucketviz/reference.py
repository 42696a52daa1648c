"""The reference as offline pages, made by pdoc from the docstrings."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import bucketviz
from bucketviz.errors import BucketvizError
from bucketviz.files import path_of, shown_path

MODULES = (
    "bucketviz",
    "bucketviz.records",
    "bucketviz.bucketing",
    "bucketviz.errors",
    "bucketviz.explorer",
    "bucketviz.execution",
    "bucketviz.sources.gallery",
    "bucketviz.simulation",
)
"""What the reference covers: the verbs, what they give, and what can be asked for beside them."""


def write_reference(folder: str | Path) -> Path:
    """Writes the reference to a folder, a page a module; gives the page to open.

    Args:
        folder: Where to; it is made where it is not there. Pages need no network.

    Raises:
        BucketvizError: where pdoc is not installed, or the folder cannot be written.
    """
    try:
        import pdoc
    except ImportError as error:
        raise BucketvizError('the reference is made by pdoc; pip install -e ".[docs]"') from error
    _resolve_names()
    pdoc.render.configure(docformat="google", show_source=False, footer_text="bucketviz")
    try:
        target = path_of(folder)
        pdoc.pdoc(*_asked_for(), f"!(?!({'|'.join(MODULES)})$)", output_directory=target)
    except (OSError, TypeError, ValueError) as error:
        told = f"cannot write the reference to {shown_path(folder)}: {error}"
        raise BucketvizError(f"{told}; name another folder") from error
    return target / "bucketviz.html"


def _asked_for() -> list[str]:
    """The modules that pdoc does not find by itself: it follows ``bucketviz.__all__``."""
    found = {f"bucketviz.{name}" for name in bucketviz.__all__}
    return [module for module in MODULES if module not in found]


def _resolve_names() -> None:
    """Looks up what pdoc only sees once it has been: names that are imported when used, and fields of named tuples."""
    for name in bucketviz.__all__:
        vars(bucketviz).setdefault(name, getattr(bucketviz, name))
    for module in map(import_module, MODULES):
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
                value.__new__.__annotations__ = get_type_hints(value)
