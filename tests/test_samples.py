"""Every sample is a sound graph that says what it is."""

import pytest
from graph_builder import Builder
from samples import SAMPLES
from torch._subclasses.fake_tensor import FakeTensor

from bucketviz.collectives import collective_op
from bucketviz.sources.fake_world import GROUPS_KEY

WITHOUT_VALUE = {"missing_metadata": {"ag1"}}


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_lints_and_is_drawn(name: str) -> None:
    gm = SAMPLES[name]()
    gm.graph.lint()
    assert len((SAMPLES[name].__doc__ or "").strip().splitlines()) >= 3


@pytest.mark.parametrize("name", SAMPLES)
def test_every_value_is_a_fake_tensor_of_one_mode(name: str) -> None:
    gm = SAMPLES[name]()
    modes, missing = set(), set()
    for node in gm.graph.nodes:
        if node.op == "output":
            continue
        if "val" not in node.meta:
            missing.add(node.name)
            continue
        values = node.meta["val"] if isinstance(node.meta["val"], list) else [node.meta["val"]]
        assert all(isinstance(value, FakeTensor) for value in values)
        modes |= {value.fake_mode for value in values}
    assert len(modes) == 1
    assert missing == WITHOUT_VALUE.get(name, set())


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("world_size", [2, 4, 8])
def test_group_sizes_fit_the_groups(name: str, world_size: int) -> None:
    gm = SAMPLES[name](world_size)
    groups = gm.meta[GROUPS_KEY]
    assert groups["0"] == tuple(range(world_size))
    for node in gm.graph.nodes:
        if collective_op(node) is not None and len(node.args) >= 3 and isinstance(node.args[-2], int):
            size, group = node.args[-2:]
            assert node.target._opname == "broadcast" or size == len(groups[group])


def test_builder_names_nodes_after_their_kind() -> None:
    b = Builder(2)
    x = b.input("x", 4)
    names = [b.gather(x).name, b.scatter(x).name, b.reduce(x).name, b.gather(x).name, b.wait(b.gather(x)).name]
    assert names == ["ag0", "rs0", "ar0", "ag1", "wait_ag2"]
