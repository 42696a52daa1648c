"""What a process leaves in its temporary folder: nothing, not even the folder of torch's compiler, empty or filled."""

import os
import subprocess
import sys

import pytest

CAPTURED = """
import torch
import bucketviz as bv

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 8))
result = bv.bucket(bv.capture(model, (torch.rand(4, 8),), world_size=2).forward)
"""
RUNS = {
    "lockstep": "assert bv.execute(result, backend='lockstep').equal",
    "gloo": "assert bv.execute(result, backend='gloo', repeats=1).equal",
    "failed": """
try:
    bv.execute(result, backend="gloo", imports=["is_not_there"])
except bv.errors.ExecutionError as error:
    assert "No module named 'is_not_there'" in str(error)
else:
    raise AssertionError
""",
}
NO_FOLDER = """
import os
from torch._inductor.runtime.cache_dir_utils import cache_dir
os.rmdir(cache_dir())  # which also names it in the environment; ranks make it anew where they keep compiled code
"""


def run(code, folder, **environment):
    variables = {name: value for name, value in os.environ.items() if name != "TORCHINDUCTOR_CACHE_DIR"}
    variables |= {"TMPDIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)} | environment
    subprocess.run([sys.executable, "-c", code], env=variables, check=True)


@pytest.mark.parametrize("kind", ["lockstep", pytest.param("failed", marks=pytest.mark.slow)])
def test_a_run_leaves_nothing(tmp_path, kind):
    run(CAPTURED + RUNS[kind], tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_folder_that_torch_named_for_compiled_code_is_not_for_the_ranks(tmp_path):
    run(CAPTURED + NO_FOLDER + RUNS["gloo"], tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_folder_that_the_user_named_for_compiled_code_is(tmp_path):
    cache, temporary = tmp_path / "cache", tmp_path / "temporary"
    temporary.mkdir()
    run(CAPTURED + NO_FOLDER + RUNS["gloo"], temporary, TORCHINDUCTOR_CACHE_DIR=str(cache))
    assert list(temporary.iterdir()) == []
    assert cache.is_dir()


def test_code_that_was_compiled_before_is_left_where_it_is(tmp_path):
    kernel = tmp_path / "torchinductor_me" / "kernel.py"
    kernel.parent.mkdir()
    kernel.write_text("")
    run(CAPTURED, tmp_path)
    assert kernel.exists()
