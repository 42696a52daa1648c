"""The Jupyter widget: what a user makes, looks at and saves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.display import display

from bucketviz.errors import ExplorerError
from bucketviz.explorer.bundle import bundle_text
from bucketviz.explorer.inline import MOST_PAYLOAD_BYTES, pictured_twin, static_twin
from bucketviz.explorer.payload import build_payload, report
from bucketviz.explorer.prediction import EVERYTHING, Asked, Score, score
from bucketviz.explorer.selecting import found
from bucketviz.explorer.standalone import page_text, write_page
from bucketviz.explorer.subject import Subject
from bucketviz.explorer.turns import one_at_a_time
from bucketviz.explorer.whatif import MOST_NODES_ESTIMATED_FIRST, WhatIf
from bucketviz.explorer.wire import payload_text
from bucketviz.records import Decision, Plan, Prediction, Rewrite

if TYPE_CHECKING:
    import graphviz
    import networkx as nx


class Explorer(WhatIf):
    """Shows rewrites as one linked picture: summary, decisions, graphs, inspector, timeline.

    Args:
        subjects: One view for each.
        rank: Whose measured timelines are shown; of the first rank that was profiled by default.
        title: Heading; by default the graphs' names.
        theme: ``auto`` follows the page, or ``light``, ``dark``.
        height: Height of the widget in CSS pixels, at least 360.
        machine: Which machine estimates are made for; by default that of a prediction among the subjects.
        asks: Which verdicts are predicted while ``quiz`` is on; all by default.

    Attributes:
        selection: What is selected, shared with the browser: FX names of the graph before
            (``all_gather_into_tensor_3``), buckets (``B3``), or nodes only the graph after has (``after:cat_2``).
        step: Index of the decision that the stepper shows; -1 when it is off. Shared with the browser.
        view: Index of the graph that is shown. Shared with the browser.
        filter: What is searched for (``wq``, ``op:all_gather``, ``bytes>16M``, ``why:depends``). Shared with the
            browser's search box.
        policy: How the graph that is shown is bucketed; each view has its own. Setting it, here or with the controls
            in the browser, plans that graph anew: ``explorer.policy = bv.Policy(cap_mib=200)``.
        machine: The machine that the timeline's estimated time is an estimate for, a name out of
            ``bucketviz.simulation.machine_names()``; each view has its own. Setting it, here or in the browser,
            estimates anew: ``explorer.machine = "a100-8x-ib"``.
        quiz: True while each verdict is predicted before it is shown. Shared with the browser.
        guesses: What was predicted, from the first question on: ``joins`` the open bucket, ``opens`` one, or is left
            ``alone``. They start over with another plan or view. Shared with the browser.

    Raises:
        ExplorerError: without a subject, for a rank that no run has a timeline of, or for a theme, height, selection,
            step, view or machine that cannot be, and for a policy where nothing can be planned.
        PolicyError: for a policy that cannot be planned with; the last one stays.
    """

    def __init__(
        self,
        subjects: Sequence[Subject],
        *,
        rank: int | None = None,
        title: str = "",
        theme: str = "auto",
        height: int = 780,
        machine: str = "",
        asks: Asked = EVERYTHING,
    ) -> None:
        if not subjects:
            raise ExplorerError("there is nothing to show; give at least one graph")
        if not isinstance(title, str):
            raise ExplorerError(f"title takes a str, got {title!r}")
        if rank is not None and (isinstance(rank, bool) or not isinstance(rank, int)):
            raise ExplorerError(f"rank takes a global rank, a number from 0, got {rank!r}")
        for subject in subjects:
            subject.machine = subject.known_machine(machine or subject.machine)
            if len(subject.plan.graph.nodes) <= MOST_NODES_ESTIMATED_FIRST:
                subject.predict()
        self._title = title or _named(subjects)
        self._rank = rank
        self._document = build_payload(subjects, self._title, rank, asks)
        self._drawn = _drawn_of(subjects)
        payload = payload_text(self._document)
        super().__init__(subjects, asks, _esm=bundle_text(), payload=payload, theme=theme, height=height)

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
    def questions(self) -> tuple[Decision, ...]:
        """The decisions that are predicted, in the order of the pass."""
        return self._asks.of(self.plan)

    @property
    def score(self) -> Score:
        """How many of the predictions so far are right."""
        return score(self.questions, self.guesses)

    @one_at_a_time
    def goto(self, name: str) -> None:
        """Selects a node, a collective or a bucket (``B3``), in the view that has it: the shown one before others.

        Raises:
            ExplorerError: when no view has it; the message names what is close.
        """
        view, reference = found(self.subjects, self.view, name)
        with self.hold_sync():
            self.view = view
            self.selection = [reference]

    @one_at_a_time
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

    @one_at_a_time
    def to_dot(
        self, side: str = "before", around: str | Sequence[str] = (), hops: int = 1, theme: str = ""
    ) -> graphviz.Digraph:
        """Gives a picture of the view that is shown for the graphviz package; the options are those of :meth:`save`.

        Raises:
            ExplorerError: for a name, a side, hops or a theme that cannot be, and for what is too large to draw.
        """
        from bucketviz.explorer.exports.saving import dot_of

        return dot_of(self.subject, side, around, hops, theme=theme or self._picture_theme)

    @one_at_a_time
    def to_networkx(self, side: str = "before") -> nx.DiGraph:
        """Gives the graph ``before`` or ``after``, with what was decided as attributes of its nodes.

        Raises:
            ExplorerError: for a side that is none, and for a graph after that only the graph itself could give.
        """
        from bucketviz.explorer.exports.networks import to_networkx
        from bucketviz.explorer.exports.saving import side_of

        return to_networkx(side_of(self.subject, side))

    @one_at_a_time
    def to_perfetto(self, path: str | Path) -> Path:
        """Writes the timelines before and after as a trace for Perfetto; gives the path.

        Measured ones where a run is shown that was profiled, else estimated ones where the rewrite is known, else
        program order.

        Raises:
            ExplorerError: when the file cannot be written.
        """
        from bucketviz.explorer.exports.traces import write_trace

        return write_trace(self.subject, path)

    @one_at_a_time
    def to_html(self, path: str | Path) -> Path:
        """Writes one self-contained offline page with every interaction that needs no kernel; gives its path.

        It opens as the explorer stands now: with its view, selection, step and search.

        Raises:
            ExplorerError: when the file cannot be written.
        """
        for subject in self.subjects:
            subject.complete()
        return write_page(self._current_document(), path, self.theme)

    def _current_document(self) -> dict[str, Any]:
        for subject in self.subjects:
            if subject.is_changed:
                subject.complete()
        document = self._document
        shown = _drawn_of(self.subjects)
        if any(one is not other for one, other in zip(self._drawn, shown, strict=True)):
            document = build_payload(self.subjects, self._title, self._rank, self._asks)
        opens = {"view": self.view, "selection": self.selection, "step": self.step, "query": self.filter}
        differences = {view: text for view, text in self.differences.items() if text}
        return {**document, "quiz": self.quiz, "opens": opens, "differences": differences}

    @property
    def _picture_theme(self) -> str:
        return "light" if self.theme == "auto" else self.theme

    @one_at_a_time
    def __str__(self) -> str:
        parts = (part for subject in self.subjects for part in (report(subject), subject.prediction) if part)
        return "\n\n".join(map(str, [self._title, *parts]))

    def __repr__(self) -> str:
        summaries = "; ".join(subject.plan.summary().splitlines()[0] for subject in self.subjects)
        return f"Explorer({summaries})"

    @one_at_a_time
    def _repr_html_(self) -> str:
        """What is shown where no kernel answers: the explorer as it is now, or a picture when that is too large."""
        num_bytes = len(self.payload)
        if num_bytes > MOST_PAYLOAD_BYTES:
            return pictured_twin(self.key, self.subjects, num_bytes, self._told)
        page = page_text(self._current_document(), self.theme)
        return static_twin(self.key, page, self._title, self.height, self._told)

    def _ipython_display_(self) -> None:
        """Shows the live explorer, and then what is left of it without a kernel, as an output of its own.

        In one output nbconvert takes the live one as soon as the notebook keeps the state of its widgets, and that is
        blank without a network.
        """
        live = self._repr_mimebundle_()
        assert live is not None, "an explorer has a view"
        display({**live[0], "text/plain": self._title}, metadata=live[1], raw=True)
        display({"text/html": self._repr_html_(), "text/plain": self._told}, raw=True)

    @property
    def _told(self) -> str:
        return self._title if self.quiz else str(self)  # a lesson does not tell what it asks


def _drawn_of(subjects: Sequence[Subject]) -> list[Plan | Prediction | None]:
    return [each for subject in subjects for each in (subject.plan, subject.prediction)]


def _named(subjects: Sequence[Subject]) -> str:
    names = [subject.name for subject in subjects]
    graphs = {name.split(" · ")[0] for name in names}
    if len(graphs) == 1:
        return graphs.pop()
    return " and ".join(names) if len(names) <= 2 else f"{names[0]} and {len(names) - 1} more"
