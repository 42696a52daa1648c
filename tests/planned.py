"""Plans of the named samples, each graph described once."""

from functools import cache
from typing import Any

from samples import SMALL_CAP_MIB, shared_sample

from bucketviz.planning import make_plan
from bucketviz.records import Graph, Plan, Policy
from bucketviz.sources.describe import describe

SMALL_CAP = {"cap_mib": SMALL_CAP_MIB}
INDUCTOR = {"fidelity": "inductor"}


@cache
def graph_of(sample: str) -> Graph:
    return describe(shared_sample(sample))


def plan_of(sample: str, **options: Any) -> Plan:
    return make_plan(graph_of(sample), Policy(**options))
