"""What the stages exchange: frozen, torch-free records with JSON both ways."""

from bucketviz.records.bandwidth import Bandwidth, bandwidth
from bucketviz.records.codec import SCHEMA, from_json, load, save, to_json
from bucketviz.records.difference import Move, PlanDiff
from bucketviz.records.estimate import Allocation, Estimate, Prediction
from bucketviz.records.execution import Comparison, Environment, Execution, Measured, RankRun
from bucketviz.records.execution_diff import Change, ExecutionDiff
from bucketviz.records.graph import Collective, Graph, Kind, Node, Role, Tensor
from bucketviz.records.plan import Bucket, BucketKey, Decision, Outcome, Plan, Reason
from bucketviz.records.policy import Policy
from bucketviz.records.ranks import Disagreement, RankCheck, check_ranks
from bucketviz.records.rewrite import Rewrite
from bucketviz.records.timeline import Slice, Timeline

__all__ = [
    "SCHEMA",
    "Allocation",
    "Bandwidth",
    "Bucket",
    "BucketKey",
    "Change",
    "Collective",
    "Comparison",
    "Decision",
    "Disagreement",
    "Environment",
    "Estimate",
    "Execution",
    "ExecutionDiff",
    "Graph",
    "Kind",
    "Measured",
    "Move",
    "Node",
    "Outcome",
    "Plan",
    "PlanDiff",
    "Policy",
    "Prediction",
    "RankCheck",
    "RankRun",
    "Reason",
    "Rewrite",
    "Role",
    "Slice",
    "Tensor",
    "Timeline",
    "bandwidth",
    "check_ranks",
    "from_json",
    "load",
    "save",
    "to_json",
]
