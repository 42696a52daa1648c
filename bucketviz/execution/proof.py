"""One side of a rank's run: the graph before, or the one after, run for its outputs, timed and profiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count

import torch
import torch.distributed as dist
import torch.fx as fx

from bucketviz.execution.job import JobOptions
from bucketviz.execution.measure import measure
from bucketviz.execution.ownership import may_write, own_tensors
from bucketviz.execution.profile import profile
from bucketviz.execution.status import StatusNotes
from bucketviz.execution.walk import as_outputs, walk
from bucketviz.records import Measured


class Side:
    """The graph before, or the one after, on this rank; its process groups have to exist."""

    def __init__(
        self, name: str, gm: fx.GraphModule, inputs: Sequence[object], options: JobOptions, notes: StatusNotes
    ) -> None:
        self._name = name
        self._gm = gm
        self._inputs = own_tensors(inputs, None, is_written=any(map(may_write, gm.graph.nodes)))
        self._options = options
        self._notes = notes
        self._called = _compiled(gm) if options.compile else gm

    def outputs(self, rank: int) -> tuple[object, ...]:
        """Runs it once: node by node, or as one where it is compiled.

        Raises:
            ExecutionError: naming the node that failed.
        """
        torch.manual_seed(self._options.seed + rank)
        if self._options.compile:
            self._notes.begin(f"compiling and running the graph {self._name}")
            self._notes.at_run("the first run")
            return as_outputs(self._call())
        self._notes.begin(f"running the graph {self._name}")
        num_nodes = len(self._gm.graph.nodes)
        return walk(
            self._gm,
            self._inputs,
            rank,
            lambda node, index: self._notes.at_node(f"{node.name} ({node.target})", index, num_nodes),
        )

    def measured(self, device: torch.device) -> Measured:
        """Times it, and profiles it where that is asked for; all ranks begin every run together."""
        self._notes.begin(f"timing the graph {self._name}")
        number = count(1)

        def begin_run() -> None:
            self._notes.at_run(f"run {next(number)}")
            dist.barrier()

        options = self._options
        measured = measure(
            self._call, device=device, warmup=options.warmup, repeats=options.repeats, before_each=begin_run
        )
        if not options.profile:
            return measured
        self._notes.begin(f"profiling the graph {self._name}")
        begin_run()
        return replace(measured, timeline=profile(self._gm, self._inputs, device=device))

    def _call(self) -> object:
        with torch.no_grad():
            return self._called(*self._inputs)


def _compiled(gm: fx.GraphModule) -> Callable[..., object]:
    """Gives a graph through Inductor."""
    compiled: Callable[..., object] = torch.compile(
        gm, fullgraph=True, dynamic=False, options={"fallback_random": True}
    )
    return compiled
