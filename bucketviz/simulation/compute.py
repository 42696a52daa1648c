"""How long an op takes on one accelerator: its floating-point operations or its bytes, whichever takes longer.

Source: S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model" (2009).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from bucketviz.records import Graph, Node, Role, Tensor
from bucketviz.simulation.machines import Machine

Flop = Callable[[Sequence[Tensor], Tensor | None], float]
_KNOWN_NAMESPACES = ("aten.", "prims.", "bucketviz.", "bucketing.", "fsdp.")
_GETITEM = "getitem"
UNDECLARED_VIEWS = ("aten._unsafe_view.default", "aten._reshape_alias.default")
"""Views whose schemas do not say that they are."""


def compute_seconds(graph: Graph, node: Node, machine: Machine) -> float | None:
    """Gives the estimated seconds of an op that does not communicate; None where nobody can tell.

    A view costs nothing. Each op is taken as one kernel that reads its inputs and writes its value once; what a
    compiler fuses is faster, what launches many kernels is slower.
    """
    if node.role is not Role.COMPUTE or is_free(graph, node):
        return 0.0
    if not node.target.startswith(_KNOWN_NAMESPACES):
        return None
    moved_bytes, num_flop = _moved_bytes(graph, node), flop(graph, node)
    if moved_bytes is None or num_flop is None:
        return None
    seconds = moved_bytes / machine.memory_bytes_per_second
    if not num_flop:
        return seconds
    rate = machine.flop_per_second.get(_operands(graph, node)[0].dtype)
    return None if rate is None else max(seconds, num_flop / rate)


def node_seconds(graph: Graph, machine: Machine) -> dict[str, float]:
    """Gives the estimated seconds of every node that computes and has a cost, by FX name."""
    seconds = ((node.name, compute_seconds(graph, node, machine)) for node in graph.nodes)
    return {name: cost for name, cost in seconds if cost}


def is_free(graph: Graph, node: Node) -> bool:
    """True for a view, an item of a list, and whatever else only hands on the storage of an input."""
    if node.writes:
        return False
    if node.target.endswith(_GETITEM) or node.target in UNDECLARED_VIEWS or node.storage not in ("", node.name):
        return True
    return node.tensor is None and all(graph.node(user).storage != user for user in graph.users[node.name])


def _moved_bytes(graph: Graph, node: Node) -> int | None:
    """Bytes read and written; an op that gives several tensors writes those that are read of them."""
    written = [node.tensor] if node.tensor is not None else items(graph, node)
    sizes = [tensor.size_bytes for tensor in (*_operands(graph, node), *written)]
    return None if None in sizes else sum(size for size in sizes if size is not None)


def items(graph: Graph, node: Node) -> list[Tensor]:
    """Gives the values of an op with several, as far as they are read."""
    users = (graph.node(name) for name in graph.users[node.name])
    return [user.tensor for user in users if user.target.endswith(_GETITEM) and user.tensor is not None]


def _operands(graph: Graph, node: Node) -> list[Tensor]:
    tensors = (graph.node(name).tensor for name in node.inputs)
    return [tensor for tensor in tensors if tensor is not None]


def flop(graph: Graph, node: Node) -> float | None:
    """Floating-point operations of matrix products; 0 for what is bound by memory, None for symbolic sizes."""
    count = _FLOP.get(node.target.removeprefix("aten.").split(".")[0].lstrip("_"))
    operands = _operands(graph, node)
    if count is None or not operands:
        return 0.0
    tensors = (*operands, *([node.tensor] if node.tensor else ()))
    if any(isinstance(size, str) for tensor in tensors for size in tensor.shape):
        return None
    return count(operands, node.tensor)


def _product(left: int) -> Flop:
    """Two operations for each element of the result and each of the dim that is summed over."""

    def count(operands: Sequence[Tensor], result: Tensor | None) -> float:
        matrix = operands[min(left, len(operands) - 1)]
        return 2.0 * _numel(result) * int(matrix.shape[-1])

    return count


def _convolution(operands: Sequence[Tensor], result: Tensor | None) -> float:
    weight = operands[min(1, len(operands) - 1)]
    return 2.0 * _numel(result) * _numel(weight) / max(1, int(weight.shape[0]))


def _attention(passes: float) -> Flop:
    """Query by key and weights by value, ``passes`` times over; queries and keys of (batch, heads, length, dim)."""

    def count(operands: Sequence[Tensor], _: Tensor | None) -> float:
        query = operands[0]
        key = next((other for other in operands[1:] if len(other.shape) == 4), query)
        return passes * 4.0 * _numel(query) * int(key.shape[-2])

    return count


def _numel(tensor: Tensor | None) -> int:
    return 0 if tensor is None else prod(int(size) for size in tensor.shape)


_FORWARD, _BACKWARD = 1.0, 2.5
_KERNELS = ("flash_attention", "efficient_attention", "cudnn_attention", "flash_attention_for_cpu", "fused_attention")
_FLOP: dict[str, Flop] = {
    "mm": _product(0),
    "bmm": _product(0),
    "scaled_mm": _product(0),
    "addmm": _product(1),
    "baddbmm": _product(1),
    "convolution": _convolution,
    **{f"scaled_dot_product_{kernel}": _attention(_FORWARD) for kernel in _KERNELS},
    **{f"scaled_dot_product_{kernel}_backward": _attention(_BACKWARD) for kernel in _KERNELS},
}
