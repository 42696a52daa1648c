"""The benchmark runs where there is no GPU too, alone and with two ranks; how fast things are is for people to read."""

import os
import subprocess
import sys
from pathlib import Path

import bench_buckets
import pytest
import torch
from copying import copy_speeds

pytestmark = pytest.mark.slow
SMALL = ["--layers", "4", "--width", "64", "--repeats", "1", "--bucket-mib", "1"]


def test_every_version_is_timed_and_gives_the_same_numbers(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["bench_buckets.py", *SMALL])
    bench_buckets.main()
    printed = capsys.readouterr().out
    assert printed.count("bitwise equal") == 2 * len(("before", "bucketviz", "torch"))
    assert "DIFFERENT" not in printed
    assert f"torch {torch.__version__}" in printed


def test_two_ranks_are_timed_together():
    script = Path(bench_buckets.__file__)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", str(script), *SMALL]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    finished = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, check=False)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.count("2 x gloo") == len(("before", "bucketviz", "torch"))
    assert "DIFFERENT" not in finished.stdout


def test_packing_is_measured_beside_a_copy_of_as_many_bytes():
    for speed in copy_speeds(1, 4, torch.device("cpu"), repeats=1):
        assert speed.bucket_bytes == 2**20
        assert speed.bytes_per_second > 0
        assert speed.share_of_copy == speed.copy_seconds / speed.seconds
