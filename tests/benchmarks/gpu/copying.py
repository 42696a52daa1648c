"""How fast a bucket is packed and cut up again, beside the device's own copy of as many bytes."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from bucketviz.execution.measure import measure
from bucketviz.rewriting.all_gather import cut
from bucketviz.rewriting.custom_ops import PACK_ALL_GATHER, PACK_REDUCE_SCATTER
from bucketviz.units import MIB

GROUP_SIZE = 8
DTYPE = torch.bfloat16


@dataclass(frozen=True, slots=True)
class CopySpeed:
    """Median seconds of one way to move the bytes of a bucket, and of a plain copy of the same bytes."""

    what: str
    bucket_bytes: int
    num_members: int
    seconds: float
    copy_seconds: float

    @property
    def bytes_per_second(self) -> float:
        """Bytes read and written in a second."""
        return 2 * self.bucket_bytes / self.seconds

    @property
    def share_of_copy(self) -> float:
        """1.0 is as fast as the device copies."""
        return self.copy_seconds / self.seconds


def copy_speeds(bucket_mib: int, num_members: int, device: torch.device, repeats: int) -> list[CopySpeed]:
    """Measures the packing of both kinds and the cutting, for a bucket of equal members."""
    numel = bucket_mib * MIB // DTYPE.itemsize // num_members // GROUP_SIZE * GROUP_SIZE
    members = [torch.ones(numel, dtype=DTYPE, device=device) for _ in range(num_members)]
    rows = [torch.ones(numel // GROUP_SIZE, dtype=DTYPE, device=device) for _ in range(num_members)]
    source = torch.ones(numel * num_members, dtype=DTYPE, device=device)
    destination = torch.empty_like(source)

    def median(run: Callable[[], object]) -> float:
        return statistics.median(measure(run, device=device, warmup=3, repeats=repeats, with_memory=False).seconds)

    copy_seconds = median(lambda: destination.copy_(source))
    ways = {
        "pack all_gather": lambda: PACK_ALL_GATHER(members, 1, DTYPE, [DTYPE] * num_members, 0),
        "pack reduce_scatter": lambda: PACK_REDUCE_SCATTER(members, GROUP_SIZE),
        "cut all_gather": lambda: _cut(source, rows),
    }
    return [CopySpeed(what, source.nbytes, num_members, median(run), copy_seconds) for what, run in ways.items()]


def _cut(gathered: torch.Tensor, rows: Sequence[torch.Tensor]) -> object:
    return cut(gathered, GROUP_SIZE, [row.numel() for row in rows], rows, [DTYPE] * len(rows))
