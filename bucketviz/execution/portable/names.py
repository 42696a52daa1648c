"""Names that stand for code and constants of torch: what a graph calls, dtypes, layouts, memory formats."""

from __future__ import annotations

import builtins
import math
import operator
import re
from typing import Any

import torch

from bucketviz.errors import ExecutionError

_FUNCTIONS: dict[str, Any] = {
    **{
        f"operator.{name}": getattr(operator, name)
        for name in (
            *("getitem", "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "neg", "pos", "abs", "matmul"),
            *("eq", "ne", "lt", "le", "gt", "ge", "and_", "or_", "xor", "not_", "invert", "lshift", "rshift"),
        )
    },
    **{f"math.{name}": getattr(math, name) for name in ("ceil", "floor", "trunc", "sqrt")},
    **{f"builtins.{name}": getattr(builtins, name) for name in ("abs", "max", "min", "round", "int", "float", "bool")},
    **{
        f"torch.{name}": getattr(torch, name)
        for name in ("sym_int", "sym_float", "sym_max", "sym_min", "sym_not", "sym_ite", "sym_sqrt")
    },
}
_HIGHER_ORDER = ("auto_functionalized", "auto_functionalized_v2", "cond", "invoke_subgraph", "while_loop")
_NAMES = {id(function): name for name, function in _FUNCTIONS.items()}
_TOUCHES_FILES = frozenset({"from_file"})
_OP_NAME = re.compile(r"(\w+)\.(\w+)(?:\.(\w+))?")
_KINDS = {"dtype": torch.dtype, "layout": torch.layout, "memory_format": torch.memory_format}


def name_of_target(target: Any) -> str | None:
    """Gives the name of what a node calls; None for what a job cannot carry."""
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"higher_order.{target}" if str(target) in _HIGHER_ORDER else None
    if isinstance(target, torch._ops.OpOverload | torch._ops.OpOverloadPacket):
        return str(target)
    if id(target) in _NAMES:
        return _NAMES[id(target)]
    name = getattr(target, "__name__", "")
    return f"torch.{name}" if _torch_function(name) is target else None


def target_named(name: str) -> Any:
    """Gives what a name stands for: an op of ``torch.ops``, or a function of a short list.

    Raises:
        ExecutionError: for any other name, and for an op that nothing has registered in this process.
    """
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    if name.startswith("torch.") and (function := _torch_function(name.removeprefix("torch."))) is not None:
        return function
    if name.startswith("higher_order.") and name.removeprefix("higher_order.") in _HIGHER_ORDER:
        return getattr(torch.ops.higher_order, name.removeprefix("higher_order."))
    found = _OP_NAME.fullmatch(name)
    if found is None or found[2] in _TOUCHES_FILES:
        raise ExecutionError(
            f"the job calls {name!r}, which is no op of torch.ops and not among the functions of a job"
        )
    return _registered_op(*found.groups())


def _torch_function(name: str) -> Any:
    """Gives ``torch.relu`` and its like: functions of tensors alone, which live in C++."""
    is_public = name.isidentifier() and not name.startswith("_") and name not in _TOUCHES_FILES
    return getattr(torch._C._VariableFunctions, name, None) if is_public else None


def _registered_op(namespace: str, name: str, overload: str | None) -> Any:
    try:
        packet = getattr(getattr(torch.ops, namespace), name)
        target = packet if overload is None else getattr(packet, overload)
    except AttributeError:
        target = None
    if isinstance(target, torch._ops.OpOverload | torch._ops.OpOverloadPacket):
        return target
    raise ExecutionError(
        f"the graph calls {namespace}.{name}, which nothing has registered in the process of this rank; "
        "name the module that does: imports=['my_ops'], or --import my_ops on the command line"
    )


def is_method_name(name: str) -> bool:
    """True for the public methods of a tensor."""
    return name.isidentifier() and not name.startswith("_") and callable(getattr(torch.Tensor, name, None))


def constant_named(kind: str, name: str) -> Any:
    """Gives the dtype, layout or memory format of a name.

    Raises:
        ExecutionError: when torch has none of that name.
    """
    value = getattr(torch, name, None) if isinstance(name, str) else None
    if not isinstance(value, _KINDS[kind]):
        raise ExecutionError(f"the job names a {kind} {name!r} that this torch does not have")
    return value


def dtype_named(name: str) -> torch.dtype:
    """Gives the dtype that torch calls ``name``."""
    dtype: torch.dtype = constant_named("dtype", name)
    return dtype


def constant_kind(value: object) -> str | None:
    """Gives ``dtype``, ``layout`` or ``memory_format``; None for anything else."""
    return next((kind for kind, cls in _KINDS.items() if isinstance(value, cls)), None)
