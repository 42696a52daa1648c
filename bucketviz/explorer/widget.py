"""The Jupyter widget: a payload to draw, and what both sides share: selection, step, policy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from bucketviz.errors import ExplorerError
from bucketviz.explorer.bundle import bundle_text
from bucketviz.explorer.changes import describe_change, describe_difference
from bucketviz.explorer.payload import build_payload, report
from bucketviz.explorer.prediction import Score, check_guesses, score
from bucketviz.explorer.selecting import carried_selection, carried_step, found, is_selectable, selectable
from bucketviz.explorer.standalone import write_page
from bucketviz.explorer.subject import Subject
from bucketviz.records import Plan, PlanDiff, Policy, Rewrite

if TYPE_CHECKING:
    import graphviz
    import networkx as nx

THEMES = ("auto", "light", "dark")
MIN_HEIGHT = 360
MOST_NODES_AT_ONCE = 1_000
"""A larger graph is planned at once and rewritten when the browser has drawn that and asks for the rest."""


class Explorer(anywidget.AnyWidget):
    """Shows rewrites as one linked picture: summary, decisions, graphs, inspector, timeline.

    Args:
        subjects: One view for each.
        rank: Whose measured timelines are shown; of the first rank that was profiled by default.
        title: Heading; by default the graphs' names.
        theme: ``auto`` follows the page, or ``light``, ``dark``.
        height: Height of the widget in CSS pixels, at least 360.

    Attributes:
        selection: What is selected, shared with the browser: FX names of the graph before
            (``all_gather_into_tensor_3``), buckets (``B3``), or nodes only the graph after has (``after:cat_2``).
        step: Index of the decision that the stepper shows; -1 when it is off. Shared with the browser.
        view: Index of the graph that is shown. Shared with the browser.
        filter: What is searched for (``wq``, ``op:all_gather``, ``bytes>16M``, ``why:depends``). Shared with the
            browser's search box.
        policy: How the graph that is shown is bucketed; each view has its own. Setting it, here or with the controls
            in the browser, plans that graph anew: ``explorer.policy = bv.Policy(cap_mib=200)``.
        quiz: True while each verdict is predicted before it is shown. Shared with the browser.
        guesses: What was predicted, from the first decision on: ``joins`` the open bucket, ``opens`` one, or is left
            ``alone``. They start over with another plan or view. Shared with the browser.

    Raises:
        ExplorerError: without a subject, for a rank that no run has a timeline of, or for a theme, height, selection,
            step or view that cannot be, and for a policy where nothing can be planned.
        PolicyError: for a policy that cannot be planned with; the last one stays.
    """

    payload = traitlets.Unicode().tag(sync=True)
    selection = traitlets.List(traitlets.Unicode()).tag(sync=True)
    step = traitlets.Int(-1).tag(sync=True)
    view = traitlets.Int(0).tag(sync=True)
    filter = traitlets.Unicode().tag(sync=True)
    policy = traitlets.Instance(Policy)
    quiz = traitlets.Bool(False).tag(sync=True)
    guesses = traitlets.List(traitlets.Unicode()).tag(sync=True)
    changes = traitlets.Dict(traitlets.Unicode()).tag(sync=True)
    differences = traitlets.Dict(traitlets.Unicode()).tag(sync=True)
    asked = traitlets.Dict().tag(sync=True)
    answer = traitlets.Dict().tag(sync=True)
    theme = traitlets.Unicode("auto").tag(sync=True)
    height = traitlets.Int(780).tag(sync=True)

    def __init__(
        self,
        subjects: Sequence[Subject],
        *,
        rank: int | None = None,
        title: str = "",
        theme: str = "auto",
        height: int = 780,
    ) -> None:
        if not subjects:
            raise ExplorerError("there is nothing to show; give at least one graph")
        self.subjects = tuple(subjects)
        self._title = title or " and ".join(subject.name for subject in subjects)
        self._rank = rank
        self._complete: set[int] = set()
        self._planned = subjects[0].plan
        self._document = build_payload(subjects, self._title, rank)
        super().__init__(
            _esm=bundle_text(),
            payload=json.dumps(self._document),
            policy=self._planned.policy,
            theme=theme,
            height=height,
            selection=[],
        )

    @property
    def subject(self) -> Subject:
        """The graph that is shown, with its plan."""
        return self.subjects[self.view]

    @property
    def plan(self) -> Plan:
        """The plan that is shown."""
        return self.subject.plan

    @property
    def rewrite(self) -> Rewrite:
        """The record of the rewrite that is shown; it is made when it is not there yet.

        Raises:
            ExplorerError: where only a record is there and another plan is shown than its own.
            RewriteError: when the plan cannot be carried out.
        """
        return self.subject.rewrite()

    @property
    def rewrites(self) -> tuple[Rewrite, ...]:
        """The record of each view's rewrite, made where it is not there yet."""
        return tuple(subject.rewrite() for subject in self.subjects)

    @property
    def result(self) -> Any:
        """What ``bucketviz.bucket`` gives for the plan that is shown: graphs before and after, to execute or compile.

        Raises:
            ExplorerError: where only a record is there.
            RewriteError: when the plan cannot be carried out.
        """
        return self.subject.result()

    @property
    def difference(self) -> PlanDiff | None:
        """What moved from the pinned plan to the one that is shown; None where none is pinned."""
        return None if self.subject.pinned is None else self.subject.pinned.diff(self.plan)

    @property
    def score(self) -> Score:
        """How many of the predictions so far are right."""
        return score(self.plan, self.guesses)

    def replan(self, **options: Any) -> None:
        """Plans the graph that is shown with some fields of its policy changed: ``explorer.replan(cap_mib=200)``.

        Raises:
            PolicyError: for a policy that cannot be planned with; the last one stays.
            ExplorerError: for a field that a policy does not have, and where nothing can be planned.
        """
        unknown = ", ".join(sorted(options.keys() - Policy.__dataclass_fields__.keys()))
        if unknown:
            raise ExplorerError(f"unknown option {unknown}; a policy has {', '.join(Policy.__dataclass_fields__)}")
        self.policy = replace(self.policy, **options)

    def pin(self) -> None:
        """Pins the plan that is shown: whatever is planned from now on is held against it."""
        self.subject.pinned = self.plan
        self._tell_difference()

    def unpin(self) -> None:
        """Compares no longer."""
        self.subject.pinned = None
        self._tell_difference()

    def goto(self, name: str) -> None:
        """Selects a node, a collective or a bucket (``B3``), in the view that has it: the shown one before others.

        Raises:
            ExplorerError: when no view has it; the message names what is close.
        """
        view, reference = found(self.subjects, self.view, name)
        with self.hold_sync():
            self.view = view
            self.selection = [reference]

    def save(self, path: str | Path, **options: Any) -> Path:
        """Writes the view that is shown, as the suffix of the path says; gives the path.

        ``.svg``, ``.png`` and ``.dot`` are pictures for papers; ``.graphml`` the graph; ``.csv`` the decisions;
        ``.json`` the record, which :func:`bucketviz.explore` opens; ``.html`` what :meth:`to_html` writes.

        Args:
            path: Where to.
            options: ``side`` (``before``, the default, or ``after``) of pictures and graphs; and of pictures ``around``
                (names or buckets whose neighbourhood is drawn; by default the skeleton: collectives, and the compute
                between them folded by module), ``hops`` (how far from there, 1 by default) and ``theme``.

        Raises:
            ExplorerError: for a suffix or option that is not known, for what is too large to draw, where dot is not
                installed, and when the file cannot be written.
        """
        from bucketviz.explorer.exports.saving import save_subject, suffix_of

        if suffix_of(path, options) == ".html":
            return self.to_html(path)
        return save_subject(self.subject, path, options, self._picture_theme)

    def to_dot(
        self, side: str = "before", around: str | Sequence[str] = (), hops: int = 1, theme: str = ""
    ) -> graphviz.Digraph:
        """Gives a picture of the view that is shown for the graphviz package; the options are those of :meth:`save`.

        Raises:
            ExplorerError: for a name, a side, hops or a theme that cannot be, and for what is too large to draw.
        """
        from bucketviz.explorer.exports.saving import dot_of

        return dot_of(self.subject, side, around, hops, theme=theme or self._picture_theme)

    def to_networkx(self, side: str = "before") -> nx.DiGraph:
        """Gives the graph ``before`` or ``after``, with what was decided as attributes of its nodes.

        Raises:
            ExplorerError: for a side that is none, and for a graph after that only the graph itself could give.
        """
        from bucketviz.explorer.exports.networks import to_networkx
        from bucketviz.explorer.exports.saving import side_of

        return to_networkx(side_of(self.subject, side))

    def to_perfetto(self, path: str | Path) -> Path:
        """Writes the timelines before and after as a trace for Perfetto; gives the path.

        Measured ones where a run is shown that was profiled, else estimated ones where a prediction is shown, else
        program order.

        Raises:
            ExplorerError: when the file cannot be written.
        """
        from bucketviz.explorer.exports.traces import write_trace

        return write_trace(self.subject, path)

    def to_html(self, path: str | Path) -> Path:
        """Writes one self-contained offline page with every interaction that needs no kernel; gives its path.

        Raises:
            ExplorerError: when the file cannot be written.
        """
        document = self._document
        if any(subject.is_changed for subject in self.subjects):
            for subject in self.subjects:
                subject.try_to_rewrite()
            document = build_payload(self.subjects, self._title, self._rank)
        return write_page({**document, "quiz": self.quiz}, path, self.theme)

    @property
    def _picture_theme(self) -> str:
        return "light" if self.theme == "auto" else self.theme

    def __str__(self) -> str:
        return "\n\n".join([self._title, *(report(subject) for subject in self.subjects)])

    def __repr__(self) -> str:
        summaries = "; ".join(subject.plan.summary().splitlines()[0] for subject in self.subjects)
        return f"Explorer({summaries})"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        if data is not None:
            data["text/plain"] = str(self)
        return bundle

    @traitlets.validate("selection")
    def _check_selection(self, proposal: dict[str, Any]) -> list[str]:
        for name in proposal["value"]:
            if not is_selectable(self.subject, name):
                close = ", ".join(get_close_matches(name, selectable(self.subject), n=3, cutoff=0.4)) or "none"
                graph = self.plan.graph.name
                raise ExplorerError(f"cannot select {name!r}: {graph} has no such node; close: {close}")
        return list(proposal["value"])

    @traitlets.validate("step")
    def _check_step(self, proposal: dict[str, Any]) -> int:
        return _checked_index("step", proposal["value"], -1, len(self.plan.decisions))

    @traitlets.validate("guesses")
    def _check_guesses(self, proposal: dict[str, Any]) -> list[str]:
        return check_guesses(self.plan, proposal["value"])

    @traitlets.validate("view")
    def _check_view(self, proposal: dict[str, Any]) -> int:
        return _checked_index("view", proposal["value"], 0, len(self.subjects))

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

    @traitlets.validate("policy")
    def _plan_with(self, proposal: dict[str, Any]) -> Policy:
        self._planned = self.subject.planned(proposal["value"])
        return self._planned.policy

    @traitlets.observe("policy")
    def _show_planned(self, _: dict[str, Any]) -> None:
        before = self.plan
        if self._planned is before:
            return
        selection = carried_selection(self.selection, before, self._planned)
        step = carried_step(self.step, before, self._planned)
        self.subject.show(self._planned)
        with self.hold_sync():
            self.selection = [name for name in selection if is_selectable(self.subject, name)]
            self.step = step
            self.guesses = []
            self._complete.discard(self.view)
            self._tell_change()
            self._tell_difference()

    @traitlets.observe("view")
    def _keep_what_this_view_has(self, _: dict[str, Any]) -> None:
        self.policy = self.plan.policy
        self.guesses = []
        self.selection = [name for name in self.selection if is_selectable(self.subject, name)]
        if self.step >= len(self.plan.decisions):
            self.step = -1

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Adopts what the browser says; it may still be looking at the plan before, so what is gone is left out."""
        self.view = sync_data.pop("view", self.view)
        if "selection" in sync_data:
            sync_data["selection"] = [name for name in sync_data["selection"] if is_selectable(self.subject, name)]
        if "step" in sync_data:
            sync_data["step"] = min(sync_data["step"], len(self.plan.decisions) - 1)
        super().set_state(sync_data)

    @traitlets.observe("asked")
    def _answer_browser(self, change: dict[str, Any]) -> None:
        asked, problem = change["new"], ""
        with self.hold_sync():
            try:
                self._carry_out(asked)
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
            self.answer = {"id": asked.get("id", ""), "problem": problem}

    def _carry_out(self, asked: dict[str, Any]) -> None:
        self.view = asked.get("view", self.view)
        if "policy" in asked:
            self.replan(**asked["policy"])
        if "pin" in asked:
            (self.pin if asked["pin"] else self.unpin)()
        if asked.get("restore") and self.subject.pinned is not None:
            self.policy = self.subject.pinned.policy
        if asked.get("complete"):
            self._complete.add(self.view)
            self._tell_change()

    def _tell_change(self) -> None:
        """Tells the browser of the plan; with all there is when it was asked for or is quickly made."""
        is_complete = self.view in self._complete or len(self.plan.graph.nodes) <= MOST_NODES_AT_ONCE
        if is_complete:
            self.subject.try_to_rewrite()
        text = describe_change(self.subject, self.selection, is_complete=is_complete)
        self.changes = {**self.changes, str(self.view): text}

    def _tell_difference(self) -> None:
        text = describe_difference(self.subject.pinned, self.plan)
        self.differences = {**self.differences, str(self.view): text}


def _checked_index(name: str, value: int, low: int, end: int) -> int:
    if not low <= value < end:
        raise ExplorerError(f"{name}={value} is out of range; there are {end}, counted from 0")
    return value
