"""Documents as columns: what is read is what was written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bucketviz.explorer.columnar import FEWEST, columnar, columnar_json, read_columnar

scalars = st.none() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3)
lists = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2 * FEWEST) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=60,
)


@given(st.lists(lists, max_size=3 * FEWEST))
def test_what_is_read_is_what_was_written(document: list[Any]) -> None:
    assert read_columnar(columnar_json(document)) == document


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (["x"] * 9, {"$same": "x", "times": 9}),
        (["x", "y"] * 5, {"$words": ["x", "y"], "at": [0, 1] * 5}),
        ([[1, "x"]] * 9, {"$tuples": [{"$same": 1, "times": 9}, {"$same": "x", "times": 9}]}),
        ([{"a": 1}] * 9, {"$rows": [(("a",), [{"$same": 1, "times": 9}])], "of": {"$same": 0, "times": 9}}),
        ([["x"], ["y", "x"]] * 4, {"$words": [("x",), ("y", "x")], "at": [0, 1] * 4}),
        ([[["x", "1"]], []] * 4, {"$words": [[("x", "1")], ()], "at": [0, 1] * 4}),
        ([[], [1, 2]] * 4, {"$lists": [0, 2] * 4, "flat": [1, 2] * 4}),
        (["x"] * (FEWEST - 1), ["x"] * (FEWEST - 1)),
        ([1, True, 1.0] * 3, [1, True, 1.0] * 3),
    ],
)
def test_long_lists_are_told_as_columns(values: list[Any], told: Any) -> None:
    assert columnar(values) == told


def test_a_number_stays_of_its_type() -> None:
    mixed = [1, 1.0] * FEWEST
    assert list(map(type, read_columnar(columnar_json(mixed)))) == list(map(type, mixed))
