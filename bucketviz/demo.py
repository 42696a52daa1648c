"""The main job on a model of our own: capture, plan, rewrite, prove on every rank."""

from __future__ import annotations

from dataclasses import dataclass

from bucketviz.executing import checked_backend
from bucketviz.progress import progress
from bucketviz.records import Execution, Policy, Rewrite
from bucketviz.sources import gallery
from bucketviz.sources.capture import capture
from bucketviz.verbs import bucket, execute
from bucketviz.views import rewrite_record


@dataclass(frozen=True)
class Demo:
    """What the demo found, forward first.

    Attributes:
        rewrites: Each graph before and after, with its plan.
        executions: The proof for each: every output on every rank, before against after.
    """

    rewrites: tuple[Rewrite, ...]
    executions: tuple[Execution, ...]

    @property
    def is_proven(self) -> bool:
        """True when no output changed on any rank; on real ranks, by no more than reordered sums explain."""
        return all(execution.ok for execution in self.executions)


def run_demo(num_layers: int, world_size: int, cap_mib: float, backend: str = "lockstep") -> Demo:
    """Captures a Llama-style transformer, buckets both graphs and runs all ranks before and after.

    Args:
        num_layers: Transformer layers.
        world_size: Ranks over which the parameters are sharded.
        cap_mib: Largest bucket.
        backend: What runs the ranks; see :func:`bucketviz.execute`.

    Units:
        ``cap_mib`` is in MiB (2**20 bytes).

    Raises:
        PolicyError: for a cap that is not a positive number.
        ExecutionError: for a backend that is not known or not here, and for a rank that fails.
    """
    policy = Policy(cap_mib=cap_mib)
    checked_backend(backend, None, world_size)
    model = gallery.llama(num_layers=num_layers)
    with progress("Capturing forward and backward"):
        captured = capture(model, gallery.llama_inputs(), world_size=world_size, name=f"llama-{num_layers}-layers")
    rewrites, executions = [], []
    for graph in (captured.forward, captured.backward):
        assert graph is not None, "the gallery's model has trainable parameters"
        result = bucket(graph, policy)
        executions.append(execute(result, world_size=world_size, backend=backend))
        rewrites.append(rewrite_record(result))
    return Demo(tuple(rewrites), tuple(executions))
