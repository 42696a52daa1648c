"""``records.Graph`` and ``Policy`` to ``Plan``: every decision with its reason. No torch here."""

from bucketviz.planning.planner import make_plan

__all__ = ["make_plan"]
