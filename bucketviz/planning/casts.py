"""Which dtype casts the packing copy of an all_gather bucket may perform itself."""

from __future__ import annotations

from bucketviz.planning.candidates import Candidate
from bucketviz.records.graph import Kind
from bucketviz.records.policy import Policy


def absorbed_casts(members: list[Candidate], policy: Policy) -> tuple[str, ...]:
    """Gives the casts to absorb, in packing order.

    ``inductor`` absorbs every cast with one user. ``safe`` absorbs only what stays bit-equal: casts that change
    nothing but the dtype, and, where members are concatenated before they are cast, only when every member's
    source has one dtype (a concatenation would promote them). The functional forms copy without converting.

    Source: ``has_mergeable_all_gather_convert_dtype`` in torch/_inductor/fx_passes/bucketing.py.
    """
    if members[0].key.kind is not Kind.ALL_GATHER:
        return ()
    casts = tuple([cast for member in members if (cast := member.collective.cast)])
    if policy.fidelity == "inductor":
        return casts
    if policy.mode.startswith("functional"):
        return ()
    if not all(member.collective.is_pure_cast for member in members if member.collective.cast):
        return ()
    sources = {member.collective.cast_from for member in members}
    packs_each_alone = "custom_ops" in policy.mode
    return casts if packs_each_alone or len(sources) == 1 else ()
