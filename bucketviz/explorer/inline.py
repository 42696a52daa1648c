"""What a cell keeps of an explorer for where no kernel answers: nbconvert, GitHub, an editor without widgets."""

from __future__ import annotations

import html
from collections.abc import Sequence

from bucketviz.explorer.overview import overview
from bucketviz.explorer.subject import Subject

MOST_PAYLOAD_BYTES = 3_000_000
"""Up to so many bytes of JSON the cell keeps the whole explorer; it packs them to a fifth and less."""
MOST_TEXT = 20_000

_STATIC = """<div class="bucketviz-static" data-explorer="{key}" style="font-family: system-ui, sans-serif">
<style>
:root:has([data-live-explorer="{key}"]) :is(.jp-OutputArea-child, .output_area):has(> * [data-explorer="{key}"]),
:root:has([data-live-explorer="{key}"]) .bucketviz-static[data-explorer="{key}"] {{ display: none !important; }}
</style>
{shown}
<details><summary>{summary}</summary><pre style="overflow: auto; font-size: 12px">{text}</pre></details>
</div>"""
_FRAME = """<iframe title="{title}" srcdoc="{page}" loading="lazy" sandbox="allow-scripts allow-downloads"
 style="display: block; box-sizing: border-box; width: 100%; height: {height}px; border: 0"></iframe>"""
_TOO_LARGE = """{pictures}
<p>This explorer is too large to be kept in a cell ({megabytes:.0f} MB). Run the cell to see it, or write it to a
page of its own: <code>explorer.to_html("explorer.html")</code></p>"""


def static_twin(key: str, page: str, title: str, height: int, text: str) -> str:
    """Gives HTML that shows the whole page in a frame, except where the live explorer of the same key is shown.

    Args:
        key: What the live explorer's root carries as ``data-live-explorer``.
        page: The offline page.
        title: What a screen reader calls the frame.
        height: Height of the frame in CSS pixels.
        text: The report, for hosts that let no frame through.
    """
    frame = _FRAME.format(title=html.escape(title), page=html.escape(page), height=height)
    return _static(key, frame, text)


def pictured_twin(key: str, subjects: Sequence[Subject], payload_bytes: int, text: str) -> str:
    """Gives HTML for an explorer that is too large: a picture of each graph, and how to write the page."""
    pictures = "\n".join(overview(subject) for subject in subjects)
    return _static(key, _TOO_LARGE.format(pictures=pictures, megabytes=payload_bytes / 1e6), text)


def _static(key: str, shown: str, text: str) -> str:
    cut = text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}\n… print(explorer) gives the rest"
    summary = html.escape(text.split("\n", 1)[0]) + " · as text"
    return _STATIC.format(key=key, shown=shown, summary=summary, text=html.escape(cut))
