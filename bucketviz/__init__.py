"""bucketviz: see, explain and prove the collective bucketing pass of PyTorch Inductor.

    import bucketviz as bv

    captured = bv.capture(model, inputs, world_size=8)
    plan = bv.plan(captured.forward, cap_mib=25)
    print(plan.why("all_gather_into_tensor_3"))
    bv.explore(captured, cap_mib=25)

Names are imported when they are first used, so that records open where torch is not installed. What the verbs give and
what can be asked for beside them: `bucketviz.records`, `bucketviz.explorer`, `bucketviz.execution`,
`bucketviz.simulation`, `bucketviz.sources.gallery`, `bucketviz.errors` and, with the signatures of torch,
`bucketviz.bucketing`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bucketviz import bucketing, errors, records
    from bucketviz.compiling import BucketPass
    from bucketviz.records import Policy, check_ranks, load, save
    from bucketviz.showing import explore, lesson
    from bucketviz.sources import gallery
    from bucketviz.sources.fake_world import fake_world
    from bucketviz.verbs import bucket, capture, describe, execute, plan, save_job, simulate

__version__ = "0.1.0"
__all__ = [
    "BucketPass",
    "Policy",
    "bucket",
    "bucketing",
    "capture",
    "check_ranks",
    "describe",
    "errors",
    "execute",
    "explore",
    "fake_world",
    "gallery",
    "lesson",
    "load",
    "plan",
    "records",
    "save",
    "save_job",
    "simulate",
]

_MODULES = {"bucketing": "bucketviz.bucketing", "errors": "bucketviz.errors", "records": "bucketviz.records"}
_MODULES["gallery"] = "bucketviz.sources.gallery"
_HOMES = {
    "BucketPass": "bucketviz.compiling",
    "explore": "bucketviz.showing",
    "lesson": "bucketviz.showing",
    "fake_world": "bucketviz.sources.fake_world",
}
_HOMES |= dict.fromkeys(("Policy", "check_ranks", "load", "save"), "bucketviz.records")


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'bucketviz' has no attribute {name!r}")
    if name in _MODULES:
        return import_module(_MODULES[name])
    globals()[name] = getattr(import_module(_HOMES.get(name, "bucketviz.verbs")), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
