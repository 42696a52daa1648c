"""Arguments and fake values as JSON: what an ``fx.Node`` may hold, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.fx as fx
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from bucketviz.errors import ExecutionError, type_text
from bucketviz.execution.portable.names import (
    constant_kind,
    constant_named,
    dtype_named,
    name_of_target,
    target_named,
)
from bucketviz.execution.portable.symbols import SYM_TYPES, SymbolReader, SymbolWriter


@dataclass
class ValueWriter:
    """Turns values into JSON; lists stay lists, what JSON has no word for becomes a dict of one key."""

    symbols: SymbolWriter = field(default_factory=SymbolWriter)

    def write(self, value: Any, where: str) -> Any:
        """Gives the JSON of an argument or of a fake value.

        Raises:
            ExecutionError: naming the node (``where``) that holds something that a job cannot carry.
        """
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": str(value)}
        if isinstance(value, fx.Node):
            return {"node": value.name}
        if isinstance(value, SYM_TYPES):
            return {"symbolic": self.symbols.write(value)}
        if isinstance(value, torch.Tensor):
            return {"tensor": self._tensor(value, where)}
        if isinstance(value, list):
            return [self.write(item, where) for item in value]
        if isinstance(value, tuple):
            return {"tuple": [self.write(item, where) for item in value]}
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            return {"dict": {key: self.write(item, where) for key, item in value.items()}}
        return self._constant(value, where)

    def _constant(self, value: Any, where: str) -> Any:
        if isinstance(value, complex):
            return {"complex": [self.write(part, where) for part in (value.real, value.imag)]}
        if isinstance(value, slice):
            return {"slice": [self.write(part, where) for part in (value.start, value.stop, value.step)]}
        if value is ...:
            return {"ellipsis": None}
        if isinstance(value, torch.device):
            return {"device": str(value)}
        kind = constant_kind(value)
        if kind is not None:
            return {kind: str(value).removeprefix("torch.")}
        name = name_of_target(value)
        if name is not None:
            return {"target": name}
        raise ExecutionError(
            f"{where} holds {type_text(value)}, which ranks in processes of their own cannot be given; "
            "use backend='lockstep', or a graph without it"
        )

    def _tensor(self, tensor: torch.Tensor, where: str) -> dict[str, Any]:
        if tensor.layout is not torch.strided:
            raise ExecutionError(
                f"{where} is a tensor of layout {tensor.layout}; ranks in processes of their own take strided ones, "
                "backend='lockstep' any"
            )
        return {
            "dtype": str(tensor.dtype).removeprefix("torch."),
            "device": str(tensor.device),
            "shape": self.write(list(tensor.shape), where),
            "stride": self.write(list(tensor.stride()), where),
            "offset": self.write(tensor.storage_offset(), where),
            "is_conj": tensor.is_conj(),
            "is_neg": tensor.is_neg(),
        }


class ValueReader:
    """Turns the JSON of a :class:`ValueWriter` back into values of one fake mode."""

    def __init__(self, hints: dict[str, int | None], device: torch.device | None) -> None:
        """Takes the hints of all symbols, and the device that stands for every captured one (None: they stay)."""
        shape_env = ShapeEnv()
        self._fake_mode = FakeTensorMode(shape_env=shape_env)
        self._symbols = SymbolReader(hints, shape_env)
        self._device = device
        self._readers: dict[str, Callable[[Any], Any]] = {
            "float": float,
            "symbolic": self._symbols.read,
            "tensor": self._tensor,
            "complex": lambda parts: complex(*map(self.read, parts)),
            "ellipsis": lambda _: ...,
            "device": lambda name: self._device or torch.device(name),
            "target": target_named,
            **{
                kind: lambda name, kind=kind: constant_named(kind, name)  # type: ignore[misc]
                for kind in ("dtype", "layout", "memory_format")
            },
        }

    def read(self, document: Any, nodes: Mapping[str, fx.Node] | None = None) -> Any:
        """Gives the value of a JSON document; ``nodes`` are those that it may name.

        Raises:
            ExecutionError: for what no :class:`ValueWriter` writes.
        """
        if isinstance(document, list):
            return [self.read(item, nodes) for item in document]
        if not isinstance(document, dict):
            return document
        ((kind, content),) = document.items()
        if kind == "node":
            return (nodes or {})[content]
        if kind == "tuple":
            return tuple(self.read(item, nodes) for item in content)
        if kind == "dict":
            return {key: self.read(item, nodes) for key, item in content.items()}
        if kind == "slice":
            return slice(*(self.read(part, nodes) for part in content))
        return self._readers[kind](content)

    def _tensor(self, document: dict[str, Any]) -> torch.Tensor:
        shape, stride, offset = (self.read(document[key]) for key in ("shape", "stride", "offset"))
        dtype, device = dtype_named(document["dtype"]), self._device or torch.device(document["device"])
        with self._fake_mode:
            if isinstance(offset, int) and offset == 0:
                tensor = torch.empty_strided(shape, stride, dtype=dtype, device=device)
            else:
                span = offset + 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
                tensor = torch.empty(span, dtype=dtype, device=device).as_strided(shape, stride, offset)
            tensor = tensor.conj() if document["is_conj"] else tensor
            return torch._neg_view(tensor) if document["is_neg"] else tensor
