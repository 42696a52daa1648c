"""What the stages exchange: frozen, torch-free records with JSON both ways."""

from bucketviz.records.codec import SCHEMA, from_json, to_json
from bucketviz.records.execution import Comparison, Execution
from bucketviz.records.graph import Collective, Graph, Kind, Node, Role, Tensor
from bucketviz.records.plan import Bucket, BucketKey, Decision, Outcome, Plan, Reason
from bucketviz.records.policy import Policy
from bucketviz.records.rewrite import Rewrite
from bucketviz.records.timeline import Slice, Timeline

__all__ = [
    "SCHEMA",
    "Bucket",
    "BucketKey",
    "Collective",
    "Comparison",
    "Decision",
    "Execution",
    "Graph",
    "Kind",
    "Node",
    "Outcome",
    "Plan",
    "Policy",
    "Reason",
    "Rewrite",
    "Role",
    "Slice",
    "Tensor",
    "Timeline",
    "from_json",
    "to_json",
]
