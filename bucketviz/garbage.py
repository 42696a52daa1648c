"""Python's garbage collector, out of the way while large graphs are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Keeps the collector from looking for garbage in work that makes hundreds of thousands of objects and drops few.

    It would go through all that was made so far, again and again, for a third of the whole time. Afterwards, also
    on an error, it is on again where it was on before.

    Example:
        >>> with collection_paused():
        ...     nodes = [[index] for index in range(100_000)]
        >>> gc.isenabled()
        True
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
