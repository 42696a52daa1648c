"""A training step to its forward and backward graph: torch.compile's tracer and AOTAutograd, nothing executed."""

from __future__ import annotations

import logging
import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from types import FunctionType
from typing import Any, NoReturn

import torch
import torch.fx as fx

from bucketviz.errors import CaptureError
from bucketviz.frames import user_frames
from bucketviz.progress import Advance, progress
from bucketviz.sources.locations import source_line

_FAKE_TENSOR_LOG = logging.getLogger("torch._subclasses.fake_tensor")
_RAISED = re.compile(r"(?:got|raised exception) (\w+\(['\"].*)$", re.MULTILINE)
_REFUSED = re.compile(r"when making fake tensor call|Dimension out of range")
"""A tensor op refused what it was given."""
_OF_DTYPES = re.compile(r"dtype|scalar type|(Input|weight) type|torch\.b?float\d|BFloat16", re.IGNORECASE)
_OF_ONE_DTYPE = dict.fromkeys(("mm", "bmm", "addmm", "baddbmm", "convolution"), 0) | dict.fromkeys(
    (
        "_native_batch_norm_legit_functional",
        "_native_batch_norm_legit_no_training",
        "_batch_norm_with_update_functional",
    ),
    1,
)
"""Name of each op whose tensors must be of one dtype, and the first of them that must."""


@dataclass(frozen=True)
class Traced:
    """What tracing gave.

    Attributes:
        forward: The forward graph.
        backward: The backward graph; None where nothing requires a gradient.
        arguments: What the traced function reads, in the order of AOTAutograd's inputs.
    """

    forward: fx.GraphModule
    backward: fx.GraphModule | None
    arguments: tuple[object, ...]


class _TracedError(Exception):
    """Leaves the traced function before its first op would run."""


def trace(
    step: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object], label: str, *, is_cast: bool
) -> Traced:
    """Traces a function and its gradient as torch.compile would, partitioned by min-cut, without running either.

    Shapes are static. Neither the caller's compiled functions nor the numbers in any tensor are touched.

    Args:
        step: A plain function.
        args: What it is called with.
        kwargs: And by keyword.
        label: What errors call it.
        is_cast: True when it casts weights and inputs to ``param_dtype``, which errors about dtypes then name.

    Raises:
        CaptureError: when the function does not trace into one graph.
    """
    found: dict[str, Any] = {}
    with progress(f"Tracing {label}", total=2) as advance:
        compiled = torch.compile(_fresh(step), backend=_backend(found, advance), fullgraph=True, dynamic=False)
        try:
            compiled(*args, **kwargs)
        except _TracedError:
            pass
        except CaptureError:
            raise
        except Exception as error:
            raise CaptureError(_explanation(error, label, is_cast)) from error
        finally:
            traced = dict(found)
            found.clear()
    if "forward" not in traced:
        raise CaptureError(f"{label} runs no tensor op, so there is no graph; capture a model that computes")
    _check_dtypes(traced["forward"], label, is_cast)
    return Traced(traced["forward"], traced.get("backward"), traced["arguments"])


@contextmanager
def neutral_ground() -> Iterator[None]:
    """Turns autograd and the tracer on wherever the caller stands, and keeps what the tracer says and sets from it."""
    with (
        _no_empty_cache(),
        _same_environment(),
        torch.inference_mode(False),
        torch.enable_grad(),
        torch.compiler.set_stance("default"),
        warnings.catch_warnings(),
        _silent(_FAKE_TENSOR_LOG),
    ):
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _same_environment() -> Iterator[None]:
    """Puts environment variables back: torch writes down there where its compiler would keep files."""
    before = dict(os.environ)
    try:
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before.items() - os.environ.items())


@contextmanager
def _no_empty_cache() -> Iterator[None]:
    """Removes the folder for compiled code that torch makes in the temporary one when its tracer is imported."""
    before = _compiler_caches()
    try:
        yield
    finally:
        for made in _compiler_caches() - before:
            with suppress(OSError):  # somebody keeps files there
                made.rmdir()


def _compiler_caches() -> set[Path]:
    return set(Path(gettempdir()).glob("torchinductor_*"))


@contextmanager
def _silent(logger: logging.Logger) -> Iterator[None]:
    """Keeps a logger quiet about errors that are raised as well."""
    was_disabled, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = was_disabled


