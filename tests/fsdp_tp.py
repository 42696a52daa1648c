"""A Llama on a 2-D mesh: weights split over the tensor axis, each piece once more over the data axis."""

from __future__ import annotations

import torch
from torch import nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Placement, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from torch.nn.utils import parametrize

import bucketviz as bv
from bucketviz.sources.capture import Captured

DATA_RANKS, TENSOR_RANKS = 4, 2
LENGTH = 64


class Gathered(nn.Module):
    """A weight as it is read: the pieces of the data axis gathered in bf16, their gradients reduced in f32."""

    def __init__(self, tensor_mesh: DeviceMesh, placements: tuple[Placement, ...]) -> None:
        super().__init__()
        self.tensor_mesh, self.placements = tensor_mesh, placements

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        assert isinstance(weight, DTensor)
        whole = weight.redistribute(
            placements=[Replicate()], forward_dtype=torch.bfloat16, backward_dtype=torch.float32
        )
        piece = whole.to_local(grad_placements=[Partial("avg")])
        return DTensor.from_local(piece, self.tensor_mesh, self.placements, run_check=False)


def captured_llama(num_layers: int, dim: int = 2048) -> Captured:
    """Gives a training step with sequence-parallel norms, on the meta device."""
    with bv.fake_world(DATA_RANKS * TENSOR_RANKS):
        mesh = init_device_mesh("cpu", (DATA_RANKS, TENSOR_RANKS), mesh_dim_names=("data", "tensor"))
        with torch.device("meta"):
            model = bv.gallery.llama(num_layers, dim=dim, num_heads=16, num_kv_heads=4)
        split_over_tensor_axis(model, mesh["tensor"])
        split_over_data_axis(model, mesh)
        tokens = bv.gallery.llama_inputs(batch_size=2, length=LENGTH, device="meta")
        return bv.capture(
            model, tokens, parallelism=None, world_size=DATA_RANKS * TENSOR_RANKS, name=f"llama of {num_layers} layers"
        )


def split_over_tensor_axis(model: nn.Module, mesh: DeviceMesh) -> None:
    """Splits heads and hidden units; between them activations are split over the sequence."""
    whole, piece = Replicate(), Shard(1)
    block = {
        "attention_norm": SequenceParallel(),
        "attention": PrepareModuleInput(input_layouts=(piece, None), desired_input_layouts=(whole, None)),
        **{f"attention.{name}": ColwiseParallel() for name in ("wq", "wk", "wv")},
        "attention.wo": RowwiseParallel(output_layouts=piece),
        "ffn_norm": SequenceParallel(),
        "feed_forward": PrepareModuleInput(input_layouts=(piece,), desired_input_layouts=(whole,)),
        **{f"feed_forward.{name}": ColwiseParallel() for name in ("w1", "w3")},
        "feed_forward.w2": RowwiseParallel(output_layouts=piece),
    }
    around = {
        "tok_embeddings": RowwiseParallel(input_layouts=whole, output_layouts=piece),
        "norm": SequenceParallel(),
        "output": ColwiseParallel(input_layouts=piece, output_layouts=whole),
    }
    layers = {f"layers.{i}.{path}": style for i in range(len(model.layers)) for path, style in block.items()}
    parallelize_module(model, mesh, around | layers)


def split_over_data_axis(model: nn.Module, mesh: DeviceMesh) -> None:
    """Splits each rank's piece of each weight over the data axis."""
    for module in list(model.modules()):
        for name, weight in list(module.named_parameters(recurse=False)):
            assert isinstance(weight, DTensor)
            shard = distribute_tensor(weight.to_local().detach(), mesh["data"], [Shard(0)])
            module.register_parameter(name, nn.Parameter(shard))
            gathered = Gathered(mesh["tensor"], weight.placements)
            parametrize.register_parametrization(module, name, gathered, unsafe=True)
