"""All ranks in one process: their graphs are walked together, node by node, with one value a rank."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
import torch.fx as fx

from bucketviz.collectives import collective_op, group_name_of, normalized_arguments, target_of
from bucketviz.errors import ExecutionError, type_text
from bucketviz.execution.agreement import check_same_graphs
from bucketviz.execution.checks import check_seed, checked_device
from bucketviz.execution.exchange import EXCHANGES
from bucketviz.execution.groups import Block, Partitions, members_of
from bucketviz.execution.opaque import check_communication
from bucketviz.execution.rank import Rank

Progress = Callable[[float], None]
"""Called with the fraction done, from just above 0 to 1."""


def run_lockstep(
    graphs: Sequence[fx.GraphModule],
    inputs: Sequence[Sequence[object]],
    groups: Partitions,
    *,
    device: torch.device | str | None = None,
    seed: int = 0,
    on_progress: Progress | None = None,
) -> list[tuple[object, ...]]:
    """Gives the outputs of every rank of a world, run in this process with plain torch ops.

    A node that communicates is computed from the values of all its ranks, when its start is met; the wait
    hands the value on. Reductions go from the first rank of the group to the last, element by element, so the
    same numbers come out however collectives are merged. Nothing is sent and no process group is needed. While
    it runs, torch's ops on the CPU have one thread.

    Random ops draw from one generator a rank, seeded with ``seed + rank`` and carried from op to op, so a
    second run draws the same numbers. Values are freed after their last use. The caller's inputs, and the
    graphs' own tensors, are left as they are.

    Args:
        graphs: One graph a rank; the same graph may stand for several. Constants may differ, nodes may not.
        inputs: For each rank, one value a placeholder.
        groups: Ranks of every process group that the graphs name, as rank 0 sees it, or full partitions;
            see :func:`bucketviz.execution.groups.members_of`.
        device: Where to run; inputs, the graphs' tensors and the devices that were captured into factory
            ops move there. None leaves everything where it is.
        seed: Seed of rank 0's random ops.
        on_progress: Told the fraction of nodes done after each node.

    Raises:
        ExecutionError: for graphs that differ in their nodes, inputs that are not like those of the capture, a
            device that is not there, a group whose ranks are unknown, an op that communicates in an unknown way,
            or an op that fails.

    Example:
        >>> def step(x):
        ...     start = torch.ops._c10d_functional.all_reduce.default(x, "sum", "0")
        ...     return torch.ops._c10d_functional.wait_tensor.default(start)
        >>> gm = fx.symbolic_trace(step)
        >>> run_lockstep([gm, gm], [[torch.tensor([1.0])], [torch.tensor([2.0])]], {"0": [0, 1]})
        [(tensor([3.]),), (tensor([3.]),)]
    """
    check_seed(seed)
    world = _World(graphs, inputs, groups, None if device is None else checked_device(device), seed)
    num_nodes = len(world.ranks[0].nodes)
    with torch.no_grad(), _one_thread():
        for index in range(num_nodes):
            world.step(index)
            if on_progress is not None:
                on_progress((index + 1) / num_nodes)
    return [rank.outputs for rank in world.ranks]


@contextmanager
def _one_thread() -> Iterator[None]:
    """One thread for each op: ops this small wait longer for a second thread than it saves, on a busy machine most."""
    num_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(num_threads)


class _World:
    """The ranks and what they know of each other."""

    def __init__(
        self,
        graphs: Sequence[fx.GraphModule],
        inputs: Sequence[Sequence[object]],
        groups: Partitions,
        device: torch.device | None,
        seed: int,
    ) -> None:
        _check_one_input_list_a_graph(graphs, inputs)
        check_same_graphs(graphs)
        check_communication(graphs[0])
        self.ranks = [Rank(gm, inputs[rank], rank, device, seed) for rank, gm in enumerate(graphs)]
        self.groups = groups

    def step(self, index: int) -> None:
        """Computes the node of that index on every rank, then frees what nobody reads any more."""
        node = self.ranks[0].nodes[index]
        if collective_op(node) is not None:
            self._exchange(index)
        else:
            for rank in self.ranks:
                rank.compute(index)
        for rank in self.ranks:
            rank.free(index)

    def _exchange(self, index: int) -> None:
        arguments = [rank.values_of(normalized_arguments(rank.nodes[index])) for rank in self.ranks]
        for block in self._blocks(index):
            _check_group_size(self.ranks[block[0]], index, block)
            try:
                results = EXCHANGES[target_of(self.ranks[0].nodes[index])]([arguments[rank] for rank in block])
            except Exception as error:
                raise self.ranks[block[0]].failure(index, error) from error
            for rank, result in zip(block, results, strict=True):
                self.ranks[rank].keep(index, result)

    def _blocks(self, index: int) -> list[Block]:
        """The groups that exchange at this node: each rank looks its own group up, and they have to agree."""
        own = [self._members_of(rank, index) for rank in self.ranks]
        for rank, block in enumerate(own):
            disagreeing = [other for other in block if own[other] != block]
            if disagreeing:
                node = self.ranks[rank].nodes[index]
                raise ExecutionError(
                    f"node {node.name}: rank {rank} communicates with {list(block)}, "
                    f"but rank {disagreeing[0]} with {list(own[disagreeing[0]])}; "
                    "correct groups, or the group names in the ranks' graphs"
                )
        return list(dict.fromkeys(own))

    def _members_of(self, rank: Rank, index: int) -> Block:
        name = group_name_of(normalized_arguments(rank.nodes[index])["group_name"])
        return members_of(rank.index, name, self.groups, len(self.ranks))


def _check_one_input_list_a_graph(graphs: Sequence[fx.GraphModule], inputs: Sequence[Sequence[object]]) -> None:
    if not isinstance(inputs, list | tuple):
        raise ExecutionError(f"inputs is {type_text(inputs)}; pass for each rank a list with one value a placeholder")
    if not graphs or len(graphs) != len(inputs):
        raise ExecutionError(
            f"lockstep takes one graph and one list of inputs a rank, got {len(graphs)} graphs and "
            f"{len(inputs)} lists of inputs"
        )


def _check_group_size(rank: Rank, index: int, block: Block) -> None:
    node = rank.nodes[index]
    asked = normalized_arguments(node).get("group_size", len(block))
    if asked != len(block):
        raise ExecutionError(
            f"node {node.name} was traced for a group of {asked} ranks, but groups gives {list(block)}; "
            "capture with this world size, or correct groups"
        )