def check_is_traced(label: str) -> None:
    """Refuses to run a step for real; its first act.

    Raises:
        CaptureError: when torch.compile is switched off.
    """
    if not torch.compiler.is_compiling():
        raise CaptureError(
            f"torch.compile is switched off, so {label} cannot be traced; "
            "unset TORCH_COMPILE_DISABLE, TORCHDYNAMO_DISABLE and torch._dynamo.config.disable"
        )


def _fresh(function: Callable[..., object]) -> Callable[..., object]:
    """Gives the same function with a code object of its own, so that what torch.compile caches on it dies with it."""
    assert isinstance(function, FunctionType), "a step is a plain function"
    code, names = function.__code__.replace(), function.__globals__
    return FunctionType(code, names, function.__name__, function.__defaults__, function.__closure__)


def _backend(found: dict[str, Any], advance: Advance) -> Callable[..., Callable[..., NoReturn]]:
    """Gives a backend that keeps the partitioned graphs in ``found`` and compiles to a function that stops."""
    differentiate, configured = _aot_autograd(_keeper(found, "forward"), _keeper(found, "backward"))

    def backend(gm: fx.GraphModule, example_inputs: list[torch.Tensor]) -> Callable[..., NoReturn]:
        advance(doing="Splitting into forward and backward")
        with configured():
            differentiate(gm, example_inputs)

        def stop(*arguments: object) -> NoReturn:
            found["arguments"] = arguments
            raise _TracedError

        return stop

    return backend


def _keeper(found: dict[str, Any], name: str) -> Callable[..., fx.GraphModule]:
    def keep(gm: fx.GraphModule, _: Sequence[object]) -> fx.GraphModule:
        found[name] = gm
        return gm

    return keep


def _aot_autograd(forward: Callable[..., Any], backward: Callable[..., Any]) -> tuple[Callable[..., Any], Any]:
    """Gives AOTAutograd with these compilers, and the setting that makes it hand over the backward graph at once."""
    try:
        from torch._dynamo.backends.common import aot_autograd
        from torch._functorch import config
        from torch._functorch.partitioners import min_cut_rematerialization_partition

        configured = config.patch(force_non_lazy_backward_lowering=True)
    except (ImportError, AttributeError) as error:
        raise CaptureError(
            f"torch {torch.__version__} lacks what capture needs of AOTAutograd ({error}); install torch 2.11 to 2.14"
        ) from error
    differentiate = aot_autograd(
        fw_compiler=forward, bw_compiler=backward, partition_fn=min_cut_rematerialization_partition
    )
    return differentiate, lambda: configured


def _explanation(error: Exception, label: str, is_cast: bool) -> str:
    cause = getattr(error, "inner_exception", None) or error
    reason = next((line.strip() for line in str(cause).splitlines() if line.strip()), type(cause).__name__)
    found = _RAISED.search(str(cause))
    detail = f", {found[1]}" if found else ""
    advice = _advice(reason + detail, is_cast)
    return f"cannot trace {label} into one graph: {reason}{detail}{_user_line(error)}; {advice}"


def _advice(reason: str, is_cast: bool) -> str:
    """What to do about a reason: what a tensor op refuses is seldom the model's fault."""
    if not _REFUSED.search(reason):
        return "change the model there, torch.compile(model, fullgraph=True) stops there too"
    if _OF_DTYPES.search(reason):
        return _dtype_advice(is_cast)
    return "the inputs do not fit the model: pass inputs of the shapes that it is called with in training"


def _dtype_advice(is_cast: bool) -> str:
    return "cast there" + (", or pass param_dtype=None to keep the dtypes of weights and inputs" if is_cast else "")


def _user_line(error: Exception) -> str:
    """Gives `` (model.py:12: y = x.item())`` for the innermost line of the user's code; empty when there is none."""
    frames = user_frames(str(error))
    return f" ({frames[-1].place}: {frames[-1].code})" if frames else ""


def _check_dtypes(gm: fx.GraphModule, label: str, is_cast: bool) -> None:
    """Refuses ops on mixed dtypes that fake tensors let pass and real ones do not."""
    for node in gm.graph.nodes:
        first = _OF_ONE_DTYPE.get(node.target._opname) if getattr(node.target, "namespace", "") == "aten" else None
        if first is None:
            continue
        values = [argument.meta["val"] for argument in node.all_input_nodes[first:]]
        dtypes = sorted({str(x.dtype).removeprefix("torch.") for x in values if isinstance(x, torch.Tensor)})
        if len(dtypes) > 1:
            raise CaptureError(
                f"{label} mixes {' and '.join(dtypes)} in {node.target._opname} ({source_line(node) or node.name}), "
                f"which fails when run; {_dtype_advice(is_cast)}"
            )
