"""Records to JSON and back."""

import json
from dataclasses import replace
from typing import Any

import pytest
from samples import SAMPLES

import bucketviz as bv
from bucketviz.errors import PolicyError, RecordError
from bucketviz.records import (
    SCHEMA,
    Bucket,
    BucketKey,
    Collective,
    Comparison,
    Decision,
    Environment,
    Execution,
    Graph,
    Kind,
    Node,
    Outcome,
    Plan,
    Policy,
    Reason,
    Rewrite,
    Role,
    Slice,
    Tensor,
    Timeline,
    from_json,
    to_json,
)
from bucketviz.verbs import bucket
from bucketviz.views import rewrite_record

PLACE = Environment("2.13.0", "a processor", None, "2026-01-02T03:04:05+00:00", "")
KEY = BucketKey(Kind.ALL_GATHER, "0", 4, None, "bf16")
GATHER = Collective(Kind.ALL_GATHER, "0", 4, None, "w", ("wait",), True, False, 32, None)
GRAPH = Graph(
    "tiny",
    (
        Node("w", Role.INPUT, "w", (), Tensor("bf16", (4, "s0"), "cpu", None)),
        Node("ag", Role.COLLECTIVE, "all_gather", ("w",), collective=GATHER, module="layers.0", source="model.py:3"),
        Node("wait", Role.WAIT, "wait_tensor", ("ag",), storage="ag"),
    ),
    {"0": (0, 2, 4, 6)},
)
EVIDENCE = {"size_bytes": 32, "readers": ("a", "b"), "first_member": "ag", "shape": None}
PLAN = Plan(
    GRAPH,
    Policy(cap_mib=(1.0, 25.0), kinds="all_gather"),
    (Bucket(0, KEY, ("ag",), 32, 1024, "bf16"),),
    (Decision(0, "ag", Outcome.MERGED, Reason.OPENED, 0, EVIDENCE, joins_at_cap_bytes=7),),
)
RECORDS = [
    GRAPH,
    PLAN,
    Rewrite(GRAPH, PLAN, {"ag": ("ag",)}, {"wait": "wait"}, ("ag",)),
    Timeline("s", (Slice("ag", "group '0'", 0, 2.0, 3.5, "B0", 3.0, 2.5, ((2.5, 3.0),)),)),
    Execution("lockstep", "cpu", 4, (Comparison(0, 1, False, 0.5, "shape", 0.25),), (), PLACE),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_a_record_survives_the_round_trip(record: object) -> None:
    assert from_json(to_json(record)) == record


def test_the_text_names_schema_and_type() -> None:
    document = json.loads(to_json(GRAPH))
    assert (document["schema"], document["version"], document["type"]) == (SCHEMA, bv.__version__, "Graph")


def test_a_function_keeps_its_name_and_is_not_called_again() -> None:
    def cap_by_index(index: int) -> float:
        return 1.0 + index

    plan = from_json(to_json(replace(PLAN, policy=Policy(cap_mib=cap_by_index))))
    with pytest.raises(PolicyError, match=r"the function .*cap_by_index was not saved with the plan; pass it again"):
        plan.policy.cap_bytes(0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "found text that is not JSON"),
        ("[]", "expected a record of schema bucketviz/1, found 'list'"),
        ('{"schema": "bucketviz/9"}', "expected a record of schema bucketviz/1, found 'bucketviz/9'"),
        ('{"schema": "bucketviz/1", "type": "os.system"}', "unknown record type 'os.system'; known: .*Plan"),
        ('{"schema": "bucketviz/1", "type": "Slice", "data": {}}', "Slice lacks name, row, lane, start, end;"),
        ('{"schema": "bucketviz/1", "type": "Slice", "data": 3}', "Slice holds 3; expected dict"),
    ],
)
def test_text_that_is_no_record_is_refused(text: str, said: str) -> None:
    with pytest.raises(RecordError, match=said):
        from_json(text)


def test_a_record_from_before_a_field_was_there_opens_with_its_default() -> None:
    document = json.loads(to_json(PLAN))
    del document["version"]
    del document["data"]["policy"]["machine"], document["data"]["graph"]["groups"]
    for decision in document["data"]["decisions"]:
        del decision["joins_at_cap_bytes"]
    del document["data"]["graph"]["nodes"][1]["collective"]["is_pure_cast"]
    decisions = tuple(decision._replace(joins_at_cap_bytes=None) for decision in PLAN.decisions)
    assert from_json(json.dumps(document)) == replace(PLAN, graph=replace(GRAPH, groups={}), decisions=decisions)


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("9.1", f"upgrade bucketviz; bucketviz 9.1 wrote it, and this is {bv.__version__}$"),
        (bv.__version__, "upgrade bucketviz$"),
        (None, "upgrade bucketviz$"),
        (7, "upgrade bucketviz$"),
    ],
)
def test_a_field_of_a_later_version_names_both_versions_where_they_are_known(version: object, said: str) -> None:
    document = json.loads(to_json(GRAPH)) | {"version": version}
    document["data"]["nodes"][1]["collective"]["colour"] = "red"
    with pytest.raises(RecordError, match=rf"^Graph\.nodes\[1\]\.collective holds colour, .* not know; {said}"):
        from_json(json.dumps(document))


