"""The pass inside torch.compile: Inductor hands over a graph, its collectives are bucketed in place."""

from __future__ import annotations

import hashlib
import json
import warnings
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import torch
import torch.fx as fx

from bucketviz import __version__
from bucketviz.deciding import decide
from bucketviz.errors import CaptureError, PlanError, RewriteError
from bucketviz.options import policy_of
from bucketviz.records import Plan, Policy, Rewrite
from bucketviz.rewriting import Bucketed, rewrite
from bucketviz.rewriting.adopt import adopt
from bucketviz.sources.describe import describe
from bucketviz.sources.fake_world import known_groups, own_rank
from bucketviz.units import format_count

try:
    from torch._functorch._aot_autograd.logging_utils import get_aot_graph_name
    from torch._inductor.custom_graph_pass import CustomGraphPass
except ImportError as error:
    raise RewriteError(
        f"torch {torch.__version__} has no place for a pass of ours in torch.compile ({error}); "
        "install torch 2.11 to 2.14"
    ) from error


class BucketPass(CustomGraphPass):
    """Buckets collectives inside torch.compile, and keeps what it decided.

    Every graph that Inductor compiles is planned and rewritten in place, once: with ``fidelity="safe"`` a second run
    would change nothing. A graph that cannot be rewritten is compiled as it is: a warning says why, once for each
    reason, and ``refusals`` keeps it. No guard is added.
    What Inductor takes from its cache never reaches the pass, so ``rewrites`` lacks it; to see every graph, set
    ``torch._inductor.config.force_disable_caches``.

    Args:
        policy: How to bucket; or give its fields as keywords (``cap_mib=25, mode="custom_ops"``).
        options: Fields of :class:`bucketviz.records.Policy`.

    Attributes:
        policy: What was asked.
        rewrites: Before, after and plan of every rewrite, in order; one for a graph that communicates unmerged.
        refusals: For each graph that could not be rewritten, a sentence with its name and the reason.

    Raises:
        PolicyError: for an unknown field, mode, kind or strategy, or a cap that is not a positive number.

    Example:
        After Inductor's own passes, forward and backward:

            bucket_pass = bv.BucketPass(cap_mib=25)
            compiled = torch.compile(model, options={"post_grad_custom_post_pass": bucket_pass})
            compiled(inputs).sum().backward()
            bv.explore(bucket_pass)
    """

    def __init__(self, policy: Policy | None = None, /, **options: Any) -> None:
        self.policy = policy_of(policy, options)
        self.rewrites: list[Rewrite] = []
        self.refusals: list[str] = []
        self._reasons: set[str] = set()

    @property
    def plans(self) -> list[Plan]:
        """The plan of each of ``rewrites``."""
        return [item.plan for item in self.rewrites]

    def __call__(self, graph: fx.Graph) -> None:
        """Buckets the collectives of a graph in place.

        Raises:
            PolicyError: when a callable ``cap_mib`` gives something that is no cap.
        """
        name = get_aot_graph_name()
        try:
            kept = _bucket_in_place(graph, name, self.policy)
        except (CaptureError, PlanError, RewriteError) as error:
            self._refuse(name, str(error))
        else:
            self.rewrites += [kept] if kept.plan.decisions else []

    def uuid(self) -> str | None:
        """Gives what Inductor's cache tells passes apart by: a digest of policy, code and this rank's place.

        The rank's place in every process group is part of it, because merged all_gathers hold it as a constant:
        ranks that share a cache must not share their graphs.

        Returns:
            None when the policy holds a callable, which cannot be compared with one in another process; Inductor
            then compiles without its cache.
        """
        if self._callables():
            return None
        policy = {item.name: getattr(self.policy, item.name) for item in fields(self.policy)}
        told_apart_by = [__version__, _sources_digest(), policy, _places()]
        return hashlib.sha256(json.dumps(told_apart_by, sort_keys=True).encode()).hexdigest()

    def __repr__(self) -> str:
        fewer = sum(plan.num_collectives_before - plan.num_collectives_after for plan in self.plans)
        text = f"BucketPass: {format_count(len(self.rewrites), 'rewrite')}, {format_count(fewer, 'collective')} fewer"
        if self.refusals:
            text += f"; could not be rewritten: {len(self.refusals)}"
        if self._callables():
            text += f"; not cached by Inductor, because {' and '.join(self._callables())} is a callable"
        return text

    def _callables(self) -> list[str]:
        return [item.name for item in fields(self.policy) if callable(getattr(self.policy, item.name))]

    def _refuse(self, name: str, reason: str) -> None:
        self.refusals.append(f"{name} is compiled as it is: {reason}")
        if reason not in self._reasons:
            self._reasons.add(reason)
            warnings.warn(self.refusals[-1], RuntimeWarning, stacklevel=3)


def _bucket_in_place(graph: fx.Graph, name: str, policy: Policy) -> Rewrite:
    """Plans and rewrites a graph; where anything is raised, the graph is as it was."""
    gm = graph.owning_module
    if gm is None:
        raise RewriteError("the graph belongs to no GraphModule, or to several; hand over the graph of one")
    plan = decide(describe(gm, name), policy)
    if not plan.buckets:
        return Rewrite(plan.graph, plan, {}, {}, ())
    result = rewrite(gm, plan, rank=own_rank())
    return _record(gm, result, adopt(graph, result.graph_after))


def _record(gm: fx.GraphModule, result: Bucketed, names: dict[str, str]) -> Rewrite:
    return Rewrite(
        after=describe(gm, result.plan.graph.name),
        plan=result.plan,
        provenance={names[node]: served for node, served in result.provenance.items()},
        replaced={wait: names[node] for wait, node in result.replaced.items()},
        bucket_starts=tuple(names[node] for node in result.bucket_starts),
    )


def _places() -> dict[str, int]:
    """Gives this process's rank inside each of its process groups."""
    rank = own_rank()
    return {name: ranks.index(rank) for name, ranks in known_groups().items() if rank in ranks}


@cache
def _sources_digest() -> str:
    """Digests the code of this package, as Inductor's cache does with torch's: other code may give other graphs."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        digest.update(str(file.relative_to(package)).encode() + file.read_bytes())
    return digest.hexdigest()
