"""Quantities as text."""

import pytest

from bucketviz.units import MIB, format_bytes, format_count


@pytest.mark.parametrize(
    ("size_bytes", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (25 * MIB, "25 MiB"),
        (2000 * MIB, "1.95 GiB"),
        (None, "?"),
    ],
)
def test_a_size_has_a_binary_unit(size_bytes: int | None, text: str) -> None:
    assert format_bytes(size_bytes) == text


def test_a_bound_is_never_less_than_the_size() -> None:
    size_bytes = int(33.601 * MIB)
    assert format_bytes(size_bytes) == "33.6 MiB"
    assert format_bytes(size_bytes, rounds_up=True) == "33.61 MiB"


def test_one_has_no_plural() -> None:
    assert (format_count(1, "bucket"), format_count(1200, "bucket")) == ("1 bucket", "1,200 buckets")
