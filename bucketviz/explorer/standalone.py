"""The explorer as one offline HTML file: the same bundle, its data inside, no request to anywhere."""

from __future__ import annotations

import base64
import gzip
import html
from pathlib import Path
from typing import Any

from bucketviz.errors import ExplorerError
from bucketviz.explorer.bundle import bundle_text
from bucketviz.explorer.wire import payload_text
from bucketviz.files import cannot_write, replace_file

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<link rel="icon" href="data:,">
<title>{title} · bucketviz</title>
<style>
html, body, main, #bucketviz {{ margin: 0; height: 100%; }}
h1 {{ position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
<div id="bucketviz" data-theme="{theme}"></div>
</main>
<noscript><pre>{text}</pre></noscript>
<script type="application/json" id="bucketviz-payload" data-encoding="gzip+base64">{payload}</script>
<script type="module">
{bundle}
start();
</script>
</body>
</html>
"""
_CONTENT_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"


def write_page(payload: dict[str, Any], path: str | Path, theme: str = "auto") -> Path:
    """Writes the page and gives its path; a page that is there already is replaced whole or not at all.

    Raises:
        ExplorerError: when the file cannot be written.
    """
    page = page_text(payload, theme).encode(errors="replace")
    try:
        return replace_file(path, page)
    except (OSError, TypeError, ValueError) as error:
        raise ExplorerError(cannot_write(path, error, "explorer.html")) from error


def page_text(payload: dict[str, Any], theme: str = "auto") -> str:
    """Gives the page; its content policy forbids every request."""
    packed = gzip.compress(payload_text(payload).encode(), mtime=0)
    return _PAGE.format(
        policy=_CONTENT_POLICY,
        title=html.escape(payload["title"]),
        theme=html.escape(theme),
        text=html.escape(_report(payload)),
        payload=base64.b64encode(packed).decode(),
        bundle=bundle_text(),
    )


def _report(payload: dict[str, Any]) -> str:
    if payload.get("quiz"):
        return "This page asks what the pass decides; that takes a browser that runs scripts."
    return "\n\n".join(_view_report(view) for view in payload["views"])


def _view_report(view: dict[str, Any]) -> str:
    estimated = view["estimated"]
    return str(view["text"]) if estimated is None else f"{view['text']}\n\n{estimated['text']}"
