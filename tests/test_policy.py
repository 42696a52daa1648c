"""What a policy accepts and what it says about the rest."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bucketviz.errors import PolicyError
from bucketviz.records import Kind, Policy
from bucketviz.units import MIB


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"mode": "fastest"}, r"mode='fastest' is not known; choose one of default, custom_ops"),
        ({"kinds": "all_to_all"}, r"kinds='all_to_all' is not known; choose one of all, reduce_scatter"),
        ({"kinds": ()}, r"kinds is empty; name at least one"),
        ({"strategy": "best"}, r"strategy='best' is not known; choose one of adjacent"),
        ({"fidelity": "exact"}, r"fidelity='exact' is not known; choose one of safe, inductor"),
        ({"cap_mib": 0}, r"cap_mib must be a positive number of MiB below 2\*\*40, got 0"),
        ({"cap_mib": -1.0}, r"cap_mib must be a positive number of MiB below 2\*\*40, got -1.0"),
        ({"cap_mib": math.nan}, r"cap_mib must be a positive number of MiB below 2\*\*40, got nan"),
        ({"cap_mib": math.inf}, r"cap_mib must be a positive number of MiB below 2\*\*40, got inf"),
        ({"cap_mib": "25"}, r"cap_mib takes a number of MiB, got '25'"),
        ({"cap_mib": True}, r"cap_mib takes a number of MiB, got True"),
        ({"cap_mib": []}, r"cap_mib is an empty sequence"),
        ({"cap_mib": [25, 0]}, r"cap_mib\[1\] must be a positive number of MiB below 2\*\*40, got 0"),
        ({"max_span_nodes": 1}, r"max_span_nodes takes a number of nodes from 2, or None for any number, got 1"),
        ({"max_span_nodes": 2.5}, r"max_span_nodes takes a number of nodes from 2"),
        (
            {"strategy": "grouped", "fidelity": "inductor"},
            r"strategy='grouped', max_span_nodes and max_span_seconds need fidelity='safe'",
        ),
        ({"max_span_seconds": 0, "machine": "h100-8x-ib"}, r"max_span_seconds takes a positive number of seconds"),
        ({"max_span_seconds": math.nan, "machine": "h100-8x-ib"}, r"max_span_seconds takes a positive number"),
        ({"max_span_seconds": 1e-3}, r'needs a machine whose seconds these are, as machine="h100-8x-ib"'),
        ({"machine": 8}, r"machine takes the name of a machine, got 8"),
        ({"max_span_nodes": 9, "fidelity": "inductor"}, r"fidelity='inductor' packs neighbours whatever they span"),
        ({"order": "size"}, r"order='size' is not known; choose one of graph, registration"),
        (
            {"order": "registration", "fidelity": "inductor"},
            r"packs members in the order of their waits, as torch does; order='registration' needs fidelity='safe'",
        ),
        ({"filter_wait": 3}, r"filter_wait takes a callable of the wait node, got 3"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused_with_what_was_found(options: dict[str, Any], said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        Policy(**options)


def test_a_number_is_the_cap_of_every_bucket() -> None:
    assert [Policy(cap_mib=25).cap_bytes(index) for index in (0, 7)] == [25 * MIB, 25 * MIB]


def test_the_last_cap_of_a_sequence_repeats() -> None:
    policy = Policy(cap_mib=[1, 25])
    assert [policy.cap_bytes(index) for index in range(4)] == [MIB, 25 * MIB, 25 * MIB, 25 * MIB]


def test_a_callable_is_asked_for_the_bucket_index() -> None:
    assert [Policy(cap_mib=lambda index: 2.0 + index).cap_bytes(index) for index in (0, 1)] == [2 * MIB, 3 * MIB]


def test_a_callable_that_gives_no_size_is_refused_when_asked() -> None:
    with pytest.raises(PolicyError, match=r"cap_mib\(3\) must be a positive"):
        Policy(cap_mib=lambda index: -1.0).cap_bytes(3)


def test_kinds_are_kept_in_inductors_order() -> None:
    assert Policy(kinds=("all_gather", "reduce_scatter")).kinds == (Kind.REDUCE_SCATTER, Kind.ALL_GATHER)
    assert Policy(kinds="all_reduce").kinds == (Kind.ALL_REDUCE,)


@pytest.mark.parametrize("cap", [1e308, 10**400, 2.0**40, b"ab", None, 1 + 2j])
def test_caps_that_cannot_be_are_refused(cap: Any) -> None:
    with pytest.raises(PolicyError, match=r"cap_mib(\[0\])? (takes a number|must be a positive number) of MiB"):
        Policy(cap_mib=cap)


@pytest.mark.parametrize("cap", [np.float32(25), np.int64(25), Fraction(50, 2)])
def test_numbers_of_other_kinds_are_caps_too(cap: Any) -> None:
    assert Policy(cap_mib=cap).cap_bytes(0) == 25 * 2**20


@pytest.mark.parametrize("kinds", [5, None])
def test_kinds_that_are_no_kinds_are_refused(kinds: Any) -> None:
    with pytest.raises(PolicyError, match=f"kinds takes 'all', one of .*, or several, got {kinds}"):
        Policy(kinds=kinds)


def test_a_cap_function_that_fails_is_named() -> None:
    def fails(index: int) -> float:
        raise RuntimeError("boom")

    with pytest.raises(PolicyError, match=r"cap_mib\(3\) raised RuntimeError\('boom'\)"):
        Policy(cap_mib=fails).cap_bytes(3)
