"""What if it were bucketed otherwise: another plan of the view that is shown, asked for by the user or the browser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import traitlets

from bucketviz.errors import ExplorerError
from bucketviz.explorer.answering import in_pieces, problem_of
from bucketviz.explorer.changes import describe_ahead, describe_change, describe_difference, describe_new_estimate
from bucketviz.explorer.prediction import Asked
from bucketviz.explorer.selecting import carried_selection, carried_step, is_selectable
from bucketviz.explorer.shared import SharedState
from bucketviz.explorer.subject import Subject
from bucketviz.explorer.turns import one_at_a_time
from bucketviz.garbage import collection_paused
from bucketviz.records import Bucket, PlanDiff, Policy, Prediction

MOST_NODES_AT_ONCE = 1_000
"""A larger graph is planned at once; the browser draws that, and asks for the rewrite and its estimate."""
MOST_NODES_ESTIMATED_FIRST = 10_000
"""Up to so many nodes the first plan comes with its estimate; that of a larger graph follows."""


class WhatIf(SharedState):
    """Plans anew when the policy changes, holds plans against a pinned one, and tells the browser."""

    def __init__(self, subjects: Sequence[Subject], asks: Asked, **state: Any) -> None:
        policy = subjects[0].plan.policy
        self._planned = subjects[0].outlined(policy)
        held = {
            str(view): describe_difference(each.pinned, each.plan) for view, each in enumerate(subjects) if each.pinned
        }
        machine = subjects[0].machine
        super().__init__(subjects, asks, policy=policy, machine=machine, differences=held, **state)

    @property
    def prediction(self) -> Prediction | None:
        """What ``bucketviz.simulate`` gives for the rewrite that is shown on ``machine``; None without a rewrite."""
        return self.subject.predict()

    @property
    def difference(self) -> PlanDiff | None:
        """What moved from the pinned plan to the one that is shown; None where none is pinned."""
        return None if self.subject.pinned is None else self.subject.pinned.diff(self.plan)

    @one_at_a_time
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

    @one_at_a_time
    def pin(self) -> None:
        """Pins the plan that is shown: whatever is planned from now on is held against it."""
        self.subject.pinned = self.plan
        self._tell_difference()

    @one_at_a_time
    def unpin(self) -> None:
        """Compares no longer."""
        self.subject.pinned = None
        self._tell_difference()

    @traitlets.validate("policy")
    def _plan_with(self, proposal: dict[str, Any]) -> Policy:
        policy = proposal["value"]
        lie_as_they_came = policy.order == "graph"  # else only the decisions say in which order members came in
        self._planned = self.subject.outlined(policy, self._tell_ahead if lie_as_they_came else None)
        return self._planned[0].policy

    @traitlets.observe("policy")
    @collection_paused()
    def _show_planned(self, _: dict[str, Any]) -> None:
        before, now = self.subject.outline, self._planned[0]
        if now is before:
            return
        selection = carried_selection(self.selection, before, now)
        step = carried_step(self.step, before, now)
        self.subject.show(self._planned)
        with self.hold_sync():
            self.selection = [name for name in selection if is_selectable(self.subject, name)]
            self.step = step
            self.guesses = []
            self._tell_change()
            self._tell_difference()

    @traitlets.observe("machine")
    def _show_on_machine(self, change: dict[str, Any]) -> None:
        if change["new"] == self.subject.machine:
            return
        self.subject.machine = change["new"]
        self.subject.predict()
        self._tell_estimate()

    @traitlets.observe("asked")
    def _answer_browser(self, change: dict[str, Any]) -> None:
        asked = change["new"]
        answer = partial(self._answer, asked.get("id", ""))
        with self.hold_sync():
            problem = problem_of(partial(self._carry_out, asked))
            is_done = problem != "" or not asked.get("complete")
            if is_done:
                answer(problem)
        if not is_done:
            in_pieces(self._completed(self.view), answer)

    def _answer(self, question: str, problem: str) -> None:
        self.answer = {"id": question, "problem": problem}

    def _carry_out(self, asked: dict[str, Any]) -> None:
        self.view = asked.get("view", self.view)
        if "policy" in asked:
            self.replan(**asked["policy"])
        if "pin" in asked:
            (self.pin if asked["pin"] else self.unpin)()
        if asked.get("restore") and self.subject.pinned is not None:
            self.policy = self.subject.pinned.policy
        if "machine" in asked:
            self.machine = asked["machine"]

    def _completed(self, view: int) -> Iterator[None]:
        """Makes piece by piece all there is of the plan of a view, and tells it; stops where another plan came."""
        subject = self.subjects[view]
        policy = subject.outline.policy
        for make in subject.rest():
            make()
            yield
            if subject.outline.policy != policy:
                return
        change = describe_change(subject, (), is_complete=True)
        yield
        if subject.outline.policy != policy:
            return
        with self.hold_sync():
            self.changes = {**self.changes, str(view): change}
            self.estimates = {**self.estimates, str(view): describe_new_estimate(subject)}

    def _tell_change(self) -> None:
        """Tells the browser of the plan; with all there is where that is quickly made."""
        is_complete = len(self.subject.outline.graph.nodes) <= MOST_NODES_AT_ONCE
        if is_complete:
            self.subject.complete()
        text = describe_change(self.subject, self.selection, is_complete=is_complete)
        self.changes = {**self.changes, str(self.view): text}
        self._tell_estimate()

    def _tell_estimate(self) -> None:
        """Tells the browser of the estimate; where it is not made yet the browser asks for it with the rewrite."""
        self.estimates = {**self.estimates, str(self.view): describe_new_estimate(self.subject)}

    def _tell_ahead(self, buckets: Sequence[Bucket]) -> None:
        """Tells the browser of the buckets before the rest is made: it lays out the graph after in the meantime."""
        graph = self.subject.outline.graph
        if len(graph.nodes) > MOST_NODES_AT_ONCE:
            self.send({"ahead": {"view": self.view, "buckets": describe_ahead(graph, buckets)}})

    def _tell_difference(self) -> None:
        text = describe_difference(self.subject.pinned, self.subject.outline)
        self.differences = {**self.differences, str(self.view): text}
