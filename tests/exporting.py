"""The two sides of every sample, planned with the small cap and rewritten once."""

from functools import cache

from samples import SAMPLES, SMALL_CAP_MIB

import bucketviz as bv
from bucketviz.explorer.exports.sides import Side, side_after, side_before
from bucketviz.records import Rewrite
from bucketviz.views import rewrite_record

ALL_SAMPLES = sorted(set(SAMPLES) - {"subgroup"})
SIDES = ("before", "after")


@cache
def rewrite_of(sample: str) -> Rewrite:
    return rewrite_record(bv.bucket(SAMPLES[sample](), cap_mib=SMALL_CAP_MIB))


def side_of(sample: str, name: str) -> Side:
    rewrite = rewrite_of(sample)
    return side_before(rewrite.plan) if name == "before" else side_after(rewrite)
