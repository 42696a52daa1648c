"""A whole training step."""

import torch
import torch.fx as fx
from graph_builder import Builder, aten

from samples.registry import sample


@sample
def fsdp_step(world_size: int = 4) -> fx.GraphModule:
    """Two layers as FSDP traces them, with module paths: gather and cast weights, reduce the gradients.

    x ---------------------------------> mm ---------> mm ->
    layers.0: w0 -> cast -> ag0 -> w ----^             |
    layers.1: w1 -> cast -> ag1 -> w ------------------^
    layers.1: mm -> double -> rs0 -> w ->
    layers.0: mm -> double -> rs1 -> w ->
    """
    b = Builder(world_size)
    x = b.input("x", 8, 16, dtype=torch.bfloat16)
    weights = [b.input(f"weight{index}", 16 // world_size, 16) for index in range(2)]
    starts = []
    for index, weight in enumerate(weights):
        b.module = f"layers.{index}"
        starts.append(b.gather(b.cast(weight, torch.bfloat16)))
    activations = [x]
    for index, start in enumerate(starts):
        b.module = f"layers.{index}"
        activations.append(b.call(aten.mm.default, activations[-1], b.wait(start)))
    scatters = []
    for index in (1, 0):
        b.module = f"layers.{index}"
        scatters.append(b.scatter(b.double(activations[index + 1]), "avg"))
    return b.finish(activations[-1], *b.waits(*scatters))
