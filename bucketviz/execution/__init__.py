"""Running graphs over the ranks of a world."""

from bucketviz.execution.lockstep import run_lockstep

__all__ = ["run_lockstep"]
