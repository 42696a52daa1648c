"""Random numbers a rank at a time: each rank draws from a generator of its own, in one process."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.fx as fx


class RandomState:
    """The random state of one rank, lent to torch's default generators while the rank draws."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._states: dict[torch.device, torch.Tensor] = {}

    @contextmanager
    def swapped_in(self) -> Iterator[None]:
        """Lets random ops draw this rank's numbers; the caller's generators stay as they were."""
        generators = [torch.default_generator, *torch.cuda.default_generators]
        outer = [generator.get_state() for generator in generators]
        for generator in generators:
            self._lend(generator)
        try:
            yield
        finally:
            for generator, state in zip(generators, outer, strict=True):
                self._states[generator.device] = generator.get_state()
                generator.set_state(state)

    def _lend(self, generator: torch.Generator) -> None:
        if generator.device in self._states:
            generator.set_state(self._states[generator.device])
        else:
            generator.manual_seed(self._seed)


def may_draw(node: fx.Node) -> bool:
    """True for a node that may draw random numbers: by its tag, or because nothing is known of it."""
    if isinstance(node.target, torch._ops.OpOverload):
        return torch.Tag.nondeterministic_seeded in node.target.tags
    return getattr(node.target, "__module__", "") != operator.getitem.__module__
