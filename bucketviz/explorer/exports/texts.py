"""Names from anywhere as text that can stand in a file or a picture: nothing is executed, nothing reorders a line."""

from __future__ import annotations

import re

_UNWRITABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""What XML cannot hold, and what turns the direction of the text around it."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def writable(text: str) -> str:
    r"""Gives the text with what no XML file can hold, and what turns a line's direction, as escapes.

    Example:
        >>> print(writable("a\x00b\u202ec"), writable("layers.0"))
        a\x00b\u202ec layers.0
    """
    return _UNWRITABLE.sub(lambda match: ascii(match.group())[1:-1], text)


def one_line(text: str, most: int = 44) -> str:
    r"""Gives the text on one line of at most ``most`` characters, shortened in its middle.

    Example:
        >>> one_line("a\n  b"), one_line("layers.0.attention.wq", 12)
        ('a b', 'layers…on.wq')
    """
    line = writable(" ".join(text.split()))
    if len(line) <= most:
        return line
    head = most // 2
    return f"{line[:head]}…{line[head + 1 - most :]}"


def cell(text: str) -> str:
    """Gives the text as a cell that no spreadsheet takes for a formula: an apostrophe stands before one.

    Example:
        >>> cell("=1+1"), cell("layers.0")
        ("'=1+1", 'layers.0')
    """
    return writable(f"'{text}" if text.startswith(_FORMULA) else text)
