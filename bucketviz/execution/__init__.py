"""Running graphs over the ranks of a world, and comparing what comes out."""

from bucketviz.execution.compare import compare
from bucketviz.execution.inputs import random_inputs
from bucketviz.execution.lockstep import run_lockstep
from bucketviz.execution.verify import verify_lockstep

__all__ = ["compare", "random_inputs", "run_lockstep", "verify_lockstep"]
