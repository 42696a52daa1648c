"""Showing: ``explore`` and ``lesson``, which need torch for graphs but not for what was saved."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bucketviz.deciding import Decider
from bucketviz.errors import ExplorerError, type_text
from bucketviz.options import policy_of, shown
from bucketviz.progress import progress
from bucketviz.records import Execution, Graph, Plan, Policy, Prediction, Rewrite, load
from bucketviz.records.same_graph import first_difference

if TYPE_CHECKING:
    from bucketviz.explorer import Explorer, Subject

_LOOKS = ("title", "theme", "height", "rank", "machine")


def explore(source: Any, /, *more: Any, **options: Any) -> Explorer:
    """Shows a graph, its plan and its rewrite as one linked, interactive widget.

    Args:
        source: What to show: a capture, an ``fx.GraphModule``, what :func:`bucketviz.bucket` gave, a record (a
            rewrite, a plan, a graph, what :func:`bucketviz.execute` measured or :func:`bucketviz.simulate` predicted)
            or the path of a saved one, a :class:`bucketviz.BucketPass` that has compiled something, or a list of these,
            each a view; or a mapping from ranks to these, whose plans are held against each other: the first place
            where ranks would call different collectives is shown. Records and their files are shown where there is no
            torch, too: planned anew with another policy, but not rewritten.
        more: Further sources, as in ``explore(before, after)``; and last, where they are not planned yet, a policy, or
            a list of policies to see side by side: each graph is shown under each, and what
            moved from the first policy to each other.
        options: Fields of :class:`bucketviz.records.Policy`, in place of a policy; and ``title`` (by default the name
            of the source), ``theme``, ``height``, ``rank`` (whose measured timelines are shown), ``machine`` (a name
            out of ``bucketviz.simulation.machine_names()``: what the timeline's estimated time is an estimate for).

    Raises:
        ExplorerError: for a source that cannot be shown, one that is bucketed already beside a policy, a plan beside a
            graph that it is not of, policies that are none, for ranks that are none, and for a machine that is not
            known.
        PolicyError: for an option that is none.
        RecordError: for a file that holds no record.

    Example:
        >>> plans = {0: bv.load("rank0.json"), 1: bv.load("rank1.json")}  # doctest: +SKIP
        >>> bv.explore(plans)  # doctest: +SKIP
    """
    return _opened([source, *more], options)


def lesson(
    source: Any,
    /,
    *more: Any,
    ask_kinds: Any = None,
    ask_reasons: Any = None,
    ask_from: int = 0,
    **options: Any,
) -> Explorer:
    """Opens the explorer as a lesson: it stops ahead of each verdict, asks, reveals it with its reason, keeps score.

    Predict by click or with the keys 1, 2, 3, and go on with ``n``. What is decided later is not shown yet, in no pane;
    what is not asked for is told when its turn has come. ``explorer.score`` is the score, ``explorer.guesses`` the
    predictions on ``explorer.questions``; ``explorer.to_html(path)`` writes the lesson as an offline page.

    Args:
        source: What :func:`explore` takes.
        more: As for :func:`explore`.
        ask_kinds: The kinds of collective whose verdicts are asked for, one or several; by default all.
        ask_reasons: The reasons (``"joined"``, ``"over cap"``, …) whose decisions are asked for; by default all.
        ask_from: Step of the first decision that may be asked for, from 0; those before are shown.
        options: As for :func:`explore`.

    Raises:
        ExplorerError: for a kind, reason or step that cannot be, for an empty list of them, when nothing is left to ask
            for, and as :func:`explore`.
        PolicyError: for an option that is none.
        RecordError: for a file that holds no record.

    Example:
        >>> import torch, bucketviz as bv
        >>> gm = bv.capture(torch.nn.Linear(8, 8), torch.ones(2, 8)).forward
        >>> lesson = bv.lesson(gm)
        >>> [decision.reason.value for decision in lesson.questions]
        ['opened', 'joined']
        >>> lesson.guesses = ["opens", "alone"]  # in the browser a click each
        >>> print(lesson.score)
        1 of 2 right
    """
    from bucketviz.explorer import Asked

    explorer = _opened([source, *more], options, asks=Asked(ask_kinds, ask_reasons, ask_from))
    for view in range(len(explorer.subjects)):
        explorer.view = view
        if explorer.questions:
            explorer.quiz = True
            explorer.step = explorer.questions[0].step
            explorer.selection = [explorer.questions[0].collective]
            return explorer
    if not any(subject.plan.decisions for subject in explorer.subjects):
        raise ExplorerError("nothing communicates here, so no decision can be asked for; give a graph with collectives")
    graphs = ", ".join(subject.plan.summary().splitlines()[0] for subject in explorer.subjects)
    raise ExplorerError(f"no decision is asked for ({graphs}); ask for other kinds or reasons, or from an earlier step")


def _opened(given: list[Any], options: dict[str, Any], **looks: Any) -> Explorer:
    """Gives the explorer of sources, and of the policies behind them."""
    from bucketviz.explorer import Explorer, name_apart

    look = looks | {key: options[key] for key in _LOOKS if key in options}
    options = {key: value for key, value in options.items() if key not in _LOOKS or _is_of_policy(key, options)}
    sources, policies = _split(given)
    if options:
        policies = [policy_of(policies[0] if policies else None, options)]
    name = getattr(given[0], "name", "")
    if isinstance(name, str) and name and len(sources) == 1:
        look.setdefault("title", name)
    with progress("Laying out"):
        sources = [load(each) if isinstance(each, str | Path) else each for each in sources]
        by_source = [_subjects_under(each, policies) for each in sources]
        if isinstance(sources[0], Graph) or hasattr(sources[0], "forward"):
            _check_plans(by_source[0], sources)
        subjects = [subject for each in by_source for subject in each]
        name_apart(subjects)
        if isinstance(given[0], Mapping):
            look.setdefault("title", subjects[0].plan.graph.name)
        return Explorer(subjects, **look)


def _is_of_policy(key: str, options: dict[str, Any]) -> bool:
    """True for the machine of a span in seconds, which the policy needs to know too."""
    return key == "machine" and options.get("max_span_seconds") is not None


def _split(given: list[Any]) -> tuple[list[Any], list[Policy]]:
    """Gives the sources, and the policies that stand behind them."""
    last = given[-1]
    several = list(last) if isinstance(last, list | tuple) else [last]
    if len(given) > 1 and not several:
        raise ExplorerError(
            "asked for policies, and the list holds none; give some, as in [bucketviz.Policy(cap_mib=25)], or leave "
            "the list out"
        )
    for place, each in enumerate(given[:-1], start=1):
        if isinstance(each, Policy):
            raise ExplorerError(f"argument {place} of {len(given)} is a policy; policies come last, as one list")
    if not any(isinstance(each, Policy) for each in several):
        return [given[0], *(each for each in given[1:] if each is not None)], []
    _check_policies(several)
    if len(given) == 1:
        raise ExplorerError("got a policy and no graph to bucket; give the graph first: bucketviz.explore(gm, policy)")
    return given[:-1], several


def _check_policies(given: list[Any]) -> None:
    for place, each in enumerate(given, start=1):
        if not isinstance(each, Policy):
            raise ExplorerError(
                f"item {place} of the {len(given)} policies is {shown(each)}, which is no policy; each is a "
                "bucketviz.Policy, as in [bucketviz.Policy(cap_mib=25), bucketviz.Policy(cap_mib=200)]"
            )


def _check_plans(graphs: list[Subject], sources: list[Any]) -> None:
    """Refuses plans beside a graph, or the two of a capture, that they are not of."""
    for plan in (each for each in sources[1:] if isinstance(each, Plan)):
        differences = [first_difference(subject.plan.graph, plan.graph) for subject in graphs]
        if all(differences):
            raise ExplorerError(
                f"the plan is of another graph ({plan.graph.name}): {differences[0]}; give a plan of this one, "
                "bucketviz.plan(gm), or a list to see both: bucketviz.explore([gm, plan])"
            )


def _subjects_under(source: Any, policies: list[Policy]) -> list[Subject]:
    """Gives what is shown of a source, each graph under each policy."""
    from bucketviz.explorer import Subject

    if isinstance(source, Mapping):
        return _subjects_of_ranks(source, policies)
    subjects = []
    for first in _subjects_of(source, policies[0] if policies else None):
        plans = [first.outlined(policy)[1]() for policy in policies[1:]]
        others = [Subject(plan, maker=first.maker, predictor=first.predictor) for plan in plans]
        for other in others:
            other.try_to_rewrite()
            other.pinned = first.plan
        subjects += [first, *others]
    return subjects


def _subjects_of_ranks(sources: Mapping[Any, Any], policies: list[Policy]) -> list[Subject]:
    """Gives what is shown of each rank. Nothing is planned anew: ranks are compared as they are."""
    strangers = [rank for rank in sources if not isinstance(rank, int) or rank < 0]
    if strangers or not sources:
        found = repr(strangers[0]) if strangers else "no rank"
        raise ExplorerError(f"expected a mapping from global ranks (0, 1, …) to what each has, found {found}")
    if len(policies) > 1:
        raise ExplorerError(f"got {len(policies)} policies for several ranks; compare ranks under one policy at a time")
    subjects = []
    for rank, source in sources.items():
        own = _subjects_under(source, policies)
        for subject in own:
            subject.rank, subject.maker = rank, None
            subject.name = f"rank {rank}" if len(own) == 1 else f"{subject.name} · rank {rank}"
        subjects += own
    return subjects


def _subjects_of(source: Any, policy: Policy | None) -> list[Subject]:
    if isinstance(source, list | tuple):
        return [subject for part in source for subject in _subjects_of(part, policy)]
    if isinstance(source, str | Path):
        return _subjects_of(load(source), policy)
    if isinstance(source, Graph):
        decider = Decider(source)
        return [_recorded(decider.plan(policy or Policy()), decider=decider)]
    if isinstance(source, Plan | Rewrite | Execution | Prediction) or hasattr(source, "rewrites"):
        _check_unasked(source, policy)
        return _subjects_of_records(source)
    try:
        from bucketviz.subjects import subjects_of
    except ModuleNotFoundError as error:
        raise ExplorerError(
            f"without torch, explore takes the record of a graph, plan, rewrite, run or prediction, or its file; got "
            f"{type_text(source)}; install torch to show anything else"
        ) from error
    return subjects_of(source, policy)


def _check_unasked(source: object, policy: Policy | None) -> None:
    if policy is not None:
        done = "planned" if isinstance(source, Plan) else "bucketed"
        raise ExplorerError(
            f"this {type(source).__name__} is {done} already; give the graph itself to bucket it another way"
        )


def _subjects_of_records(source: Any) -> list[Subject]:
    if isinstance(source, Plan):
        return [_recorded(source)]
    if isinstance(source, Rewrite):
        return [_recorded(source.plan, source)]
    if isinstance(source, Prediction):
        return [_recorded(source.rewrite.plan, source.rewrite, prediction=source)]
    if not isinstance(source, Execution):
        return [_recorded(rewrite.plan, rewrite) for rewrite in _seen_by(source)]
    if source.rewrite is None:
        raise ExplorerError("this run holds no graph to show; bucketviz.execute(result) makes runs that do")
    return [_recorded(source.rewrite.plan, source.rewrite, source)]


def _recorded(
    plan: Plan,
    rewrite: Rewrite | None = None,
    run: Execution | None = None,
    prediction: Prediction | None = None,
    decider: Decider | None = None,
) -> Subject:
    from bucketviz.explorer import Maker, Subject
    from bucketviz.predicting import predictor

    maker = Maker((decider or Decider(plan.graph)).outline)
    return Subject(plan, rewrite, run=run, prediction=prediction, maker=maker, predictor=predictor())


def _seen_by(bucket_pass: Any) -> list[Rewrite]:
    if not bucket_pass.rewrites:
        raise ExplorerError(
            f"{bucket_pass!r} has seen no graph that communicates: compile and run the model first, with "
            "torch._inductor.config.force_disable_caches=True where Inductor may have the graph in its cache"
        )
    return list(bucket_pass.rewrites)
