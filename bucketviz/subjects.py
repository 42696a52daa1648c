"""Graphs and results as what the explorer shows of them."""

from __future__ import annotations

from typing import Any

import torch.fx as fx

from bucketviz.deciding import Decider
from bucketviz.errors import ExplorerError, type_text
from bucketviz.explorer import Maker, Rewriter, Subject
from bucketviz.predicting import predictor
from bucketviz.records import Plan, Policy
from bucketviz.rewriting import Bucketed, rewrite
from bucketviz.sources.capture import Captured
from bucketviz.sources.describe import describe
from bucketviz.views import rewrite_record


def subjects_of(source: Any, policy: Policy | None) -> list[Subject]:
    """Gives what is shown of a capture, a graph or a result; a graph is planned and rewritten first.

    Args:
        source: A capture, an ``fx.GraphModule``, or what :func:`bucketviz.bucket` gave.
        policy: How to bucket a graph; None where the user asked for nothing.

    Raises:
        ExplorerError: for what cannot be shown, and for a policy beside what is rewritten already.
    """
    if isinstance(source, Captured):
        return [_subject_of_graph(gm, policy) for gm in (source.forward, source.backward) if gm is not None]
    if isinstance(source, fx.GraphModule):
        return [_subject_of_graph(source, policy)]
    if not isinstance(source, Bucketed):
        raise ExplorerError(
            f"cannot show {type_text(source)}; give an fx.GraphModule, a capture, what bucketviz.bucket or "
            "bucketviz.execute gave, a record or the path of a saved one, or a bucketviz.BucketPass"
        )
    if policy is not None:
        raise ExplorerError("a Bucketed is bucketed already; give the graph itself to bucket it another way")
    return [_subject_of_result(source, Decider(source.plan.graph))]


def _subject_of_graph(gm: fx.GraphModule, policy: Policy | None) -> Subject:
    decider = Decider(describe(gm))
    return _subject_of_result(rewrite(gm, decider.plan(policy or Policy())), decider)


def _subject_of_result(result: Bucketed, decider: Decider) -> Subject:
    def rewrite_again(plan: Plan) -> Bucketed:
        return rewrite(result.before, plan, rank=result.rank)

    maker = Maker(decider.outline, Rewriter(rewrite_again, rewrite_record))
    return Subject(result.plan, rewrite_record(result), result, maker=maker, predictor=predictor())
