"""Tensors as raw storages with a description each: aliasing, strides, offsets and every dtype survive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

from bucketviz.errors import ExecutionError, type_text
from bucketviz.execution.portable.names import dtype_named

Document = dict[str, Any]


class StorageWriter:
    """Collects the storages of tensors, each once.

    Attributes:
        storages: The bytes of each storage, by name: what goes to a safetensors file.
    """

    def __init__(self) -> None:
        self.storages: dict[str, torch.Tensor] = {}
        self._names: dict[int, str] = {}
        self._kept: list[torch.UntypedStorage] = []

    def describe(self, tensor: torch.Tensor, where: str) -> Document:
        """Gives where a tensor lies in which storage.

        Raises:
            ExecutionError: for a tensor without numbers of its own (fake, meta), and for one that is not strided.
        """
        if isinstance(tensor, FakeTensor) or tensor.is_meta:
            raise ExecutionError(f"{where} is a fake or meta tensor: it has no numbers to run with; pass real ones")
        if tensor.layout is not torch.strided or type(tensor) not in (torch.Tensor, torch.nn.Parameter):
            raise ExecutionError(
                f"{where} is {type_text(tensor)} of layout {tensor.layout}; ranks in processes of their own "
                "take plain strided tensors, backend='lockstep' any"
            )
        plain = tensor.detach().resolve_conj().resolve_neg()
        return {
            "storage": self._add(plain.untyped_storage()),
            "dtype": str(plain.dtype).removeprefix("torch."),
            "shape": list(plain.shape),
            "stride": list(plain.stride()),
            "offset": plain.storage_offset(),
        }

    def _add(self, storage: torch.UntypedStorage) -> str:
        if storage._cdata not in self._names:
            self._names[storage._cdata] = f"storage_{len(self._names)}"
            self._kept.append(storage)
            whole = torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)
            self.storages[self._names[storage._cdata]] = whole.cpu()
        return self._names[storage._cdata]


class StorageReader:
    """Gives back the tensors that a :class:`StorageWriter` described, on one device."""

    def __init__(self, storages: Mapping[str, torch.Tensor], device: torch.device) -> None:
        self._storages = {name: tensor.to(device, copy=True).untyped_storage() for name, tensor in storages.items()}
        self._device = device

    def tensor(self, document: Document) -> torch.Tensor:
        """Gives the tensor of a description.

        Raises:
            ExecutionError: when the storage is not there or too small.
        """
        try:
            storage = self._storages[document["storage"]]
            empty = torch.empty(0, dtype=dtype_named(document["dtype"]), device=self._device)
            place = document["offset"], document["shape"], document["stride"]
            return empty.set_(storage, *place) if _fits(storage, empty.element_size(), *place) else _missing(document)
        except (KeyError, TypeError, RuntimeError) as error:
            raise ExecutionError(f"the job describes a tensor that its files do not hold: {document}") from error


def _fits(storage: torch.UntypedStorage, itemsize: int, offset: int, shape: list[int], stride: list[int]) -> bool:
    last = offset + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
    return 0 in shape or (last + 1) * itemsize <= storage.nbytes()


def _missing(document: Document) -> torch.Tensor:
    raise KeyError(document["storage"])
