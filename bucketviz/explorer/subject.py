"""What one view is of: a graph under a plan, its rewrite, and how to make others of the same graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bucketviz.errors import ExplorerError, RewriteError
from bucketviz.explorer.turns import one_at_a_time
from bucketviz.records import Allocation, Bucket, Estimate, Execution, Graph, Plan, Policy, Prediction, Rewrite

OnPacked = Callable[[Sequence[Bucket]], None]
"""Hears of the buckets of a plan as soon as they are known."""

Outline = tuple[Plan, Callable[[], Plan]]
"""A plan whose decisions name no other caps and no differences from Inductor yet, and what gives all of it."""


class Rewriter(NamedTuple):
    """How a graph is rewritten.

    Attributes:
        rewrite: Gives for a plan what ``bucketviz.bucket`` gives.
        record: Gives the record of that.
    """

    rewrite: Callable[[Plan], Any]
    record: Callable[[Any], Rewrite]


@dataclass(frozen=True)
class Maker:
    """How a graph is planned and rewritten anew; the explorer itself knows neither stage.

    Attributes:
        outline: Gives the plan under a policy without what takes further plans, and what makes it whole; where it is
            given something that hears of the buckets, it tells these first.
        rewriter: Rewrites the graph; None where the graph itself is not here but only its record, which can be planned
            but not rewritten.
    """

    outline: Callable[[Policy, OnPacked | None], Outline]
    rewriter: Rewriter | None = None


@dataclass(frozen=True)
class Predictor:
    """How a graph is estimated; the explorer itself knows no simulation.

    Attributes:
        machines: What each machine is, by its name.
        default: Name of the machine that is taken where nobody asks for another.
        estimate: Gives the estimate of a graph on a machine.
        allocations: Gives what a graph allocates, and for how long.
    """

    machines: Mapping[str, str]
    default: str
    estimate: Callable[[Graph, str], Estimate]
    allocations: Callable[[Graph], Iterable[Allocation]]


class _Shown(NamedTuple):
    """A plan, and what there is of it."""

    outline: Plan
    rewritten: Rewrite | None = None
    made: Any = None
    run: Execution | None = None
    prediction: Prediction | None = None


@dataclass
class Subject:
    """A graph as it is shown now.

    Attributes:
        outline: The plan that is shown, as far as it is made; ``plan`` is all of it.
        rewritten: The record of its rewrite; None until somebody asks for it, or for good without the graph itself.
        made: What ``bucketviz.bucket`` gave beside it.
        run: A run of the rewrite that was there first.
        prediction: An estimate of the rewrite; None until somebody asks for it.
        maker: How to plan and rewrite anew; None where nothing can be.
        predictor: How to estimate; None where nothing can be.
        machine: Name of the machine of the estimate; by default that of a prediction, or of the policy.
        pinned: The plan to compare with.
        rank: The rank whose plan this is, where those of several are shown; else None.
        name: What the view is called; the graph's name where it is empty.
        obstacle: Why the plan that is shown is not rewritten; empty where it is, or where nobody has asked yet.
    """

    outline: Plan
    rewritten: Rewrite | None = None
    made: Any = None
    run: Execution | None = None
    prediction: Prediction | None = None
    maker: Maker | None = None
    predictor: Predictor | None = None
    machine: str = ""
    pinned: Plan | None = None
    rank: int | None = None
    name: str = ""
    obstacle: str = ""
    _finish: Callable[[], Plan] | None = field(default=None, init=False, repr=False)
    _first: _Shown = field(init=False, repr=False)
    _before: dict[str, Estimate] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._first = _Shown(self.outline, self.rewritten, self.made, self.run, self.prediction)
        self.name = self.name or self.outline.graph.name
        self.obstacle = self._missing()
        if self.prediction is not None:
            self._before[self.prediction.machine] = self.prediction.before
        self.machine = self.machine or self._first_machine()

    @property
    @one_at_a_time
    def plan(self) -> Plan:
        """The plan that is shown, made whole when first asked for."""
        if self._finish is not None:
            self.outline, self._finish = self._finish(), None
        return self.outline

    @property
    def is_whole(self) -> bool:
        """True when the outline is all of the plan."""
        return self._finish is None

    @property
    def is_changed(self) -> bool:
        """True when another plan is shown than the one that was there first."""
        return self.outline is not self._first.outline

    def outlined(self, policy: Policy, on_packed: OnPacked | None = None) -> Outline:
        """Gives the plan of this graph under a policy, in outline; the one that is shown stays.

        Args:
            policy: How to plan.
            on_packed: Hears of the buckets of a plan that is made anew, ahead of all else.

        Raises:
            ExplorerError: where nothing can be planned.
            PolicyError: for a policy that cannot be planned with.
        """
        for plan in (self.outline, self._first.outline):
            if policy == plan.policy:
                return _whole(plan)
        if self.maker is None:
            raise ExplorerError(
                f"{self.outline.graph.name} cannot be planned here; bucketviz.explore(gm) gives an explorer that plans"
            )
        return self.maker.outline(policy, on_packed)

    @one_at_a_time
    def show(self, outline: Outline) -> None:
        """Shows another plan of the graph; it is made whole, and rewritten, when somebody asks for that."""
        plan, finish = outline
        if plan is self.outline:
            return
        is_first = plan is self._first.outline
        shown = self._first if is_first else _Shown(plan)
        self.outline, self.rewritten, self.made, self.run, self.prediction = shown
        self._finish = None if is_first else finish
        self.obstacle = self._missing()

    @one_at_a_time
    def rewrite(self) -> Rewrite:
        """Gives the record of the rewrite, which is made where it is not there yet.

        Raises:
            ExplorerError: where only a record is there, which cannot be rewritten.
            RewriteError: when the plan cannot be carried out.
        """
        if self.rewritten is None:
            self.rewritten = self._rewriter().record(self.result())
        return self.rewritten

    def try_to_rewrite(self) -> None:
        """Rewrites the graph, or notes the obstacle."""
        self._try_to(self.rewrite)

    def complete(self) -> None:
        """Makes what is shown of a plan beside its first outline, as far as it can be."""
        for make in self.rest():
            make()

    def rest(self) -> tuple[Callable[[], Any], ...]:
        """What makes it, one after the other: all of the plan, its rewrite, the record and the estimate of that."""
        return lambda: self.plan, self._try_to_make, self.try_to_rewrite, self.predict

    @property
    def machines(self) -> dict[str, str]:
        """What each machine is that the graph can be estimated on, by its name."""
        given = self._first.prediction
        known = {} if self.predictor is None else dict(self.predictor.machines)
        return known if given is None or given.machine in known else {given.machine: "", **known}

    def known_machine(self, machine: str) -> str:
        """Gives the name of a machine that the graph can be estimated on.

        Raises:
            ExplorerError: for any other; it lists those that there are.
        """
        if machine != self.machine and machine not in self.machines:
            there = ", ".join(self.machines) or "none: nothing can be estimated here"
            raise ExplorerError(f"machine={machine!r} is not known; there are {there}")
        return machine

    @one_at_a_time
    def predict(self) -> Prediction | None:
        """Gives the estimate of the rewrite that is shown; None without a rewrite, or where nothing can be estimated.

        It is made where it is not there yet; the graph before is estimated once a machine.
        """
        if self.prediction is not None and self.prediction.machine == self.machine:
            return self.prediction
        if self.rewritten is None or self.predictor is None or self.machine not in self.predictor.machines:
            return None
        if self.machine not in self._before:
            self._before[self.machine] = self.predictor.estimate(self.rewritten.before, self.machine)
        after = self.predictor.estimate(self.rewritten.after, self.machine)
        self.prediction = Prediction(self.rewritten, self._before[self.machine], after)
        return self.prediction

    @one_at_a_time
    def result(self) -> Any:
        """Gives what ``bucketviz.bucket`` gives for the plan that is shown.

        Raises:
            ExplorerError: where only a record is there, which cannot be rewritten.
            RewriteError: when the plan cannot be carried out.
        """
        if self.made is None:
            self.made = self._rewriter().rewrite(self.plan)
            self.obstacle = ""
        return self.made

    def _first_machine(self) -> str:
        """That of the estimate that is there, else that whose seconds the policy counts in, else the default."""
        if self.prediction is not None:
            return self.prediction.machine
        asked = self.outline.policy.machine
        return asked if asked in self.machines else self.predictor.default if self.predictor else ""

    def _rewriter(self) -> Rewriter:
        if self.maker is None or self.maker.rewriter is None:
            raise ExplorerError(_needs_graph(self.plan))
        return self.maker.rewriter

    def _try_to_make(self) -> None:
        if self.rewritten is None:
            self._try_to(self.result)

    def _try_to(self, make: Callable[[], Any]) -> None:
        if self.obstacle:
            return
        try:
            make()
        except RewriteError as error:
            self.obstacle = str(error)

    def _missing(self) -> str:
        has_graph = self.maker is not None and self.maker.rewriter is not None
        return "" if has_graph or self.rewritten is not None else _needs_graph(self.outline)


def _whole(plan: Plan) -> Outline:
    return plan, lambda: plan


def _needs_graph(plan: Plan) -> str:
    return (
        f"only a record of {plan.graph.name} is here, and a rewrite needs the graph itself; "
        "explore the graph: bucketviz.explore(gm)"
    )
