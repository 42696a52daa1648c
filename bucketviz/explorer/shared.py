"""What Python and the browser share of an explorer, and which values it can have."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any
from uuid import uuid4

import anywidget
import traitlets

from bucketviz.errors import ExplorerError
from bucketviz.explorer.prediction import GUESSES, Asked, check_guesses
from bucketviz.explorer.selecting import is_selectable, selectable
from bucketviz.explorer.subject import Subject
from bucketviz.explorer.traits import Bool, Instance, Int, Names, Unicode
from bucketviz.explorer.turns import one_at_a_time
from bucketviz.records import Plan, Policy

THEMES = ("auto", "light", "dark")
MIN_HEIGHT = 360


class SharedState(anywidget.AnyWidget):
    """The traits of :class:`bucketviz.explorer.Explorer`, which documents them, with their checks."""

    payload = traitlets.Unicode().tag(sync=True)
    selection = Names(help="a list of names: FX names (ag_3), buckets (B3), after:cat_2").tag(sync=True)
    step = Int(-1, help="the index of a decision, from 0, or -1 for none").tag(sync=True)
    view = Int(0, help="the index of a view, from 0").tag(sync=True)
    filter = Unicode(help="a str to search for, such as op:all_gather; an empty one for nothing").tag(sync=True)
    policy = Instance(Policy, help="a bucketviz.Policy, such as bucketviz.Policy(cap_mib=200)")
    machine = Unicode(help="the name of a machine, one of bucketviz.simulation.machine_names()")
    quiz = Bool(False, help="True or False").tag(sync=True)
    guesses = Names(help=f"a list of guesses, each one of {', '.join(GUESSES)}").tag(sync=True)
    changes = traitlets.Dict(traitlets.Unicode()).tag(sync=True)
    differences = traitlets.Dict(traitlets.Unicode()).tag(sync=True)
    estimates = traitlets.Dict(traitlets.Unicode()).tag(sync=True)
    asked = traitlets.Dict().tag(sync=True)
    answer = traitlets.Dict().tag(sync=True)
    theme = Unicode("auto", help=f"one of {', '.join(THEMES)}").tag(sync=True)
    height = Int(780, help=f"a number of CSS pixels from {MIN_HEIGHT}").tag(sync=True)
    key = traitlets.Unicode().tag(sync=True)

    def __init__(self, subjects: Sequence[Subject], asks: Asked, **state: Any) -> None:
        self.subjects = tuple(subjects)
        self._asks = asks
        super().__init__(key=uuid4().hex, **state)

    @property
    def subject(self) -> Subject:
        """The graph that is shown, with its plan."""
        return self.subjects[int(self.view)]

    @property
    def plan(self) -> Plan:
        """The plan that is shown."""
        return self.subject.plan

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
        step, plan = proposal["value"], self.subject.outline
        if not -1 <= step < len(plan.decisions):
            there = f"there are {len(plan.decisions)} decisions" if len(plan.decisions) != 1 else "there is 1 decision"
            raise ExplorerError(
                f"step={step} is out of range; {there} in {plan.graph.name}, counted from 0; -1 is none"
            )
        return int(step)

    @traitlets.validate("guesses")
    def _check_guesses(self, proposal: dict[str, Any]) -> list[str]:
        plan, guesses = self.subject.outline, list(proposal["value"])
        return check_guesses(plan.graph.name, self._asks.of(plan), guesses) if guesses else guesses

    @traitlets.validate("view")
    def _check_view(self, proposal: dict[str, Any]) -> int:
        view, num_views = proposal["value"], len(self.subjects)
        if not 0 <= view < num_views:
            there = f"there are {num_views} views" if num_views != 1 else "there is 1 view"
            raise ExplorerError(f"view={view} is out of range; {there}, counted from 0")
        return int(view)

    @traitlets.validate("machine")
    def _check_machine(self, proposal: dict[str, Any]) -> str:
        return self.subject.known_machine(proposal["value"])

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
    def _keep_what_this_view_has(self, _: dict[str, Any]) -> None:
        self.policy = self.subject.outline.policy
        self.machine = self.subject.machine
        self.guesses = []
        self.selection = [name for name in self.selection if is_selectable(self.subject, name)]
        if self.step >= len(self.subject.outline.decisions):
            self.step = -1

    @one_at_a_time
    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)

    @one_at_a_time
    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Adopts what the browser says; it may still be looking at the plan before, so what is gone is left out."""
        self.view = sync_data.get("view", self.view)
        plan, said = self.subject.outline, dict(sync_data)
        if "selection" in said:
            said["selection"] = [name for name in said["selection"] if is_selectable(self.subject, name)]
        if "step" in said:
            said["step"] = min(said["step"], len(plan.decisions) - 1)
        if "guesses" in said:
            said["guesses"] = said["guesses"][: len(self._asks.of(plan))]
        super().set_state(said)
