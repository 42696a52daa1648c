"""One run of a rank's graph under torch.profiler, as a timeline of its nodes."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.fx as fx

from bucketviz.records.timeline import Timeline


def profile(gm: fx.GraphModule, inputs: Sequence[object], *, device: torch.device) -> Timeline:
    """Gives the timeline of one run of a rank's graph, in seconds."""
    raise NotImplementedError
