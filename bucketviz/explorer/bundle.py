"""The built front end, as one ES module."""

from __future__ import annotations

from importlib.resources import files

from bucketviz.errors import ExplorerError


def bundle_text() -> str:
    """Gives the module's text.

    Raises:
        ExplorerError: when the package was installed without it.
    """
    bundle = files("bucketviz.explorer") / "static" / "widget.js"
    if not bundle.is_file():
        raise ExplorerError(
            "bucketviz/explorer/static/widget.js is missing; install bucketviz again, "
            "or build it with `npm ci && npm run build` in assets/widget"
        )
    return bundle.read_text(encoding="utf-8")