def test_a_field_of_the_wrong_type_is_named() -> None:
    document = json.loads(to_json(GRAPH))
    document["data"]["nodes"][1]["role"] = "king"
    with pytest.raises(RecordError, match=r"Graph.nodes\[1\].role holds 'king'; expected one of input, compute"):
        from_json(json.dumps(document))


def test_a_reader_of_a_node_that_does_not_exist_is_refused() -> None:
    document = json.loads(to_json(GRAPH))
    document["data"]["nodes"][1]["inputs"] = ["nobody"]
    with pytest.raises(RecordError, match="ag reads nobody, which no earlier node gives"):
        from_json(json.dumps(document))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f'{{"schema": "{SCHEMA}", "type": ["Plan"], "data": {{}}}}', r"unknown record type \['Plan'\]"),
        ("[" * 200_000, "nested too deeply"),
        (None, "expected the text of a record, found None"),
        ('{"schema": "bucketviz/99", "type": "Plan"}', "open it with the bucketviz that wrote it"),
        (
            f'{{"schema": "{SCHEMA}", "type": "Policy", "data": {{"cap_mib": -1, "kinds": ["all_gather"], '
            '"mode": "default", "strategy": "adjacent", "fidelity": "safe", "filter_wait": null, '
            '"max_span_nodes": null, "order": "graph", "max_span_seconds": null, "machine": ""}}',
            "Policy holds a policy that cannot be: cap_mib must be a positive",
        ),
        (
            f'{{"schema": "{SCHEMA}", "type": "Tensor", "data": {{"dtype": "f32", "shape": [], "device": "cpu", '
            '"size_bytes": 4, "colour": "red"}}',
            "Tensor holds colour, which this version does not know",
        ),
    ],
)
def test_broken_records_are_refused(text: Any, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        from_json(text)


@pytest.mark.parametrize(
    ("value", "told"), [(None, "None"), ([], "a list"), ({}, "a dict"), ("text", "a str"), (Kind.ALL_GATHER, "a Kind")]
)
def test_only_records_are_saved(value: Any, told: str) -> None:
    with pytest.raises(RecordError, match=f"cannot save {told};"):
        to_json(value)


def rewrite_document() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(to_json(rewrite_record(bucket(SAMPLES["over_the_cap"](), cap_mib=0.001))))
    return document


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("plan", "decisions", 0, "bucket"), 99),
        (("plan", "decisions", 0, "bucket"), -1),
        (("plan", "decisions", 0, "collective"), "nobody"),
        (("plan", "buckets", 0, "collectives"), ["nobody", "ag1"]),
        (("plan", "buckets", 0, "closed_by"), "nobody"),
        (("plan", "buckets", 1, "index"), 0),
        (("plan", "graph", "nodes", 0, "storage"), "nobody"),
        (("plan", "buckets", 0, "collectives"), []),
        (("plan", "buckets", 0, "collectives"), ["ag0", "ag0"]),
        (("plan", "buckets", 1, "collectives"), ["ag0", "ag1"]),
        (("plan", "decisions", 0, "bucket"), None),
        (("plan", "decisions", 0, "collective"), "ag1"),
        (("plan", "decisions"), []),
        (("bucket_starts",), []),
        (("bucket_starts", 0), "nobody"),
        (("replaced",), {"nobody": "x"}),
        (("provenance",), {"nobody": []}),
    ],
)
def test_references_that_lead_nowhere_are_refused(path: tuple[str | int, ...], value: Any) -> None:
    document = rewrite_document()
    place = document["data"]
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(RecordError, match="the file was changed or cut"):
        from_json(json.dumps(document))


def test_a_wait_that_is_not_there_is_refused() -> None:
    document = rewrite_document()
    node = next(node for node in document["data"]["after"]["nodes"] if node["collective"])
    node["collective"]["waits"] = ["nobody"]
    with pytest.raises(RecordError, match="names 'nobody'"):
        from_json(json.dumps(document))


def test_reprs_fit_a_line() -> None:
    result = rewrite_record(bucket(SAMPLES["fsdp_step"]()))
    for record in (result, result.plan, result.before):
        assert len(repr(record)) < 200
