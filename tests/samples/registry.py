"""Where samples are registered, and what several of them share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import torch.fx as fx

from bucketviz.units import MIB

Sample = Callable[..., fx.GraphModule]
SAMPLES: dict[str, Sample] = {}

SMALL_CAP_MIB = 1024 / MIB
"""1024 bytes: two of the f32[8, 4] gathers over 4 ranks (512 bytes each) fill it exactly."""


def sample(build: Sample) -> Sample:
    """Registers a sample under its function's name."""
    SAMPLES[build.__name__] = build
    return build


@cache
def shared_sample(name: str) -> fx.GraphModule:
    """The sample of that name, built once for all tests that only look at it."""
    return SAMPLES[name]()
