"""The Jupyter widget: a payload to draw, and the selection and step that both sides share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from bucketviz.errors import ExplorerError
from bucketviz.explorer.bundle import bundle_text
from bucketviz.explorer.payload import build_payload
from bucketviz.explorer.standalone import write_page
from bucketviz.records import Execution, Plan, Rewrite

THEMES = ("auto", "light", "dark")
MIN_HEIGHT = 360


class Explorer(anywidget.AnyWidget):
    """Shows rewrites as one linked picture: summary, decisions, graphs, inspector, timeline.

    Args:
        rewrites: One view for each.
        runs: For each rewrite a run of it, None where there is none; none at all by default.
        rank: Whose measured timelines are shown; of the first rank that was profiled by default.
        title: Heading; by default the graphs' names.
        theme: ``auto`` follows the page, or ``light``, ``dark``.
        height: Height of the widget in CSS pixels, at least 360.

    Attributes:
        selection: What is selected, shared with the browser: FX names of the graph before
            (``all_gather_into_tensor_3``), buckets (``B3``), or nodes only the graph after has (``after:cat_2``).
        step: Index of the decision that the stepper shows; -1 when it is off. Shared with the browser.
        view: Index of the graph that is shown. Shared with the browser.
        rewrites: The records behind the picture.

    Raises:
        ExplorerError: without a rewrite, for a rank that no run has a timeline of, or for a theme, height, selection,
            step or view that cannot be.
    """

    payload = traitlets.Unicode().tag(sync=True)
    selection = traitlets.List(traitlets.Unicode()).tag(sync=True)
    step = traitlets.Int(-1).tag(sync=True)
    view = traitlets.Int(0).tag(sync=True)
    theme = traitlets.Unicode("auto").tag(sync=True)
    height = traitlets.Int(780).tag(sync=True)

    def __init__(
        self,
        rewrites: Sequence[Rewrite],
        *,
        runs: Sequence[Execution | None] = (),
        rank: int | None = None,
        title: str = "",
        theme: str = "auto",
        height: int = 780,
    ) -> None:
        if not rewrites:
            raise ExplorerError("there is nothing to show; give at least one rewritten graph")
        self.rewrites = tuple(rewrites)
        heading = title or " and ".join(rewrite.before.name for rewrite in rewrites)
        self._document = build_payload(self.rewrites, heading, runs, rank)
        self._known = [_selectable(rewrite) for rewrite in self.rewrites]
        super().__init__(
            _esm=bundle_text(), payload=json.dumps(self._document), theme=theme, height=height, selection=[]
        )

    @property
    def rewrite(self) -> Rewrite:
        """The rewrite that is shown."""
        return self.rewrites[self.view]

    @property
    def plan(self) -> Plan:
        """The plan that is shown."""
        return self.rewrite.plan

    def to_html(self, path: str | Path) -> Path:
        """Writes one self-contained offline page with every interaction that needs no kernel; gives its path.

        Raises:
            ExplorerError: when the file cannot be written.
        """
        return write_page(self._document, path, self.theme)

    def __str__(self) -> str:
        return "\n\n".join([self._document["title"], *(view["text"] for view in self._document["views"])])

    def __repr__(self) -> str:
        summaries = "; ".join(rewrite.plan.summary().splitlines()[0] for rewrite in self.rewrites)
        return f"Explorer({summaries})"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        if data is not None:
            data["text/plain"] = str(self)
        return bundle

    @traitlets.validate("selection")
    def _check_selection(self, proposal: dict[str, Any]) -> list[str]:
        known = self._known[self.view]
        for name in proposal["value"]:
            if name not in known:
                close = ", ".join(get_close_matches(name, known, n=3, cutoff=0.4)) or "none"
                graph = self.rewrite.before.name
                raise ExplorerError(f"cannot select {name!r}: {graph} has no such node; close: {close}")
        return list(proposal["value"])

    @traitlets.validate("step")
    def _check_step(self, proposal: dict[str, Any]) -> int:
        return _checked_index("step", proposal["value"], -1, len(self.plan.decisions))

    @traitlets.validate("view")
    def _check_view(self, proposal: dict[str, Any]) -> int:
        return _checked_index("view", proposal["value"], 0, len(self.rewrites))

    @traitlets.validate("theme")
    def _check_theme(self, proposal: dict[str, Any]) -> str:
        if proposal["value"] not in THEMES:
            raise ExplorerError(f"theme={proposal['value']!r} is not known; choose one of {', '.join(THEMES)}")
        return str(proposal["value"])

    @traitlets.validate("height")
    def _check_height(self, proposal: dict[str, Any]) -> int:
        if proposal["value"] < MIN_HEIGHT:
            raise ExplorerError(f"height={proposal['value']} leaves no room; give at least {MIN_HEIGHT} CSS pixels")
        return int(proposal["value"])

    @traitlets.observe("view")
    def _keep_what_this_view_has(self, change: dict[str, Any]) -> None:
        known = self._known[self.view]
        self.selection = [name for name in self.selection if name in known]
        if self.step >= len(self.plan.decisions):
            self.step = -1


def _selectable(rewrite: Rewrite) -> set[str]:
    after = {f"after:{name}" for name in rewrite.after.position}
    return after | set(rewrite.before.position) | {bucket.label for bucket in rewrite.plan.buckets}


def _checked_index(name: str, value: int, low: int, end: int) -> int:
    if not low <= value < end:
        raise ExplorerError(f"{name}={value} is out of range; there are {end}, counted from 0")
    return value
