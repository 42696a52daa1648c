"""Who talks to whom: the ranks of every process group, for every rank of a world that shares one graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bucketviz.errors import ExecutionError

Block = tuple[int, ...]
Partitions = Mapping[str, Sequence[int] | Sequence[Sequence[int]]]
"""Group name to its global ranks in group order, or to a full partition of the world into such groups."""


def members_of(rank: int, name: str, groups: Partitions, world_size: int) -> Block:
    """Gives the global ranks, in group order, that a rank talks to in the group its graph calls ``name``.

    Ranks of a mesh run one graph text in which a name means "my row": where rank 0 says group ``'1'`` with
    ranks 0, 2, 4, 6, rank 1 runs the same node over 1, 3, 5, 7. A rank that is not in the given group is in
    one of its translates, and these must cover the world exactly:

        world of 8, given 0 2 4 6        ->  0 2 4 6 | 1 3 5 7
        world of 8, given 0 1 2 3        ->  0 1 2 3 | 4 5 6 7
        world of 8, given 0 1 4 5        ->  0 1 4 5 | 2 3 6 7     (two axes of a 2 x 2 x 2 mesh)

    The lowest rank not yet covered has to open a translate, so there is at most one such partition. Groups
    that have none are given whole, ``{"1": [[0, 1, 3], [2, 4, 5]]}``, or under a name of their own each when
    the ranks' graphs name them differently.

    Raises:
        ExecutionError: when the name is unknown, or the rank's group cannot be told from what is given.
    """
    if name not in groups:
        raise ExecutionError(
            f"the graph communicates in group '{name}', but groups holds {_listed(groups)}; "
            f"note {{'{name}': [global ranks in group order]}} in gm.meta['process_groups'], or pass it as groups="
        )
    blocks = _blocks(groups[name])
    _check_ranks(name, blocks, world_size)
    for block in blocks:
        if rank in block:
            return block
    if len(blocks) > 1:
        raise ExecutionError(f"rank {rank} is in no group of '{name}' ({_shown(blocks)}); give the one it is in")
    return next(block for block in _translates(name, blocks[0], world_size) if rank in block)


def own_groups(rank: int, groups: Partitions, world_size: int) -> dict[str, Block]:
    """Gives what :func:`members_of` says for every group that is given.

    Raises:
        ExecutionError: when a group of the rank cannot be told from what is given.
    """
    return {name: members_of(rank, name, groups, world_size) for name in groups}


def _blocks(given: Sequence[int] | Sequence[Sequence[int]]) -> list[Block]:
    blocks = [tuple(block) for block in given if not isinstance(block, int)]
    return blocks or [tuple(rank for rank in given if isinstance(rank, int))]


def _check_ranks(name: str, blocks: Sequence[Block], world_size: int) -> None:
    ranks = [rank for block in blocks for rank in block]
    if not ranks or len(set(ranks)) != len(ranks) or not set(ranks).issubset(range(world_size)):
        raise ExecutionError(
            f"group '{name}' is given as {_shown(blocks)}; expected ranks of a world of {world_size} "
            f"(0 to {world_size - 1}), each at most once"
        )


def _translates(name: str, given: Block, world_size: int) -> list[Block]:
    blocks: list[Block] = []
    uncovered = set(range(world_size))
    while uncovered:
        shift = min(uncovered) - min(given)
        block = tuple(rank + shift for rank in given)
        if not uncovered.issuperset(block):
            break
        uncovered.difference_update(block)
        blocks.append(block)
    if uncovered or given not in blocks:
        raise ExecutionError(
            f"group '{name}' is given as {_shown([given])}; shifting it does not cover a world of "
            f"{world_size} ranks exactly once, so the groups of the other ranks are unknown; "
            f"give all of them: groups={{'{name}': [{list(given)}, ...]}}"
        )
    return blocks


def _listed(groups: Partitions) -> str:
    return ", ".join(f"'{name}'" for name in groups) or "none"


def _shown(blocks: Sequence[Block]) -> str:
    return " | ".join(" ".join(map(str, block)) for block in blocks) or "nothing"
