"""What is drawn of a graph: boxes, edges between them, and brackets around those that share a bucket."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bucketviz.records import Role


@dataclass(frozen=True, slots=True)
class Box:
    """One box.

    Attributes:
        role: What its nodes are for.
        kind: Of a collective and of a wait on one; empty otherwise.
        label: Its name.
        detail: A size, a shape, a count.
        hint: What a reader sees who points at it.
        bucket: Index of its bucket; None for a box in none.
        note: Why a collective was left alone; empty otherwise.
        num_above: What it reads and is not drawn.
        num_below: What reads it and is not drawn.
        is_asked_for: True when the neighbourhood was chosen around it.
    """

    role: Role
    kind: str
    label: str
    detail: str
    hint: str
    bucket: int | None = None
    note: str = ""
    num_above: int = 0
    num_below: int = 0
    is_asked_for: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture before it is laid out.

    Attributes:
        title: What it shows.
        boxes: In program order.
        edges: Pairs of indices of boxes, from a value to what reads it.
        brackets: Text of each bucket whose members stand apart, by its index.
    """

    title: str
    boxes: tuple[Box, ...]
    edges: tuple[tuple[int, int], ...]
    brackets: Mapping[int, str]
