"""What one view is of: a graph under a plan, its rewrite, and how to make others of the same graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bucketviz.errors import ExplorerError, RewriteError
from bucketviz.records import Execution, Plan, Policy, Prediction, Rewrite


@dataclass(frozen=True)
class Maker:
    """How a graph is planned and rewritten anew; the explorer itself knows neither stage.

    Attributes:
        plan: Gives the plan under a policy.
        rewrite: Gives for a plan what ``bucketviz.bucket`` gives, and the record of it; None where the graph itself
            is not here but only its record, which can be planned but not rewritten.
    """

    plan: Callable[[Policy], Plan]
    rewrite: Callable[[Plan], tuple[Any, Rewrite]] | None = None


@dataclass
class Subject:
    """A graph as it is shown now.

    Attributes:
        plan: The plan that is shown.
        rewritten: The record of its rewrite; None until somebody asks for it, or for good without the graph itself.
        made: What ``bucketviz.bucket`` gave beside it.
        run: A run of the rewrite that was there first.
        prediction: An estimate of the rewrite that was there first.
        maker: How to plan and rewrite anew; None where nothing can be.
        pinned: The plan to compare with.
        rank: The rank whose plan this is, where those of several are shown; else None.
        name: What the view is called; the graph's name where it is empty.
        obstacle: Why the plan that is shown is not rewritten; empty where it is, or where nobody has asked yet.
    """

    plan: Plan
    rewritten: Rewrite | None = None
    made: Any = None
    run: Execution | None = None
    prediction: Prediction | None = None
    maker: Maker | None = None
    pinned: Plan | None = None
    rank: int | None = None
    name: str = ""
    obstacle: str = ""
    _first: tuple[Plan, Rewrite | None, Any, Execution | None, Prediction | None] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._first = (self.plan, self.rewritten, self.made, self.run, self.prediction)
        self.name = self.name or self.plan.graph.name
        self.obstacle = self._missing()

    @property
    def is_changed(self) -> bool:
        """True when another plan is shown than the one that was there first."""
        return self.plan is not self._first[0]

    def planned(self, policy: Policy) -> Plan:
        """Gives the plan of this graph under a policy; the one that is shown stays.

        Raises:
            ExplorerError: where nothing can be planned.
            PolicyError: for a policy that cannot be planned with.
        """
        for plan in (self.plan, self._first[0]):
            if policy == plan.policy:
                return plan
        if self.maker is None:
            raise ExplorerError(
                f"{self.plan.graph.name} cannot be planned here; bucketviz.explore(gm) gives an explorer that plans"
            )
        return self.maker.plan(policy)

    def show(self, plan: Plan) -> None:
        """Shows another plan of the graph; it is rewritten when somebody asks for that."""
        if plan is self.plan:
            return
        if plan is self._first[0]:
            self.plan, self.rewritten, self.made, self.run, self.prediction = self._first
        else:
            self.plan, self.rewritten, self.made, self.run, self.prediction = plan, None, None, None, None
        self.obstacle = self._missing()

    def rewrite(self) -> Rewrite:
        """Gives the record of the rewrite, which is made where it is not there yet.

        Raises:
            ExplorerError: where only a record is there, which cannot be rewritten.
            RewriteError: when the plan cannot be carried out.
        """
        if self.rewritten is None:
            return self._make()[1]
        return self.rewritten

    def try_to_rewrite(self) -> None:
        """Rewrites the graph, or notes the obstacle."""
        if self.obstacle:
            return
        try:
            self.rewrite()
        except RewriteError as error:
            self.obstacle = str(error)

    def result(self) -> Any:
        """Gives what ``bucketviz.bucket`` gives for the plan that is shown.

        Raises:
            ExplorerError: where only a record is there, which cannot be rewritten.
            RewriteError: when the plan cannot be carried out.
        """
        return self._make()[0] if self.made is None else self.made

    def _make(self) -> tuple[Any, Rewrite]:
        if self.maker is None or self.maker.rewrite is None:
            raise ExplorerError(_needs_graph(self.plan))
        self.made, self.rewritten = made = self.maker.rewrite(self.plan)
        self.obstacle = ""
        return made

    def _missing(self) -> str:
        has_graph = self.maker is not None and self.maker.rewrite is not None
        return "" if has_graph or self.rewritten is not None else _needs_graph(self.plan)


def _needs_graph(plan: Plan) -> str:
    return (
        f"only a record of {plan.graph.name} is here, and a rewrite needs the graph itself; "
        "explore the graph: bucketviz.explore(gm)"
    )
