"""Plans that were edited by hand: where they contradict themselves, the message names the place."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from samples import SAMPLES, SMALL_CAP_MIB

import bucketviz as bv
from bucketviz.errors import RecordError
from bucketviz.records import from_json, to_json
from bucketviz.views import rewrite_record

Edit = Callable[[list[dict[str, Any]], list[dict[str, Any]]], None]


def document(sample: str = "over_the_cap", **options: Any) -> dict[str, Any]:
    saved: dict[str, Any] = json.loads(to_json(bv.plan(SAMPLES[sample](), **{"cap_mib": SMALL_CAP_MIB, **options})))
    return saved


def refusal(saved: dict[str, Any]) -> str:
    with pytest.raises(RecordError) as caught:
        from_json(json.dumps(saved))
    return str(caught.value)


EDITS: list[tuple[Edit, str]] = [
    (
        lambda buckets, decisions: decisions[4].update(outcome="merged"),
        "decision 4 (ag4): outcome is 'merged', expected 'left alone': no bucket holds it",
    ),
    (
        lambda buckets, decisions: decisions[4].update(reason="joined"),
        "decision 4 (ag4): reason is 'joined', expected a reason to be left alone: no bucket holds it",
    ),
    (
        lambda buckets, decisions: decisions[4].update(outcome="merged", reason="joined", bucket=0),
        "decision 4 (ag4): bucket is 0, expected None: no bucket holds it",
    ),
    (
        lambda buckets, decisions: decisions[1].update(reason="over cap"),
        "decision 1 (ag1): reason is 'over cap', expected 'opened' or 'joined': B0 holds it",
    ),
    (
        lambda buckets, decisions: decisions[1].update(reason="opened"),
        "decision 1 (ag1): reason is 'opened', expected 'joined': B0 has 1 member by then",
    ),
    (
        lambda buckets, decisions: decisions[1].update(bucket=7),
        "decision 1 (ag1): bucket is 7, expected 0: B0 holds it",
    ),
    (
        lambda buckets, decisions: decisions[1].update(collective="ag 1"),
        "decision 1 (ag 1): collective is 'ag 1', expected the FX name of a collective of the graph; 'ag 1' cannot be "
        "the name of an FX node: those are letters, digits and underscores and begin with no digit, such as "
        "all_gather_into_tensor_3",
    ),
    (
        lambda buckets, decisions: decisions[1].update(collective="wait_ag1"),
        "decision 1 (wait_ag1): collective is 'wait_ag1', expected the FX name of a collective of the graph",
    ),
    (
        lambda buckets, decisions: decisions[1].update(collective="ag0"),
        "decision 1 (ag0): collective is 'ag0', expected one that no earlier decision is on",
    ),
    (
        lambda buckets, decisions: decisions[1].update(step=5),
        "decision 1 (ag1): step is 5, expected 1, its position",
    ),
    (
        lambda buckets, decisions: decisions.pop(),
        "the plan: its number of decisions is 4, expected also one on ag4",
    ),
    (
        lambda buckets, decisions: decisions[1]["evidence"].update(size_bytes=5),
        "decision 1 (ag1): evidence.size_bytes is 5, expected 512, as the graph has it",
    ),
    (
        lambda buckets, decisions: decisions[1]["evidence"].update(bucket_bytes=5),
        "decision 1 (ag1): evidence.bucket_bytes is 5, expected 512, by B0 and the decisions before",
    ),
    (
        lambda buckets, decisions: decisions[1]["evidence"].update(place=1),
        "decision 1 (ag1): evidence.place is 1, expected 2, by B0 and the decisions before",
    ),
    (
        lambda buckets, decisions: decisions[4]["evidence"].update(neighbour="nobody"),
        "decision 4 (ag4): evidence.neighbour is 'nobody', expected the FX name of a collective of the graph",
    ),
    (
        lambda buckets, decisions: buckets[1].update(size_bytes=1000),
        "B1: size_bytes is 1000, expected 1024, the sum of its members",
    ),
    (
        lambda buckets, decisions: buckets[1].update(cap_bytes=100),
        "B1: cap_bytes is 100, expected its size_bytes, 1024, or more",
    ),
    (
        lambda buckets, decisions: buckets[1]["key"].update(group_name="9"),
        "B1: key.group_name is '9', expected 0, that of its member ag2",
    ),
    (
        lambda buckets, decisions: buckets[1]["key"].update(dtype="bf16"),
        "B1: key.dtype is 'bf16', expected f32, that of its member ag2",
    ),
    (
        lambda buckets, decisions: buckets[1].update(index=0),
        "B1: index is 0, expected 1, its position",
    ),
    (
        lambda buckets, decisions: buckets[1].update(collectives=[]),
        "B1: collectives is [], expected at least one",
    ),
    (
        lambda buckets, decisions: buckets[1].update(collectives=["ag2", "ag0"]),
        "B1: collectives[1] is 'ag0', expected one that is not in B0 already",
    ),
    (
        lambda buckets, decisions: buckets[1].update(collectives=["ag3", "ag2"]),
        "decision 2 (ag2): evidence.place is 1, expected 2, by B1 and the decisions before",
    ),
    (
        lambda buckets, decisions: buckets[1].update(closed_by="3"),
        "B1: closed_by is '3', expected the FX name of a collective of the graph; '3' cannot be the name of an FX "
        "node: those are letters, digits and underscores and begin with no digit, such as all_gather_into_tensor_3",
    ),
    (
        lambda buckets, decisions: buckets[1].update(absorbed_casts=["nobody"]),
        "B1: absorbed_casts is 'nobody', expected the FX name of a node of the graph",
    ),
]


@pytest.mark.parametrize(("edit", "message"), EDITS, ids=[message[:60] for _, message in EDITS])
def test_a_plan_that_contradicts_itself_is_refused_with_the_place_and_what_belongs_there(
    edit: Edit, message: str
) -> None:
    saved = document()
    edit(saved["data"]["buckets"], saved["data"]["decisions"])
    assert refusal(saved) == (
        f"{message}; the file was changed or cut: take the one that was saved, or save a new plan, bucketviz.plan(gm)"
    )


def test_a_member_less_is_found_where_its_decision_says_otherwise() -> None:
    saved = document(cap_mib=1)
    saved["data"]["buckets"][0]["collectives"].pop()
    assert refusal(saved).startswith("B0: size_bytes is 2560, expected 2048, the sum of its members")
    saved["data"]["buckets"][0]["size_bytes"] = 2048
    assert refusal(saved).startswith("decision 4 (ag4): bucket is 0, expected None: no bucket holds it")


@pytest.mark.parametrize("fidelity", ["safe", "inductor"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_every_plan_agrees_with_itself(sample: str, fidelity: str) -> None:
    """Also the one in which torch's own pass packs a collective once for each of its waits."""
    for cap_mib in (SMALL_CAP_MIB, 2000):
        plan = bv.plan(SAMPLES[sample](), cap_mib=cap_mib, fidelity=fidelity)
        assert from_json(to_json(plan)) == plan


