"""One thing at a time: JupyterLab may have the browser answered in another thread than the one that runs the cells.

Source: JupyterLab from 4.4 on sends what widgets say to a kernel subshell, which ipykernel from 7 on runs as a thread:
https://jupyterlab.readthedocs.io/en/4.4.x/api/enums/services.CommsOverSubshells.html
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")
_TURN = RLock()


def one_at_a_time(function: Callable[_Given, _Made]) -> Callable[_Given, _Made]:
    """Makes a function wait while another thread is in any function made so; they may call each other."""

    @wraps(function)
    def in_turn(*args: _Given.args, **kwargs: _Given.kwargs) -> _Made:
        with _TURN:
            return function(*args, **kwargs)

    return in_turn
