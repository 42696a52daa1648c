"""The README's own lines run as they stand, on models of the gallery and of the tests."""

import re
import tomllib
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from simple_fsdp import DIM, Net, light_compilation, no_graph_cache, sharded_net
from torch.distributed.device_mesh import init_device_mesh

import bucketviz as bv
from bucketviz.sources import gallery
from bucketviz.sources.fake_world import fake_world

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text(encoding="utf-8")
IN_YOUR_OWN_CODE, INSIDE_COMPILE = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
WORLD_SIZE = 4


class FirstOutput(torch.nn.Module):
    """A sharded net that gives one tensor, as most models do."""

    def __init__(self, net: Net) -> None:
        super().__init__()
        self.net = net

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.net(x)[0]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the lines run: what they write lands there."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_in_your_own_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"model": gallery.llama(num_layers=1), "inputs": gallery.llama_inputs()}
    exec(IN_YOUR_OWN_CODE, names)
    printed = capsys.readouterr().out
    assert str(names["plan"]) in printed
    assert "bitwise equal" in printed
    assert names["result"].plan.buckets
    assert {file.name for file in folder.iterdir()} == {"explorer.html", "skeleton.svg"}


@pytest.mark.slow
def test_inside_torch_compile(folder: Path) -> None:
    with warnings.catch_warnings(), fake_world(WORLD_SIZE), light_compilation(), no_graph_cache():
        warnings.simplefilter("ignore")
        model = FirstOutput(sharded_net(init_device_mesh("cpu", (WORLD_SIZE,))))
        names: dict[str, Any] = {"torch": torch, "bv": bv, "model": model, "inputs": torch.randn(6, DIM)}
        exec(INSIDE_COMPILE, names)
    torch._dynamo.reset()
    forward, backward = names["bucket_pass"].plans
    assert forward.buckets
    assert backward.buckets


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\bbv\.(\w+)", TEXT))))
def test_every_name_is_public(name: str) -> None:
    assert name in bv.__all__


@pytest.mark.parametrize("extra", sorted(set(",".join(re.findall(r"-e \"\.\[([\w,]+)\]", TEXT)).split(","))))
def test_every_extra_is_declared(extra: str) -> None:
    declared = tomllib.loads((README.parent / "pyproject.toml").read_text(encoding="utf-8"))
    assert extra in declared["project"]["optional-dependencies"]


@pytest.mark.parametrize("target", sorted(set(re.findall(r"""(?:\]\(|src(?:set)?=")(?!http)([^)"#]+)""", TEXT))))
def test_every_link_leads_to_a_file(target: str) -> None:
    assert (README.parent / target).is_file()


@pytest.mark.parametrize("path", sorted(set(re.findall(r"^\| `([\w/.]+)`", TEXT, re.MULTILINE))))
def test_every_folder_and_file_of_the_architecture_is_there(path: str) -> None:
    assert (README.parent / path).exists()
