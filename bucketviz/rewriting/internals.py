"""The private parts of torch that rewriting stands on, imported in one place: another torch fails here, and clearly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch

from bucketviz.errors import RewriteError

try:
    from torch._dispatch.python import enable_python_dispatcher
    from torch._library.utils import get_layout_constraint_tag
    from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
    from torch.utils._python_dispatch import _disable_current_modes
except ImportError as error:
    raise RewriteError(f"this torch lacks what rewriting needs ({error}); install torch 2.11 to 2.14") from error

__all__ = [
    "FakeTensor",
    "FakeTensorMode",
    "enable_python_dispatcher",
    "needs_exact_strides",
    "without_modes",
]


@contextmanager
def without_modes() -> Iterator[None]:
    """Leaves out what the caller has switched on: dispatch modes (a fake mode) and inference mode."""
    with _disable_current_modes(), torch.inference_mode(False):
        yield


@cache
def needs_exact_strides(op: Any) -> bool:
    """True for an op whose inputs Inductor may not lay out anew, by its tag or because it is no op of torch's own."""
    return bool(get_layout_constraint_tag(op) == torch.Tag.needs_exact_strides)
