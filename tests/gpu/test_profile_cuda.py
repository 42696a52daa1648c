"""A profile on a GPU: slices are the device's work, found by what launched it."""

import pytest
import torch
import torch.distributed as dist
import torch.fx as fx

from bucketviz import collectives as c
from bucketviz.execution.profile import profile

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
CUDA = torch.device("cuda", 0)


@pytest.fixture
def world_of_one():
    dist.init_process_group("nccl", rank=0, world_size=1, store=dist.HashStore(), device_id=CUDA)
    yield
    dist.destroy_process_group()


def step(x, y):
    start = c.ALL_GATHER(x, 1, "0")
    product = torch.mm(y, y)
    gathered = c.WAIT(start)
    return torch.mm(product, y), gathered


def test_slices_lie_in_the_order_in_which_the_device_worked(world_of_one):
    gm = fx.symbolic_trace(step)
    inputs = [torch.ones(1 << 22, device=CUDA), torch.ones(4096, 4096, device=CUDA)]
    gm(*inputs)
    timeline = profile(gm, inputs, device=CUDA)
    first, second = (next(item for item in timeline.slices if item.name == name) for name in ("mm", "mm_1"))
    ((_, flight),) = timeline.flights.items()
    assert 0 <= first.start < first.end <= second.start < second.end
    assert flight.start <= flight.done <= flight.end
    assert flight.wait_start <= second.start
    assert timeline.exposed_seconds <= flight.transfer_seconds


def test_a_product_takes_the_time_that_events_measure(world_of_one):
    y = torch.ones(8192, 8192, device=CUDA)
    gm = fx.symbolic_trace(lambda y: torch.mm(y, y))
    gm(y)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    gm(y)
    end.record()
    torch.cuda.synchronize()
    (product,) = profile(gm, [y], device=CUDA).slices
    assert product.end - product.start == pytest.approx(begin.elapsed_time(end) / 1000, rel=0.2)
