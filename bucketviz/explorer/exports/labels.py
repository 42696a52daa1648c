"""What is written in the boxes of a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from bucketviz.explorer.exports.drawing import Box
from bucketviz.explorer.exports.sides import Side
from bucketviz.explorer.exports.texts import one_line
from bucketviz.explorer.program_order import block_of
from bucketviz.records import Node, Role
from bucketviz.records.explain import explain
from bucketviz.units import format_bytes, format_count


class Labels:
    """Makes boxes of nodes.

    Attributes:
        side: The graph that is drawn.
    """

    def __init__(self, side: Side) -> None:
        self.side = side
        self._decisions = {decision.collective: decision for decision in side.plan.decisions}
        self._short = short_modules(node.module for node in side.graph.nodes)

    def box(self, node: Node) -> Box:
        """Gives the box of one node."""
        if node.role is Role.COLLECTIVE:
            return self._collective(node)
        start = self.side.graph.awaited.get(node.name)
        kind = start.collective.kind.value if start is not None and start.collective is not None else ""
        module = f"\n{node.module}" if node.module else ""
        return Box(
            node.role,
            kind,
            one_line(node.name),
            one_line(str(node.tensor or "")),
            f"{node.name}\n{node.target}{module}\n{node.source}".strip(),
            self.side.buckets.get(node.name),
        )

    def collectives(self, nodes: list[Node]) -> Box:
        """Gives one box for collectives of one kind, block and bucket."""
        first = self._collective(nodes[0])
        if len(nodes) == 1:
            return first
        sizes = [node.collective.size_bytes for node in nodes if node.collective is not None]
        known = [size for size in sizes if size is not None]
        total = format_bytes(sum(known) if len(known) == len(sizes) else None)
        label = f"{one_line(block_of(nodes[0].module), 28) or first.kind} ×{len(nodes)}"
        return replace(first, label=label, detail=total, hint="\n".join(node.name for node in nodes))

    def fold(self, nodes: list[Node]) -> Box:
        """Gives one box for compute, by the blocks of the model that it comes from."""
        blocks = list(dict.fromkeys(block for node in nodes if (block := block_of(node.module))))
        first = one_line(blocks[0], 28) if blocks else "compute"
        label = f"{first} + {len(blocks) - 1}" if len(blocks) > 1 else first
        hint = "\n".join([*blocks, format_count(len(nodes), "op")])
        return Box(Role.COMPUTE, "", label, format_count(len(nodes), "op"), hint)

    def note(self, node: Node) -> str:
        """Gives why a collective was left alone; empty for one that was not."""
        decision = self._decisions.get(node.name)
        return "" if decision is None or decision.bucket is not None else decision.reason.value

    def brackets(self, boxes: Iterable[Box]) -> dict[int, str]:
        """Gives the text of every bucket that is drawn with its members apart."""
        found = {box.bucket for box in boxes if box.bucket is not None}
        buckets = [bucket for bucket in self.side.plan.buckets if bucket.index in found]
        return {bucket.index: f"{bucket.label} · {format_bytes(bucket.size_bytes)}" for bucket in buckets}

    def _collective(self, node: Node) -> Box:
        collective, plan, merged = node.collective, self.side.plan, self.side.merged.get(node.name)
        assert collective is not None, "a collective is asked for"
        if merged is not None:
            bucket = plan.buckets[merged]
            detail = f"{format_count(len(bucket.collectives), 'member')} · {format_bytes(bucket.size_bytes)}"
            hint = "\n".join([f"{bucket.label} ({bucket.key})", *bucket.collectives])
            return Box(Role.COLLECTIVE, bucket.key.kind.value, bucket.label, detail, hint, merged)
        decision = self._decisions.get(node.name)
        return Box(
            Role.COLLECTIVE,
            collective.kind.value,
            one_line(self._short.get(node.module, "") or node.name),
            format_bytes(collective.size_bytes),
            node.name if decision is None else explain(plan, decision),
            self.side.buckets.get(node.name),
            self.note(node),
        )


def short_modules(paths: Iterable[str]) -> dict[str, str]:
    """Gives short names of module paths: block and last part, the whole path where two would be called the same.

    Example:
        >>> short_modules(["layers.0.attention.wq", "norm"])
        {'layers.0.attention.wq': 'layers.0.wq', 'norm': 'norm'}
    """
    shorts = {path: _short(path) for path in paths}
    owners = Counter(shorts.values())
    return {path: short if owners[short] == 1 else path for path, short in shorts.items()}


def _short(path: str) -> str:
    block = block_of(path)
    rest = path[len(block) + 1 :].split(".")
    return path if len(rest) < 2 else f"{block}.{rest[-1]}"
