"""The constant that merged all_gathers hold: the rank inside the process group, not the global one."""

from __future__ import annotations

from bucketviz.collectives import Groups
from bucketviz.errors import RewriteError


def rank_inside(group_name: str, groups: Groups, group_size: int | None, rank: int) -> int:
    """Gives the rank inside a group of the process with a global rank.

    Raises:
        RewriteError: when the group is not known, is of another size than the graph says, or lacks the rank.

    Example:
        >>> rank_inside("1", {"1": (0, 2, 4, 6)}, 4, rank=6)
        3
    """
    if group_name not in groups:
        known = ", ".join(f"'{name}'" for name in groups) or "none"
        raise RewriteError(
            f"an all_gather over group '{group_name}' needs this rank's place in it, but its ranks are not known "
            f"(known groups: {known}); start that process group first, or give bucketviz.bucket(gm) its global "
            f"ranks in group order: gm.meta['process_groups'] = {{'{group_name}': (0, 1, ...)}}"
        )
    ranks = list(groups[group_name])
    if group_size not in (None, len(ranks)):
        raise RewriteError(
            f"group '{group_name}' has {group_size} ranks in the graph, but {len(ranks)} in groups {ranks}; "
            "correct groups"
        )
    if rank not in ranks:
        raise RewriteError(
            f"rank {rank} is not in group '{group_name}' {ranks}; rewrite for one of these ranks, or name the "
            f"group that rank {rank} calls '{group_name}'"
        )
    return ranks.index(rank)