def test_a_plan_without_the_evidence_that_came_later_opens() -> None:
    saved = document()
    for decision in saved["data"]["decisions"]:
        decision["evidence"] = {"size_bytes": decision["evidence"]["size_bytes"]}
    assert from_json(json.dumps(saved)).buckets == bv.plan(SAMPLES["over_the_cap"](), cap_mib=SMALL_CAP_MIB).buckets


def test_what_a_rewrite_added_serves_a_bucket() -> None:
    saved = json.loads(to_json(rewrite_record(bv.bucket(SAMPLES["over_the_cap"](), cap_mib=SMALL_CAP_MIB))))
    node = next(iter(saved["data"]["provenance"]))
    saved["data"]["provenance"][node] = ["ag4"]
    assert refusal(saved).startswith(f"the provenance of {node}, which serves members of buckets, names 'ag4'")


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda side: side["live_bytes"].pop(), "the number of live_bytes after is 34, expected 35"),
        (lambda side: side["timeline"]["slices"][0].update(name="nobody"), "the timeline of the estimate after names"),
    ],
)
def test_an_estimate_is_of_its_graph(edit: Any, message: str) -> None:
    saved = json.loads(to_json(bv.simulate(bv.bucket(SAMPLES["over_the_cap"]()))))
    edit(saved["data"]["after"])
    assert refusal(saved).startswith(message)
