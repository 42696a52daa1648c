"""FSDP in its simplest form, as users write it: DTensor weights that a parametrisation gathers where they are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import torch
import torch.distributed._functional_collectives as funcol
from torch import nn
from torch._functorch import config as functorch_config
from torch._inductor import config
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import Partial, Replicate, Shard, distribute_tensor
from torch.nn.utils import parametrize

NUM_LAYERS, DIM = 3, 16
NUM_GATHERS = 2 * NUM_LAYERS


class Gathered(nn.Module):
    """A weight as it is read: gathered in bf16; its gradient is reduced in f32."""

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        whole = weight.redistribute(
            placements=[Replicate()], forward_dtype=torch.bfloat16, backward_dtype=torch.float32
        )
        return whole.to_local(grad_placements=[Partial("avg")])


class Net(nn.Module):
    """Linear layers in bf16, and two numbers that every rank wants to know."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(*(nn.Linear(DIM, DIM) for _ in range(NUM_LAYERS)))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        y = self.layers(x.to(torch.bfloat16)).float()
        largest, smallest = y.detach().amax(), -y.detach().amin()
        return y, funcol.all_reduce(largest, "max", "0"), funcol.all_reduce(smallest, "max", "0")


def sharded_net(mesh: DeviceMesh) -> Net:
    """Gives the same net on every rank, its weights split over the mesh."""
    torch.manual_seed(0)
    net = Net()
    for module in list(net.modules()):
        for name, weight in list(module.named_parameters(recurse=False)):
            module.register_parameter(name, nn.Parameter(distribute_tensor(weight.data, mesh, [Shard(0)])))
            parametrize.register_parametrization(module, name, Gathered(), unsafe=True)
    return net


def light_compilation(**settings: object) -> AbstractContextManager[None]:
    """Lets Inductor compile in this process and without vector code: a test compiles in seconds."""
    return config.patch({"compile_threads": 1, "cpp.vec_isa_ok": False, **settings})


@contextmanager
def no_graph_cache() -> Iterator[None]:
    """Lets every compilation reach the pass; C++ that was compiled before is taken from its own cache."""
    with config.patch(fx_graph_cache=False), functorch_config.patch(enable_autograd_cache=False):
        yield
