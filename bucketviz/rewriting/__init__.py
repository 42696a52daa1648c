"""An ``fx.GraphModule`` and a ``Plan`` to a new graph: obeys the plan, chooses nothing."""

from bucketviz.rewriting.apply import Bucketed, rewrite

__all__ = ["Bucketed", "rewrite"]
