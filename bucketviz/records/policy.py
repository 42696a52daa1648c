"""What the user asks of the pass: kinds, cap, mode, strategy, fidelity, filter, order; checked on construction."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf

from bucketviz.errors import PolicyError
from bucketviz.records.graph import MERGEABLE_KINDS, Kind, Node
from bucketviz.units import MIB

Cap = float | tuple[float, ...] | Callable[[int], float]
WaitFilter = Callable[[Node], bool]

MODES = ("default", "custom_ops", "custom_ops_multidtype", "functional", "functional_copy_in", "coalesced")
STRATEGIES = ("adjacent", "grouped")
FIDELITIES = ("safe", "inductor")
ORDERS = ("graph", "registration")
DEFAULT_CAP_MIB = 2000.0
"""Inductor's default (``bucket_cap_mb_by_bucket_idx_default``), MiB despite its name."""
MOST_CAP_MIB = 2.0**40
"""No bucket is as large; what lies above is taken for a mistake."""


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
        strategy: ``adjacent``: consecutive collectives of one key, as Inductor does; ``grouped``: all of one key,
            wherever they stand.
        fidelity: ``safe`` never changes a number; ``inductor`` gives exactly the installed torch's buckets.
        max_span_nodes: Most nodes from the first member of a bucket to the last, both counted, in program order:
            a bucket starts where its last member stood, and what reads the first one moves behind it. Views and
            copies do not count, and what other buckets moved counts where it stands then. None, the default, for
            any number.
        max_span_seconds: Most seconds that a rank computes between the first member and the last, as estimated for
            ``machine``. None, the default, for any number.
        machine: Whose seconds these are: a name out of ``bucketviz.simulation.machine_names()``.
        filter_wait: Keeps only collectives whose wait node satisfies it.
        order: How members lie in their bucket; which they are does not depend on it. ``graph``: in the order of their
            waits, as Inductor does; ``registration``: as their weights were registered, which is how FSDP2 lays
            out a group (DDP takes the reverse). Gathers follow the graph's inputs, reductions its outputs; a bucket
            with a member that no plain chain of nodes ties to one of these stays in graph order, and says so.

    Units:
        ``cap_mib`` is in MiB (2**20 bytes), ``max_span_seconds`` in seconds.

    Raises:
        PolicyError: for a value that does not exist or a cap that is not a positive number.
    """

    cap_mib: Cap = DEFAULT_CAP_MIB
    kinds: tuple[Kind, ...] = MERGEABLE_KINDS
    mode: str = "default"
    strategy: str = "adjacent"
    fidelity: str = "safe"
    filter_wait: WaitFilter | None = None
    max_span_nodes: int | None = None
    order: str = "graph"
    max_span_seconds: float | None = None
    machine: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", _checked_kinds(self.kinds))
        object.__setattr__(self, "cap_mib", _checked_cap(self.cap_mib))
        _check_choice("mode", self.mode, MODES)
        _check_choice("strategy", self.strategy, STRATEGIES)
        _check_choice("fidelity", self.fidelity, FIDELITIES)
        _check_choice("order", self.order, ORDERS)
        if self.filter_wait is not None and not callable(self.filter_wait):
            raise PolicyError(f"filter_wait takes a callable of the wait node, got {self.filter_wait!r}")
        _check_span(self.max_span_nodes)
        _check_seconds(self.max_span_seconds, self.machine)
        if self.fidelity == "inductor" and (self.strategy != "adjacent" or self.limits_span):
            raise PolicyError(
                "fidelity='inductor' packs neighbours whatever they span, as torch does; "
                "strategy='grouped', max_span_nodes and max_span_seconds need fidelity='safe'"
            )
        if self.fidelity == "inductor" and self.order != "graph":
            raise PolicyError(
                f"fidelity='inductor' packs members in the order of their waits, as torch does; order={self.order!r} "
                "needs fidelity='safe'"
            )

    @property
    def is_multidtype(self) -> bool:
        """True when all_gathers of several dtypes may share a bucket."""
        return "multidtype" in self.mode

    @property
    def limits_span(self) -> bool:
        """True when the members of a bucket have to stand near each other."""
        return self.max_span_nodes is not None or self.max_span_seconds is not None

    def as_inductor(self) -> Policy:
        """Gives what the installed torch would do with this cap, mode, filter and these kinds."""
        return Policy(self.cap_mib, self.kinds, self.mode, fidelity="inductor", filter_wait=self.filter_wait)

    def cap_bytes(self, bucket_index: int) -> int:
        """Gives the cap in bytes of the bucket with that index within its run of equal keys."""
        cap = self.cap_mib
        if isinstance(cap, tuple):
            return int(cap[min(bucket_index, len(cap) - 1)] * MIB)
        if callable(cap):
            return int(_asked_cap(cap, bucket_index) * MIB)
        return int(cap * MIB)


def _checked_kinds(kinds: Kind | str | Iterable[Kind | str]) -> tuple[Kind, ...]:
    known = [kind.value for kind in MERGEABLE_KINDS]
    if kinds == "all":
        return MERGEABLE_KINDS
    if not isinstance(kinds, Iterable):
        raise PolicyError(f"kinds takes 'all', one of {', '.join(known)}, or several, got {kinds!r}")
    asked = [kinds] if isinstance(kinds, str) else list(kinds)
    for kind in asked:
        _check_choice("kinds", kind, ("all", *known))
    if not asked:
        raise PolicyError(f"kinds is empty; name at least one of {', '.join(known)}, or 'all'")
    return tuple(kind for kind in MERGEABLE_KINDS if kind in asked or "all" in asked)


def _checked_cap(cap: Cap | Sequence[float]) -> Cap:
    if callable(cap):
        return cap
    if isinstance(cap, Sequence) and not isinstance(cap, str | bytes):
        if not cap:
            raise PolicyError("cap_mib is an empty sequence; give one cap a bucket index, or one number for all")
        return tuple(_checked_number(entry, f"cap_mib[{index}]") for index, entry in enumerate(cap))
    return _checked_number(cap, "cap_mib")


def _asked_cap(cap: Callable[[int], float], bucket_index: int) -> float:
    asked = f"cap_mib({bucket_index})"
    try:
        given = cap(bucket_index)
    except Exception as error:
        raise PolicyError(f"{asked} raised {error!r}; it takes a bucket index and gives a number of MiB") from error
    return _checked_number(given, asked)


def _checked_number(cap: object, asked: str) -> float:
    if isinstance(cap, bool) or not isinstance(cap, numbers.Real):
        raise PolicyError(f"{asked} takes a number of MiB, got {cap!r}")
    if not 0 < (mib := _as_float(cap)) < MOST_CAP_MIB:
        raise PolicyError(f"{asked} must be a positive number of MiB below 2**40, got {cap!r}")
    return mib


def _as_float(number: numbers.Real) -> float:
    try:
        return float(number)
    except OverflowError:
        return float("inf")


def _check_span(most: object) -> None:
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 2):
        raise PolicyError(f"max_span_nodes takes a number of nodes from 2, or None for any number, got {most!r}")


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise PolicyError(f"{name}={value!r} is not known; choose one of {', '.join(choices)}")


def _check_seconds(most: object, machine: object) -> None:
    if not isinstance(machine, str):
        raise PolicyError(f"machine takes the name of a machine, got {machine!r}")
    if most is None:
        return
    if isinstance(most, bool) or not isinstance(most, int | float) or not 0 < most < inf:
        raise PolicyError(f"max_span_seconds takes a positive number of seconds, or None for any number, got {most!r}")
    if not machine:
        raise PolicyError(f'max_span_seconds={most} needs a machine whose seconds these are, as machine="h100-8x-ib"')
