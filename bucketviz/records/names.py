"""What FX calls nodes, for messages about names that cannot be."""

from __future__ import annotations

import keyword
import re

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_fx_name(name: str) -> bool:
    """True for what FX can call a node.

    Example:
        >>> is_fx_name("all_gather_into_tensor_3"), is_fx_name("ag 3"), is_fx_name("3ag"), is_fx_name("import")
        (True, False, False, False)
    """
    return _NAME.fullmatch(name) is not None and not keyword.iskeyword(name)


def fx_name_advice(name: str) -> str:
    """Gives what FX names look like, as the rest of a sentence, where a name is none; empty where it is one.

    Example:
        >>> fx_name_advice("ag_3")
        ''
    """
    if is_fx_name(name):
        return ""
    return (
        f"{name!r} cannot be the name of an FX node: those are letters, digits and underscores and begin with no "
        "digit, such as all_gather_into_tensor_3"
    )
