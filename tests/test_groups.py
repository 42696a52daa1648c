"""Who talks to whom, told from rank 0's view or from full partitions."""

import pytest

from bucketviz.errors import ExecutionError
from bucketviz.execution.groups import members_of


def blocks(name, groups, world_size):
    return sorted({members_of(rank, name, groups, world_size) for rank in range(world_size)})


@pytest.mark.parametrize(
    ("given", "world_size", "expected"),
    [
        ([0, 1, 2, 3], 4, [(0, 1, 2, 3)]),
        ([0, 1, 2, 3], 8, [(0, 1, 2, 3), (4, 5, 6, 7)]),
        ([0, 2, 4, 6], 8, [(0, 2, 4, 6), (1, 3, 5, 7)]),
        ([0, 4], 8, [(0, 4), (1, 5), (2, 6), (3, 7)]),
        ([1, 3, 5, 7], 8, [(0, 2, 4, 6), (1, 3, 5, 7)]),
        ([0, 1, 4, 5], 8, [(0, 1, 4, 5), (2, 3, 6, 7)]),
        ([0, 2], 8, [(0, 2), (1, 3), (4, 6), (5, 7)]),
        ([0], 3, [(0,), (1,), (2,)]),
    ],
)
def test_sibling_groups_are_the_translates_of_the_given_one(given, world_size, expected):
    assert blocks("g", {"g": given}, world_size) == expected


def test_translates_keep_the_order_inside_the_group():
    assert [members_of(rank, "g", {"g": [2, 0]}, 4) for rank in range(4)] == [(2, 0), (3, 1), (2, 0), (3, 1)]


def test_a_partition_is_taken_as_it_is():
    assert blocks("g", {"g": [[0, 1, 3], [5, 4, 2]]}, 6) == [(0, 1, 3), (5, 4, 2)]


def test_a_group_named_for_its_own_ranks_needs_no_translates():
    groups = {"a": [0, 1, 3], "b": [2, 4, 5]}
    assert members_of(3, "a", groups, 6) == (0, 1, 3)
    assert members_of(4, "b", groups, 6) == (2, 4, 5)


@pytest.mark.parametrize(
    ("name", "groups", "rank", "message"),
    [
        ("tp", {"0": [0, 1]}, 0, r"communicates in group 'tp', but groups holds '0'; note \{'tp'"),
        ("tp", {}, 0, "groups holds none"),
        ("g", {"g": []}, 0, r"group 'g' is given as nothing; expected ranks of a world of 4 \(0 to 3\)"),
        ("g", {"g": [0, 9]}, 0, r"group 'g' is given as 0 9; expected ranks of a world of 4"),
        ("g", {"g": [1, 1]}, 1, "each at most once"),
        ("g", {"g": [[0, 1], [1, 2]]}, 0, r"0 1 \| 1 2; expected"),
        ("g", {"g": [[0, 1], [3]]}, 2, r"rank 2 is in no group of 'g' \(0 1 \| 3\); give the one it is in"),
        ("g", {"g": [0, 1, 3]}, 2, r"0 1 3; shifting it does not cover.*groups=\{'g': \[\[0, 1, 3\], \.\.\.\]\}"),
        ("g", {"g": [1, 2]}, 0, "shifting it does not cover a world of 4 ranks exactly once"),
    ],
)
def test_a_group_that_cannot_be_told_is_an_error_that_says_what_to_give(name, groups, rank, message):
    with pytest.raises(ExecutionError, match=message):
        members_of(rank, name, groups, 4)
