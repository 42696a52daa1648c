"""Quantities as text: one way to write bytes and counts, used by reports, command line and explorer."""

import math
from functools import lru_cache

MIB = 2**20
_TIME_UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))
_BANDWIDTH_UNITS = (("GB/s", 1e9), ("MB/s", 1e6), ("KB/s", 1e3), ("B/s", 1.0))
_UNITS = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))


def format_bytes(size_bytes: int | float | None, *, rounds_up: bool = False) -> str:
    """Gives a size with a binary unit: ``16 MiB``, ``1.5 KiB``, ``12 B``; ``?`` for an unknown size.

    Args:
        size_bytes: The size.
        rounds_up: Never gives less than the size, so that the text can be used as a bound.

    Example:
        >>> format_bytes(16 * 2**20), format_bytes(1536), format_bytes(12), format_bytes(None)
        ('16 MiB', '1.5 KiB', '12 B', '?')
    """
    if size_bytes is None:
        return "?"
    for unit, factor in _UNITS:
        if size_bytes >= factor:
            value = size_bytes / factor
            return f"{_short(math.ceil(value * 100) / 100 if rounds_up else value)} {unit}"
    return f"{_short(float(size_bytes))} B"


def format_count(count: int, noun: str) -> str:
    """Gives a count with its noun: ``1 bucket``, ``3 buckets``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def format_seconds(seconds: float) -> str:
    """Gives a time in a unit that fits, with three digits: ``12.3 ms``, ``4.56 µs``; ``?`` for NaN.

    Example:
        >>> format_seconds(0.0123), format_seconds(4.56e-6), format_seconds(2), format_seconds(0)
        ('12.3 ms', '4.56 µs', '2 s', '0 s')
        >>> format_seconds(0.9999), format_seconds(1234), format_seconds(5e-11)
        ('1 s', '1230 s', '0.05 ns')
    """
    if math.isnan(seconds):
        return "?"
    return _in_unit(seconds, _TIME_UNITS) if seconds else "0 s"


def format_bandwidth(bytes_per_second: float | None) -> str:
    """Gives a bandwidth in decimal units, as nccl-tests do: ``195 GB/s``, ``3.2 MB/s``; ``?`` where it is unknown.

    Example:
        >>> format_bandwidth(195.2e9), format_bandwidth(3.2e6), format_bandwidth(None)
        ('195 GB/s', '3.2 MB/s', '?')
    """
    if bytes_per_second is None:
        return "?"
    return _in_unit(bytes_per_second, _BANDWIDTH_UNITS)


def change_text(before: str, after: str) -> str:
    """Gives two quantities as a change, the unit once where both have it.

    Example:
        >>> change_text("12 ms", "5 ms"), change_text("2 s", "300 ms")
        ('12 → 5 ms', '2 s → 300 ms')
    """
    value, _, unit = before.partition(" ")
    return f"{value if after.endswith(f' {unit}') else before} → {after}"


@lru_cache(maxsize=10_000)  # the layers of a model repeat its numbers
def _in_unit(quantity: float, units: tuple[tuple[str, float], ...]) -> str:
    """Gives three digits in the largest unit of which there is one after rounding, else in the smallest."""
    rounded = float(f"{quantity:.3g}")
    unit, factor = next((pair for pair in units if abs(rounded) >= pair[1]), units[-1])
    return f"{float(f'{quantity / factor:.3g}'):g} {unit}"


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
