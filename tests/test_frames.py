"""Which frames of a stack trace are the user's own: told the same way wherever one is read."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import torch.fx as fx

import bucketviz as bv
from bucketviz import frames
from bucketviz.errors import ExecutionError
from bucketviz.execution import run_lockstep
from bucketviz.explorer import Subject
from bucketviz.explorer.payload import build_payload
from bucketviz.frames import innermost_place, user_frames
from bucketviz.sources import gallery
from bucketviz.views import rewrite_record

PACKAGE = Path(bv.__file__).parent
TORCH = Path(torch.__file__).parent


def trace_of(*files: str) -> str:
    return "".join(f'  File "{file}", line {line}, in f\n    x = f(x)\n' for line, file in enumerate(files, start=1))


@pytest.mark.parametrize(
    "file",
    [
        "/home/me/model.py",
        "/home/me/torch/model.py",
        "/usr/lib/torch/model.py",
        "/home/me/bucketviz/model.py",
        "/home/me/sources/capture.py",
        "/venv/lib/python3.11/site-packages/torchtitan/model.py",
        "/venv/lib/python3.11/site-packages/bucketviz/sources/gallery.py",
        str(PACKAGE / "sources" / "gallery.py"),
        f"{TORCH}titan/model.py",
        "/tmp/ipykernel_7/3.py",
        "<stdin>",
        r"C:\work\model.py",
    ],
)
def test_a_users_file(file: str) -> None:
    assert [frame.file for frame in user_frames(trace_of(file))] == [file]


@pytest.mark.parametrize(
    "file",
    [
        str(TORCH / "nn" / "modules" / "linear.py"),
        "/venv/lib/python3.11/site-packages/torch/nn/functional.py",
        "/usr/lib/python3/dist-packages/torch/nn/functional.py",
        r"C:\venv\Lib\site-packages\torch\nn\functional.py",
        str(PACKAGE / "sources" / "capture.py"),
        str(PACKAGE / "execution" / "rank.py"),
        "/venv/lib/python3.11/site-packages/bucketviz/sources/weights.py",
        "/somebodys/checkout/bucketviz/sources/capture.py",
        "<eval_with_key>.7",
        "<frozen importlib._bootstrap>",
    ],
)
def test_a_librarys_file(file: str) -> None:
    assert user_frames(trace_of(file)) == ()


def test_torch_is_known_by_its_folder_wherever_it_was_built(monkeypatch: pytest.MonkeyPatch) -> None:
    assert frames.folders_of_torch() == (f"{TORCH.as_posix()}/",)
    monkeypatch.setattr(frames, "folders_of_torch", lambda: ("/src/pytorch/torch/",))
    assert user_frames(trace_of("/src/pytorch/torch/nn/functional.py")) == ()
    assert len(user_frames(trace_of("/src/pytorch/examples/model.py"))) == 1


def test_a_frame_has_its_place_code_and_scope() -> None:
    (frame,) = user_frames('noise\n  File "/home/me/model.py", line 12, in forward\n    y = self.wq(x)\n')
    assert (frame.place, frame.code, frame.scope) == ("model.py:12", "y = self.wq(x)", ", in forward")
    assert str(frame) == 'File "/home/me/model.py", line 12, in forward\n    y = self.wq(x)'


def test_frames_without_code_do_not_swallow_the_next() -> None:
    found = user_frames('  File "a.py", line 1, in f\n  File "b.py", line 2, in g\n')
    assert [str(frame) for frame in found] == ['File "a.py", line 1, in f', 'File "b.py", line 2, in g']


def test_the_innermost_place_is_the_users() -> None:
    assert (
        innermost_place(trace_of("/home/me/train.py", "/home/me/model.py", str(TORCH / "functional.py")))
        == "model.py:2"
    )
    assert innermost_place(trace_of(str(TORCH / "functional.py"))) == innermost_place("") == ""


@pytest.mark.slow
def test_a_captured_gallery_model_points_at_its_own_lines() -> None:
    gm = bv.capture(gallery.llama(num_layers=1, dim=64, num_heads=2), gallery.llama_inputs(), world_size=2).forward
    record = rewrite_record(bv.bucket(gm))
    sources = {node.source for node in record.plan.graph.nodes if node.source}
    assert {source.split(":")[0] for source in sources} == {"gallery.py"}
    stacks = build_payload([Subject(record.plan, record)], "title")["views"][0]["before"]["stack"]
    files = {line.split('"')[1] for stack in stacks for line in stack.splitlines()[::2]}
    assert files == {gallery.__file__}


@pytest.mark.parametrize(
    ("files", "where"),
    [
        ((str(PACKAGE / "sources" / "capture.py"),), ""),
        (("/me/model.py", str(TORCH / "functional.py")), " at model.py:1"),
    ],
)
def test_an_op_that_fails_names_the_users_line_or_none(files: tuple[str, ...], where: str) -> None:
    gm = fx.symbolic_trace(lambda x: torch.ops.aten.mm.default(x, x))
    node = gm.graph.find_nodes(op="call_function", target=torch.ops.aten.mm.default)[0]
    node.meta["stack_trace"] = trace_of(*files)
    with pytest.raises(ExecutionError, match=rf"failed on rank 0{where}: RuntimeError"):
        run_lockstep([gm], [[torch.ones(3)]], {"0": [0]})
