"""What the user asks of the pass: kinds, cap, mode, strategy, fidelity, filter; checked on construction."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bucketviz.errors import PolicyError
from bucketviz.records.graph import MERGEABLE_KINDS, Kind, Node
from bucketviz.units import MIB

Cap = float | tuple[float, ...] | Callable[[int], float]
WaitFilter = Callable[[Node], bool]

MODES = ("default", "custom_ops", "custom_ops_multidtype", "functional", "functional_copy_in", "coalesced")
STRATEGIES = ("adjacent",)
FIDELITIES = ("safe", "inductor")
DEFAULT_CAP_MIB = 2000.0
"""Inductor's default (``bucket_cap_mb_by_bucket_idx_default``), MiB despite its name."""


@dataclass(frozen=True)
class Policy:
    """How to bucket.

    Attributes:
        cap_mib: Largest bucket in MiB: a number, a sequence with one entry a bucket index (the last one
            repeats), or a callable of the bucket index. The index counts within a run of equal keys.
        kinds: The collectives to merge: ``"all"``, one kind, or several.
        mode: Form of the merged collective. ``default``; ``custom_ops`` packs with one opaque op;
            ``custom_ops_multidtype`` lets all_gathers of several dtypes share a bucket; ``functional``
            and ``functional_copy_in`` gather without an in-place fill; ``coalesced`` keeps the tensors of a
            reduce_scatter apart.
        strategy: ``adjacent``: consecutive collectives of one key, as Inductor does.
        fidelity: ``safe`` never changes a number; ``inductor`` gives exactly the installed torch's buckets.
        filter_wait: Keeps only collectives whose wait node satisfies it.

    Units:
        ``cap_mib`` is in MiB (2**20 bytes).

    Raises:
        PolicyError: for a value that does not exist or a cap that is not a positive number.
    """

    cap_mib: Cap = DEFAULT_CAP_MIB
    kinds: tuple[Kind, ...] = MERGEABLE_KINDS
    mode: str = "default"
    strategy: str = "adjacent"
    fidelity: str = "safe"
    filter_wait: WaitFilter | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", _checked_kinds(self.kinds))
        object.__setattr__(self, "cap_mib", _checked_cap(self.cap_mib))
        _check_choice("mode", self.mode, MODES)
        _check_choice("strategy", self.strategy, STRATEGIES)
        _check_choice("fidelity", self.fidelity, FIDELITIES)
        if self.filter_wait is not None and not callable(self.filter_wait):
            raise PolicyError(f"filter_wait takes a callable of the wait node, got {self.filter_wait!r}")

    @property
    def is_multidtype(self) -> bool:
        """True when all_gathers of several dtypes may share a bucket."""
        return "multidtype" in self.mode

    def cap_bytes(self, bucket_index: int) -> int:
        """Gives the cap in bytes of the bucket with that index within its run of equal keys."""
        cap = self.cap_mib
        if isinstance(cap, tuple):
            return int(cap[min(bucket_index, len(cap) - 1)] * MIB)
        if callable(cap):
            asked = f"cap_mib({bucket_index})"
            return int(_checked_number(cap(bucket_index), asked) * MIB)
        return int(cap * MIB)


def _checked_kinds(kinds: Kind | str | Iterable[Kind | str]) -> tuple[Kind, ...]:
    if kinds == "all":
        return MERGEABLE_KINDS
    asked = [kinds] if isinstance(kinds, str) else list(kinds)
    known = [kind.value for kind in MERGEABLE_KINDS]
    for kind in asked:
        _check_choice("kinds", kind, ("all", *known))
    if not asked:
        raise PolicyError(f"kinds is empty; name at least one of {', '.join(known)}, or 'all'")
    return tuple(kind for kind in MERGEABLE_KINDS if kind in asked or "all" in asked)


def _checked_cap(cap: Cap | Sequence[float]) -> Cap:
    if callable(cap):
        return cap
    if isinstance(cap, Sequence) and not isinstance(cap, str):
        if not cap:
            raise PolicyError("cap_mib is an empty sequence; give one cap a bucket index, or one number for all")
        return tuple(_checked_number(entry, f"cap_mib[{index}]") for index, entry in enumerate(cap))
    return _checked_number(cap, "cap_mib")


def _checked_number(cap: object, asked: str) -> float:
    if isinstance(cap, bool) or not isinstance(cap, int | float):
        raise PolicyError(f"{asked} takes a number of MiB, got {cap!r}")
    if math.isnan(cap) or math.isinf(cap) or cap <= 0:
        raise PolicyError(f"{asked} must be a positive, finite number of MiB, got {cap!r}")
    return float(cap)


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise PolicyError(f"{name}={value!r} is not known; choose one of {', '.join(choices)}")
