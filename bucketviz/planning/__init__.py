"""``records.Graph`` and ``Policy`` to ``Plan``: every decision with its reason. No torch here."""

from bucketviz.planning.planner import Outline, Planner, make_plan

__all__ = ["Outline", "Planner", "make_plan"]
