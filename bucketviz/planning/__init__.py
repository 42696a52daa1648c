"""``records.Graph`` and ``Policy`` to ``Plan``: every decision with its reason. No torch here."""

from bucketviz.planning.planner import OnPacked, Outline, Planner, make_plan

__all__ = ["OnPacked", "Outline", "Planner", "make_plan"]
