"""What Python and the browser share of an explorer, and which values it can have."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any
from uuid import uuid4

import anywidget
import traitlets

from bucketviz.errors import ExplorerError
from bucketviz.explorer.prediction import Asked, check_guesses
from bucketviz.explorer.selecting import is_selectable, selectable
from bucketviz.explorer.subject import Subject
from bucketviz.records import Plan, Policy

THEMES = ("auto", "light", "dark")
MIN_HEIGHT = 360


class SharedState(anywidget.AnyWidget):
    """The traits of :class:`bucketviz.explorer.Explorer`, which documents them, with their checks."""

    payload = traitlets.Unicode().tag(sync=True)
    selection = traitlets.List(traitlets.Unicode()).tag(sync=True)
    step = traitlets.Int(-1).tag(sync=True)
    view = traitlets.Int(0).tag(sync=True)
    filter = traitlets.Unicode().tag(sync=True)
    policy = traitlets.Instance(Policy)
    machine = traitlets.Unicode()
    quiz = traitlets.Bool(False).tag(sync=True)
    guesses = traitlets.List(traitlets.Unicode()).tag(sync=True)
    changes = traitlets.Dict(traitlets.Unicode()).tag(sync=True)
    differences = traitlets.Dict(traitlets.Unicode()).tag(sync=True)
    estimates = traitlets.Dict(traitlets.Unicode()).tag(sync=True)
    asked = traitlets.Dict().tag(sync=True)
    answer = traitlets.Dict().tag(sync=True)
    theme = traitlets.Unicode("auto").tag(sync=True)
    height = traitlets.Int(780).tag(sync=True)
    key = traitlets.Unicode().tag(sync=True)

    def __init__(self, subjects: Sequence[Subject], asks: Asked, **state: Any) -> None:
        self.subjects = tuple(subjects)
        self._asks = asks
        super().__init__(key=uuid4().hex, **state)

    @property
    def subject(self) -> Subject:
        """The graph that is shown, with its plan."""
        return self.subjects[self.view]

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
        return _checked_index("step", proposal["value"], -1, len(self.subject.outline.decisions))

    @traitlets.validate("guesses")
    def _check_guesses(self, proposal: dict[str, Any]) -> list[str]:
        return check_guesses(self.subject.outline.graph.name, self._asks.of(self.subject.outline), proposal["value"])

    @traitlets.validate("view")
    def _check_view(self, proposal: dict[str, Any]) -> int:
        return _checked_index("view", proposal["value"], 0, len(self.subjects))

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


def _checked_index(name: str, value: int, low: int, end: int) -> int:
    if not low <= value < end:
        raise ExplorerError(f"{name}={value} is out of range; there are {end}, counted from 0")
    return value
