"""What the stages exchange: frozen, torch-free records with JSON both ways."""

from bucketviz.records.codec import SCHEMA, from_json, to_json
from bucketviz.records.difference import Move, PlanDiff
from bucketviz.records.execution import Comparison, Execution
from bucketviz.records.graph import Collective, Graph, Kind, Node, Role, Tensor
from bucketviz.records.plan import Bucket, BucketKey, Decision, Outcome, Plan, Reason
from bucketviz.records.policy import Policy
from bucketviz.records.ranks import Disagreement, RankCheck, check_ranks
from bucketviz.records.rewrite import Rewrite
from bucketviz.records.timeline import Slice, Timeline

__all__ = [
    "SCHEMA",
    "Bucket",
    "BucketKey",
    "Collective",
    "Comparison",
    "Decision",
    "Disagreement",
    "Execution",
    "Graph",
    "Kind",
    "Move",
    "Node",
    "Outcome",
    "Plan",
    "PlanDiff",
    "Policy",
    "RankCheck",
    "Reason",
    "Rewrite",
    "Role",
    "Slice",
    "Tensor",
    "Timeline",
    "check_ranks",
    "from_json",
    "to_json",
]
