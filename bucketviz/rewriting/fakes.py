"""Fake values: which mode they belong to, how to compute with them, and the layouts that cheaper tensors share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import torch
import torch.utils._pytree as pytree

from bucketviz.rewriting.internals import FakeTensor, FakeTensorMode, enable_python_dispatcher


class Layout(NamedTuple):
    """How a strided tensor lies in its storage, counted in elements."""

    dtype: torch.dtype
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    storage_offset: int

    @classmethod
    def of(cls, tensor: torch.Tensor) -> Layout:
        return cls(tensor.dtype, tuple(tensor.shape), tensor.stride(), int(tensor.storage_offset()))

    def on(self, storage: torch.UntypedStorage) -> torch.Tensor:
        """Gives the meta tensor that lies so in a meta storage, which grows where it is too small."""
        tensor = torch.empty(0, dtype=self.dtype, device="meta")
        return tensor.set_(storage, self.storage_offset, self.shape, self.stride)

    def alone(self) -> torch.Tensor:
        """Gives the meta tensor that lies so in a storage of its own."""
        if self.storage_offset:
            return self.on(torch.empty(0, device="meta").untyped_storage())
        return torch.empty_strided(self.shape, self.stride, dtype=self.dtype, device="meta")


class Blueprint(NamedTuple):
    """A tensor of a recording: how it lies, and a number that the tensors of one storage share."""

    layout: Layout
    storage: int

    @classmethod
    def of(cls, tensor: torch.Tensor) -> Blueprint:
        return cls(Layout.of(tensor), int(tensor.untyped_storage()._cdata))


def is_plain(value: object) -> bool:
    """True for a fake tensor that its layout says everything about: strided, of known sizes."""
    if not isinstance(value, FakeTensor) or value.layout is not torch.strided or value.is_conj() or value.is_neg():
        return False
    return all(type(size) is int for size in (*value.shape, *value.stride(), value.storage_offset()))


def fake_mode_of(values: Any) -> FakeTensorMode | None:
    """Gives the fake mode of the first fake tensor in nested lists and tuples; None when there is none."""
    for leaf in pytree.tree_leaves(values):
        if isinstance(leaf, FakeTensor):
            return leaf.fake_mode
    return None


@contextmanager
def computing_fakes(fake_mode: FakeTensorMode) -> Iterator[None]:
    """Runs ops on fake tensors, symbolic ones too; guards and the list of symbols that are yet to be bound stay.

    What an op wants to know of a symbolic size is answered from its hint and not noted: a merged collective lays the
    same numbers out anew, so it holds wherever its members did.
    """
    shape_env = fake_mode.shape_env
    lists = [] if shape_env is None else _unbound_symbols(shape_env)
    saved = [list(symbols) for symbols in lists]
    for symbols in lists:
        symbols.clear()
    try:
        with fake_mode, enable_python_dispatcher(), nullcontext() if shape_env is None else shape_env.suppress_guards():
            yield
    finally:
        for symbols, before in zip(lists, saved, strict=True):
            symbols[:] = before


def _unbound_symbols(shape_env: Any) -> list[list[Any]]:
    names = ("pending_fresh_unbacked_symbols", "ignorable_fresh_unbacked_symbols")
    return [getattr(shape_env, name) for name in names if hasattr(shape_env, name)]
