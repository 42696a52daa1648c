"""A job: a folder that holds all that ranks in processes of their own, here or on other machines, have to know.

job.json             what is asked for: backend, world size, seeds, repeats
plan.json            the plan, with its policy, graph record and process groups
graph.json           the graph before; every rank rewrites it for itself
tensors.safetensors  the graph's own tensors
inputs-3.json        what rank 3 is given, with inputs-3.safetensors; only where inputs were passed
status/ results/     what each rank is doing, and what it found
outputs/             what each rank returned, where that was asked for
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import torch
import torch.fx as fx
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from bucketviz.errors import ExecutionError, RecordError, type_text
from bucketviz.execution.checks import check_count, check_inputs, check_seed
from bucketviz.execution.portable import StorageReader, StorageWriter, read_graph, write_graph
from bucketviz.execution.status import prepare_status
from bucketviz.records import Plan, from_json, to_json

SCHEMA = "bucketviz-job/1"
EXECUTION = "execution.json"
"""What all ranks found, together: rank 0 writes it at the end."""
AGENT = "agent"
"""Name of the status of the process that starts the ranks."""
DEVICE_TYPES = {"gloo": "cpu", "nccl": "cuda"}
"""By backend, where the tensors live."""
TIMEOUT_S = 300.0
Inputs = Sequence[Sequence[object]]


@dataclass(frozen=True, slots=True)
class JobOptions:
    """What a job is asked for.

    Raises:
        ExecutionError: for a backend, seed, number of runs or time that is none.

    Attributes:
        backend: ``gloo`` or ``nccl``.
        world_size: Number of ranks.
        seed: Seed of random inputs and random ops.
        warmup: Runs of each side that are not timed.
        repeats: Runs of each side that are.
        compile: Whether both sides go through Inductor.
        profile: Whether each side runs once more under the profiler.
        keep_outputs: Whether what every rank returned is written to ``outputs/``.
        timeout_s: Seconds in which no rank may fail to get on.
    """

    backend: str
    world_size: int
    seed: int = 0
    warmup: int = 1
    repeats: int = 5
    compile: bool = False
    profile: bool = False
    keep_outputs: bool = False
    timeout_s: float = TIMEOUT_S

    def __post_init__(self) -> None:
        if self.backend not in DEVICE_TYPES:
            known = " or ".join(DEVICE_TYPES)
            raise ExecutionError(f"ranks in processes of their own take {known}, got {self.backend!r}")
        check_seed(self.seed)
        check_count("warmup", self.warmup, 0)
        check_count("repeats", self.repeats, 1)
        if not isinstance(self.timeout_s, int | float) or not 0 < self.timeout_s < math.inf:
            raise ExecutionError(f"timeout_s takes a positive number of seconds, got {self.timeout_s!r}")
        if self.compile and self.profile:
            raise ExecutionError(
                "profile=True shows the nodes of the graph, and compile=True fuses them; ask for one of the two"
            )

    @property
    def device_type(self) -> str:
        """``cpu`` for gloo, ``cuda`` for nccl."""
        return DEVICE_TYPES[self.backend]


@dataclass(frozen=True)
class Job:
    """What a rank reads.

    Attributes:
        plan: What the rewrite has to obey.
        before: The graph as it was, on the rank's device.
    """

    plan: Plan
    before: fx.GraphModule


def status_path(folder: Path, rank: int | str) -> Path:
    """Gives where a rank notes what it is doing."""
    return folder / "status" / str(rank)


def result_path(folder: Path, rank: int) -> Path:
    """Gives where a rank leaves what it found."""
    return folder / "results" / f"rank-{rank}.json"


def outputs_path(folder: Path, rank: int) -> Path:
    """Gives where a rank leaves what its graphs returned: ``before.0`` …, ``after.0`` …."""
    return folder / "outputs" / f"rank-{rank}.safetensors"


def write_job(
    folder: Path, before: fx.GraphModule, plan: Plan, options: JobOptions, inputs: Inputs | None = None
) -> Path:
    """Writes a job to a folder that is not there yet, or empty; gives the folder.

    Args:
        folder: Where to.
        before: The graph.
        plan: Its plan.
        options: What is asked for.
        inputs: For each rank one value a placeholder; random ones, which each rank makes for itself, when None.

    Raises:
        ExecutionError: when the folder is in use or cannot be written, when the graph holds what a file cannot carry,
            or when the inputs are not those of the graph and the world.
    """
    storages = StorageWriter()
    graph = write_graph(before, storages)
    given = [] if inputs is None else _described_inputs(before, inputs, options.world_size)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ExecutionError(f"{folder} holds files; name a folder that is not there yet, or an empty one")
        for name in ("status", "results", "outputs", "logs", "tmp"):
            (folder / name).mkdir()
        for rank in (AGENT, *range(options.world_size)):
            prepare_status(status_path(folder, rank))
        for rank, (described, tensors) in enumerate(given):
            save_file(tensors, folder / f"inputs-{rank}.safetensors")
            (folder / f"inputs-{rank}.json").write_text(json.dumps(described))
        save_file(storages.storages, folder / "tensors.safetensors")
        (folder / "graph.json").write_text(json.dumps(graph))
        (folder / "plan.json").write_text(to_json(plan))
        document = {"schema": SCHEMA, "options": asdict(options), "has_inputs": inputs is not None}
        (folder / "job.json").write_text(json.dumps(document, indent=1))
    except (OSError, SafetensorError) as error:
        raise ExecutionError(
            f"the job cannot be written to {folder}: {error}; free space there, or choose another place "
            "(TMPDIR, or a folder of your own)"
        ) from error
    return folder


def prepare_rank(folder: Path, rank: int) -> None:
    """Makes the places where a rank leaves what it does and finds, and clears what an earlier run left there.

    Copies of a folder often come without those that are empty.

    Raises:
        ExecutionError: when nothing can be written there.
    """
    try:
        for earlier in (result_path(folder, rank), outputs_path(folder, rank), folder / EXECUTION):
            earlier.parent.mkdir(exist_ok=True)
            earlier.unlink(missing_ok=True)
    except OSError as error:
        raise ExecutionError(
            f"rank {rank} has to leave what it finds in {folder}: {error}; give a folder that can be written"
        ) from error


def read_options(folder: Path) -> JobOptions:
    """Gives what a job is asked for.

    Raises:
        ExecutionError: when the folder holds no job of this version.
    """
    document = _document(folder)
    options = document.get("options")
    known = {field.name: field.type for field in fields(JobOptions)}
    if not isinstance(options, dict) or set(options) != set(known):
        raise ExecutionError(f"{folder / 'job.json'} does not hold the options of a job; write it again")
    for name, value in options.items():
        if type(value).__name__ != known[name] and not (known[name] == "float" and type(value) is int):
            raise ExecutionError(f"{folder / 'job.json'} gives {value!r} for {name}; expected {known[name]}")
    return JobOptions(**options)


def read_job(folder: Path, device: torch.device) -> Job:
    """Gives the plan and graph of a job, on ``device``; what it is asked for is read first, by :func:`read_options`.

    Nothing in the folder is executed.

    Raises:
        ExecutionError: when they are not there, or damaged.
    """
    try:
        plan = from_json((folder / "plan.json").read_text())
        storages = StorageReader(load_file(folder / "tensors.safetensors"), device)
        document = json.loads((folder / "graph.json").read_text())
    except (OSError, ValueError, RecordError, SafetensorError) as error:
        raise ExecutionError(f"{folder} holds a job that cannot be read: {error}; write it again") from error
    if not isinstance(plan, Plan) or not isinstance(document, dict):
        raise ExecutionError(f"{folder} holds no plan and graph of a job; write it again")
    return Job(plan, read_graph(document, storages, device))


def read_inputs(folder: Path, rank: int, device: torch.device) -> list[object] | None:
    """Gives what a rank is given; None where it has to make its inputs up.

    Raises:
        ExecutionError: when they cannot be read.
    """
    if not _document(folder).get("has_inputs"):
        return None
    try:
        described = json.loads((folder / f"inputs-{rank}.json").read_text())
        storages = StorageReader(load_file(folder / f"inputs-{rank}.safetensors"), device)
        return [storages.tensor(item["tensor"]) if isinstance(item, dict) else item for item in described]
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        raise ExecutionError(f"the inputs of rank {rank} cannot be read: {error}; write the job again") from error


def _document(folder: Path) -> dict[str, Any]:
    try:
        document = json.loads((folder / "job.json").read_text())
    except (OSError, ValueError) as error:
        raise ExecutionError(f"{folder} holds no job: {error}; bucketviz.save_job writes one") from error
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise ExecutionError(f"{folder / 'job.json'} is no job of schema {SCHEMA}; write it with this version")
    return document


def _described_inputs(
    before: fx.GraphModule, inputs: Inputs, world_size: int
) -> list[tuple[list[Any], dict[str, torch.Tensor]]]:
    if not isinstance(inputs, list | tuple) or len(inputs) != world_size:
        found = f"{len(inputs)} of them" if isinstance(inputs, list | tuple) else type_text(inputs)
        raise ExecutionError(
            f"inputs takes for each of the {world_size} ranks a list with one value a placeholder, got {found}"
        )
    placeholders = [node for node in before.graph.nodes if node.op == "placeholder"]
    described = []
    for rank, values in enumerate(inputs):
        check_inputs(placeholders, values, rank)
        storages = StorageWriter()
        described.append(([_described(value, storages, rank) for value in values], storages.storages))
    return described


def _described(value: object, storages: StorageWriter, rank: int) -> Any:
    if isinstance(value, torch.Tensor):
        return {"tensor": storages.describe(value, f"an input of rank {rank}")}
    if value is None or isinstance(value, int | float):
        return value
    raise ExecutionError(
        f"an input of rank {rank} is {type_text(value)}; ranks in processes of their own take tensors, numbers "
        "and None, backend='lockstep' anything"
    )
