"""Ranks in processes of their own need a torch with gloo."""

import pytest
import torch.distributed as dist
from tools import absent


def pytest_runtest_setup(item: pytest.Item) -> None:
    if not dist.is_gloo_available():
        absent("gloo", "this torch has no gloo")
