"""An FX graph as plain data: nodes in program order, what each moves, and which of them communicate."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property
from itertools import accumulate
from typing import NamedTuple

from bucketviz.errors import RecordError
from bucketviz.records.copies import COPIES


class Kind(StrEnum):
    """The collectives that bucketing merges; ``OTHER`` is any further op that communicates."""

    ALL_GATHER = "all_gather"
    REDUCE_SCATTER = "reduce_scatter"
    ALL_REDUCE = "all_reduce"
    OTHER = "other"


MERGEABLE_KINDS = (Kind.REDUCE_SCATTER, Kind.ALL_REDUCE, Kind.ALL_GATHER)
"""In the order in which Inductor's post-grad passes visit them."""


class Role(StrEnum):
    """What a node is for, as the explorer folds and colours it."""

    INPUT = "input"
    COMPUTE = "compute"
    COLLECTIVE = "collective"
    WAIT = "wait"
    OUTPUT = "output"


@cache
def dtype_itemsize(dtype: str) -> int:
    """Gives the bytes of one element of a dtype as FX prints it.

    Example:
        >>> dtype_itemsize("bf16"), dtype_itemsize("f8e4m3fn"), dtype_itemsize("b8")
        (2, 1, 1)
    """
    bits = re.search(r"\d+", dtype)
    return max(1, int(bits.group()) // 8) if bits else 1


@dataclass(frozen=True, slots=True)
class Tensor:
    """Metadata of one tensor value.

    Attributes:
        dtype: As FX prints it (``bf16``, ``f32``, ``i64``, ``b8``).
        shape: One entry a dim; a string where the size is symbolic.
        device: ``cpu``, ``cuda:0``, ``meta``.
        size_bytes: Bytes of the elements, from hints where symbolic; None when a symbol has no hint.
    """

    dtype: str
    shape: tuple[int | str, ...]
    device: str
    size_bytes: int | None

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


class Collective(NamedTuple):
    """What is special about a node that communicates.

    Attributes:
        kind: Which collective; ``OTHER`` for those that the pass does not merge.
        group_name: Name of the process group, ``?`` where an op does not say.
        group_size: Ranks in the group; None where the op does not say (all_reduce).
        reduce_op: ``sum``, ``avg``, … of a reduction; None otherwise.
        input: FX name of the node whose value is sent; empty where there are several.
        waits: FX names of the ``wait_tensor`` nodes on it, in program order.
        is_mergeable: True when the pass has a merged form for this very op.
        has_out: True when the result is written to an ``out=`` buffer.
        in_bytes: Bytes sent by this rank; None when unknown.
        out_bytes: Bytes received by this rank; None when unknown.
        cast: FX name of a dtype cast whose only user is this collective; empty when there is none.
        cast_from: dtype before that cast; empty when there is none.
        is_pure_cast: True when the cast changes the dtype and nothing else (no device, layout or format).
    """

    kind: Kind
    group_name: str
    group_size: int | None
    reduce_op: str | None
    input: str
    waits: tuple[str, ...]
    is_mergeable: bool
    has_out: bool
    in_bytes: int | None
    out_bytes: int | None
    cast: str = ""
    cast_from: str = ""
    is_pure_cast: bool = False

    @property
    def size_bytes(self) -> int | None:
        """Bytes that count against the cap: the larger of input and output."""
        sent, received = self.in_bytes, self.out_bytes
        if sent is None or received is None:
            return None
        return sent if sent > received else received


class Node(NamedTuple):
    """One FX node; a named tuple, because graphs hold tens of thousands, and it takes a third of a dataclass's time.

    Attributes:
        name: FX name, unique in the graph.
        role: What it is for.
        target: Op as text (``aten.mm.default``), or the attribute or placeholder name.
        inputs: FX names of the nodes that it reads, each once.
        tensor: Metadata of its value; None when it is no tensor or carries no fake value.
        module: Path of the module that it came from, or whose weight it moves (``layers.0.attention.wq``); a
            parameter of another name than ``weight`` is part of it (``layers.0.bias``); empty when unknown.
        source: ``model.py:118``, the innermost user line; empty when unknown.
        stack_trace: As FX keeps it; empty when unknown.
        writes: FX names of the values that it changes in place.
        storage: FX name of the node whose storage its value shares (its own name when it is fresh).
        collective: Set when the node communicates.
    """

    name: str
    role: Role
    target: str
    inputs: tuple[str, ...]
    tensor: Tensor | None = None
    module: str = ""
    source: str = ""
    stack_trace: str = ""
    writes: tuple[str, ...] = ()
    storage: str = ""
    collective: Collective | None = None

    @property
    def only_lays_out(self) -> bool:
        """True for a view, a copy and an empty buffer, and for arithmetic on sizes."""
        if self.role is not Role.COMPUTE:
            return False
        if self.target in COPIES:
            return True
        if self.tensor is None:
            return "." not in self.target or self.target.startswith("aten.sym_")
        return self.storage not in ("", self.name) and not self.writes


@dataclass(frozen=True, repr=False)
class Graph:
    """The nodes of one FX graph in program order.

    Attributes:
        name: ``forward``, ``backward`` or what the user called it.
        nodes: In program order.
        groups: Global ranks of every process group that the graph names, in group order, by group name; a
            group that no process group answers to is absent.
        position: Program-order index of each node name; found, not given.
        reads: For each node the indices of the nodes that it reads; found, not given.
    """

    name: str
    nodes: tuple[Node, ...]
    groups: dict[str, tuple[int, ...]] = field(default_factory=dict)
    position: dict[str, int] = field(init=False, compare=False)
    reads: list[tuple[int, ...]] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        position: dict[str, int] = {}
        reads: list[tuple[int, ...]] = []
        for index, node in enumerate(self.nodes):
            try:
                reads.append(tuple([position[source] for source in node.inputs]))
            except KeyError as error:
                absent = error.args[0]
                raise RecordError(f"{self.name}: {node.name} reads {absent}, which no earlier node gives") from error
            position[node.name] = index
        if len(position) < len(self.nodes):
            repeated, _ = Counter(node.name for node in self.nodes).most_common(1)[0]
            raise RecordError(f"{self.name}: two nodes are called {repeated}")
        object.__setattr__(self, "position", position)
        object.__setattr__(self, "reads", reads)

    def __repr__(self) -> str:
        num_collectives = sum(node.collective is not None for node in self.nodes)
        return f"Graph({self.name}: {len(self.nodes)} nodes, {num_collectives} collectives)"

    @cached_property
    def users(self) -> dict[str, tuple[str, ...]]:
        """Names of the nodes that read each node, in program order."""
        users: dict[str, list[str]] = {node.name: [] for node in self.nodes}
        for node in self.nodes:
            for name in node.inputs:
                users[name].append(node.name)
        return {name: tuple(readers) for name, readers in users.items()}

    @cached_property
    def touching(self) -> dict[str, tuple[str, ...]]:
        """Names of the nodes that read or write each storage that is ever written in place, in program order."""
        written = {self.node(name).storage for node in self.nodes for name in node.writes}
        touching: dict[str, list[str]] = {storage: [] for storage in written}
        for node in self.nodes if written else ():
            for storage in written.intersection(self.node(name).storage for name in node.inputs):
                touching[storage].append(node.name)
        return {storage: tuple(names) for storage, names in touching.items()}

    @cached_property
    def write_order(self) -> dict[str, frozenset[str]]:
        """What each node around an in-place write has to follow, although it may not read it.

        ag0(x); copy_(x, y); neg(x)      copy_ follows ag0, which read x before, and neg follows copy_

        Only back to the write before: what stands before that one is followed through it.
        """
        order: dict[str, set[str]] = {}
        for storage, names in self.touching.items():
            since_write: list[str] = []
            last_write: tuple[str, ...] = ()
            for name in names:
                order.setdefault(name, set()).update(last_write)
                if any(self.node(value).storage == storage for value in self.node(name).writes):
                    order[name].update(since_write)
                    since_write, last_write = [], (name,)
                else:
                    since_write.append(name)
        return {name: frozenset(earlier) for name, earlier in order.items() if earlier}

    @cached_property
    def _moved_by(self) -> dict[str, list[str]]:
        """What has to follow a node for the sake of a write alone."""
        followers: dict[str, list[str]] = {}
        for name in sorted(self.write_order, key=self.position.__getitem__):
            for other in self.write_order[name]:
                followers.setdefault(other, []).append(name)
        return followers

    def node(self, name: str) -> Node:
        """Gives the node of that name (KeyError when there is none)."""
        return self.nodes[self.position[name]]

    def collectives(self) -> Iterator[tuple[Node, Collective]]:
        """Gives every node that communicates, in program order."""
        return iter(self._collectives)

    @cached_property
    def _collectives(self) -> tuple[tuple[Node, Collective], ...]:
        return tuple((node, node.collective) for node in self.nodes if node.collective is not None)

    @cached_property
    def num_of_kind(self) -> Counter[Kind]:
        """How many collectives there are of each kind."""
        return Counter(collective.kind for _, collective in self._collectives)

    @cached_property
    def known_sizes(self) -> tuple[int, ...]:
        """Sizes in bytes of the collectives that have one, in program order."""
        sizes = (collective.size_bytes for _, collective in self._collectives)
        return tuple(size for size in sizes if size)

    @cached_property
    def num_computed(self) -> list[int]:
        """For each position, and for the end, how many nodes before it compute; views and copies are not counted."""
        computes = (node.role is Role.COMPUTE and not node.only_lays_out for node in self.nodes)
        return list(accumulate(computes, initial=0))

    @cached_property
    def first_wait(self) -> dict[str, int]:
        """Position of the first wait on each collective that is waited for, by FX name of the collective."""
        return {node.name: self.position[each.waits[0]] for node, each in self._collectives if each.waits}

    @cached_property
    def awaited(self) -> dict[str, Node]:
        """The collective that each wait waits for, by FX name of the wait."""
        return {wait: node for node, collective in self._collectives for wait in collective.waits}

    def shortest_path(self, start: str, end: str) -> tuple[str, ...]:
        """Gives one shortest chain from ``start`` to ``end``, both included; () when there is none.

        Each node of it reads the one before, or has to follow it because one of the two writes in place.
        """
        previous: dict[str, str] = {start: ""}
        queue = deque([start])
        while queue:
            name = queue.popleft()
            if name == end:
                return _walk_back(previous, end)
            for user in (*self.users[name], *self._moved_by.get(name, ())):
                if user not in previous and self.position[user] <= self.position[end]:
                    previous[user] = name
                    queue.append(user)
        return ()


def _walk_back(previous: dict[str, str], end: str) -> tuple[str, ...]:
    path = [end]
    while previous[path[-1]]:
        path.append(previous[path[-1]])
    return tuple(reversed(path))
