"""Quantities as text."""

import pytest

from bucketviz.units import MIB, change_text, format_bandwidth, format_bytes, format_count, format_seconds


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


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (999.4e-6, "999 µs"),
        (999.6e-6, "1 ms"),
        (0.99951, "1 s"),
        (1234.0, "1230 s"),
        (7.64e-11, "0.0764 ns"),
        (float("nan"), "?"),
    ],
)
def test_a_time_has_three_digits_and_no_exponent(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


def test_a_bandwidth_is_rounded_before_its_unit_is_chosen() -> None:
    assert [format_bandwidth(each) for each in (999.9e6, 5e12, 0.0)] == ["1 GB/s", "5000 GB/s", "0 B/s"]


def test_a_change_of_what_is_not_known_has_no_unit() -> None:
    assert change_text("?", "5 ms") == "? → 5 ms"
