"""Texts of any length through the store where ranks meet, of which one value holds at most 8 MiB."""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode

from torch._C._distributed_c10d import Store

from bucketviz.units import MIB

PART_BYTES = 4 * MIB


def post(store: Store, key: str, text: str, part_bytes: int = PART_BYTES) -> None:
    """Leaves a text under a key, compressed and in parts."""
    packed = b64encode(zlib.compress(text.encode(), level=1)).decode()
    parts = [packed[start : start + part_bytes] for start in range(0, len(packed), part_bytes)]
    for index, part in enumerate(parts):
        store.set(f"{key}/{index}", part)
    store.set(key, str(len(parts)))


def fetch(store: Store, key: str) -> str:
    """Gives what was left under a key, and waits until something is.

    Raises:
        RuntimeError: when nothing has come in the store's time.
    """
    num_parts = int(store.get(key))
    packed = b"".join(store.get(f"{key}/{index}") for index in range(num_parts))
    return zlib.decompress(b64decode(packed)).decode()
