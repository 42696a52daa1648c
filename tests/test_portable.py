"""Graphs as JSON and bytes: the same nodes and the same numbers come back, and nothing in a file is executed."""

import json

import pytest
import torch
import torch.fx as fx
from capture_models import TwoLayers
from graph_builder import Builder, aten
from safetensors.torch import load, save
from samples import SAMPLES

import bucketviz as bv
from bucketviz import collectives as c
from bucketviz.errors import ExecutionError
from bucketviz.execution import verify_lockstep
from bucketviz.execution.portable import StorageReader, StorageWriter, read_graph, write_graph
from bucketviz.sources.fake_world import GROUPS_KEY
from bucketviz.tensors import hint

CPU = torch.device("cpu")
WITHOUT_NUMBERS = ("mixed_devices", "unhinted_symbol")
"""One lives on meta; the sizes of the other are unknown, so there are no random inputs."""


def to_file_and_back(gm, device=None):
    """Through text and safetensors, as a file would hold them."""
    writer = StorageWriter()
    text = json.dumps(write_graph(gm, writer), allow_nan=False)
    return read_graph(json.loads(text), StorageReader(load(save(writer.storages)), CPU), device)


def shape_of(value):
    """All that a fake value says, with the hints of its symbols."""
    if isinstance(value, torch.Tensor):
        sizes = [hint(size) for size in (*value.shape, *value.stride(), value.storage_offset())]
        return value.dtype, value.device, sizes, value.is_conj(), value.is_neg()
    if isinstance(value, list | tuple):
        return [shape_of(item) for item in value]
    return hint(value) if isinstance(value, torch.SymInt) else value


def described(gm):
    """Name, op, target, arguments and metadata of every node."""
    return [
        (
            *(node.name, node.op, str(node.target), str(node.args), str(node.kwargs)),
            shape_of(node.meta.get("val")),
            *(node.stack_trace, [path for path, _ in (node.meta.get("nn_module_stack") or {}).values()]),
        )
        for node in gm.graph.nodes
    ]


def assert_same(gm, twin):
    assert described(twin) == described(gm)
    assert bv.describe(twin).groups == bv.describe(gm).groups
    assert bv.describe(twin).name == bv.describe(gm).name


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_comes_back_with_the_same_nodes(name):
    gm = SAMPLES[name]()
    assert_same(gm, to_file_and_back(gm))


@pytest.mark.parametrize("name", [name for name in SAMPLES if name not in WITHOUT_NUMBERS])
def test_every_sample_comes_back_with_the_same_numbers(name):
    gm = SAMPLES[name]()
    world_size = max(max(ranks) for ranks in gm.meta[GROUPS_KEY].values()) + 1
    twin = to_file_and_back(gm)
    assert verify_lockstep([gm] * world_size, [twin] * world_size, gm.meta[GROUPS_KEY]).equal


@pytest.fixture(scope="module")
def captured():
    return bv.capture(TwoLayers(), torch.randn(4, 8), world_size=4, parallelism="hsdp")


@pytest.mark.parametrize("side", ["forward", "backward"])
def test_a_captured_graph_comes_back_and_is_planned_and_rewritten_alike(captured, side):
    gm = getattr(captured, side)
    twin = to_file_and_back(gm)
    assert_same(gm, twin)
    result = bv.bucket(gm)
    again = bv.bucket(twin, result.plan)
    assert described(again.after) == described(result.after)
    assert again.provenance == result.provenance
    assert verify_lockstep([result.after] * 4, [again.after] * 4, captured.groups).equal


def test_symbols_stay_shared_and_keep_their_hints():
    twin = to_file_and_back(SAMPLES["hinted_symbol"]())
    values = {node.name: node.meta["val"] for node in twin.graph.nodes if "val" in node.meta}
    x, gathered, z = (values[name].shape[0] for name in ("x", "ag0", "z"))
    assert (hint(x), hint(gathered), hint(z)) == (8, 32, 6)
    assert gathered.node.expr == 4 * x.node.expr
    assert x.node.expr != z.node.expr


def test_tensors_keep_strides_offsets_aliasing_and_dtypes():
    base = torch.arange(24, dtype=torch.float32)
    tensors = [
        base,
        base[4:].reshape(4, 5).t(),
        torch.zeros(0, 3),
        torch.tensor(1 + 2j),
        torch.ones(3).to(torch.float8_e5m2),
    ]
    writer = StorageWriter()
    described = [writer.describe(tensor, "a tensor") for tensor in tensors]
    assert len(writer.storages) == 4
    reader = StorageReader(load(save(writer.storages)), CPU)
    found = [reader.tensor(document) for document in described]
    for tensor, twin in zip(tensors, found, strict=True):
        assert (twin.dtype, twin.shape, twin.stride()) == (tensor.dtype, tensor.shape, tensor.stride())
        assert torch.equal(twin.reshape(-1).view(torch.uint8), tensor.reshape(-1).view(torch.uint8))
    found[0][4] = -1
    assert found[1][0, 0] == -1
    assert base[4] == 4


def test_every_kind_of_argument_comes_back():
    def read(x):
        y = aten.full.default([2, 3], float("-inf"), dtype=torch.bfloat16, layout=torch.strided, device=CPU)
        z = aten.clone.default(x, memory_format=torch.channels_last)
        return [
            torch.cat((x[..., 1:3, None], x[..., :2, None])),
            z.numel(),
            y,
            aten.add.Tensor(x, 1 + 2j),
            None,
            (3, "s"),
        ]

    gm = fx.symbolic_trace(read)
    twin = to_file_and_back(gm)
    assert described(twin) == described(gm)
    x = torch.randn(1, 2, 3, 4)
    for old, new in zip(gm(x), twin(x), strict=True):
        assert torch.equal(old, new) if isinstance(old, torch.Tensor) else old == new


def test_a_device_stands_for_all_that_were_captured():
    twin = to_file_and_back(SAMPLES["mixed_devices"](), device=CPU)
    assert {node.meta["val"].device for node in twin.graph.nodes if "val" in node.meta} == {CPU}


def test_a_sub_graph_comes_back_with_its_tensors():
    inner = fx.symbolic_trace(lambda x: aten.neg.default(x))
    outer = torch.nn.Module()
    outer.yes, outer.no = inner, fx.symbolic_trace(lambda x: aten.abs.default(x))
    graph = fx.Graph()
    x, p = graph.placeholder("x"), graph.placeholder("p")
    branches = [graph.get_attr(name) for name in ("yes", "no")]
    graph.output((graph.call_function(torch.ops.higher_order.cond, (p, *branches, (x,))),))
    gm = fx.GraphModule(outer, graph)
    twin = to_file_and_back(gm)
    assert described(twin) == described(gm)
    assert described(twin.yes) == described(inner)
    values = torch.tensor([1.0, -2.0])
    for flag in (True, False):
        assert torch.equal(twin(values, torch.tensor(flag))[0], gm(values, torch.tensor(flag))[0])


def with_call(target, val=None):
    b = Builder(2)
    node = b.graph.create_node("call_function", target, (b.input("x", 4),), name="odd")
    node.meta["val"] = val
    return b.finish(node)


@pytest.mark.parametrize(
    ("gm", "message"),
    [
        (with_call(json.dumps), "node odd .* calls a function that ranks in processes of their own cannot be given"),
        (with_call(aten.neg.default, val=torch.Generator()), "node odd .* holds a Generator"),
        (with_call(aten.neg.default, val=torch.eye(2).to_sparse()), "node odd .* layout torch.sparse_coo"),
    ],
)
def test_what_a_file_cannot_carry_is_refused_by_name(gm, message):
    with pytest.raises(ExecutionError, match=message):
        write_graph(gm, StorageWriter())


def test_a_module_that_is_no_graph_is_refused_by_name():
    class Linears(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.up = torch.nn.Linear(2, 2)

        def forward(self, x):
            return self.up(x)

    with pytest.raises(ExecutionError, match=r"node up \(up\) is a Linear"):
        write_graph(fx.symbolic_trace(Linears()), StorageWriter())


def written_double():
    return write_graph(SAMPLES["no_collectives"](), StorageWriter())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": "os.system"}, "os.system"),
        ({"target": "aten.from_file"}, "from_file"),
        ({"target": "torch.load"}, "torch.load"),
        ({"target": "operator.attrgetter"}, "operator.attrgetter"),
        ({"target": "nobodys.op.default"}, r"nobodys.op.*imports=\["),
        ({"op": "call_method", "target": "__class__"}, "no method of a tensor"),
        ({"name": "x; import os"}, "damaged"),
        ({"kwargs": {"a=print(1)": 1}}, "no identifier"),
        ({"op": "get_attr", "target": 'a")+print(1)+("'}, "no path of an attribute"),
        ({"op": "placeholder", "target": "x=print(1)"}, "no identifier"),
    ],
)
def test_a_file_that_asks_for_other_code_is_refused(change, message):
    document = written_double()
    document["graph"]["nodes"][1].update(change)
    with pytest.raises(ExecutionError, match=message):
        read_graph(document, StorageReader({}, CPU))


def test_damage_and_another_schema_are_told():
    document = written_double()
    with pytest.raises(ExecutionError, match="schema"):
        read_graph({**document, "schema": "other/1"}, StorageReader({}, CPU))
    del document["graph"]["nodes"][0]
    with pytest.raises(ExecutionError, match="damaged"):
        read_graph(document, StorageReader({}, CPU))


def test_a_description_of_a_tensor_that_is_not_there_is_told():
    writer = StorageWriter()
    document = writer.describe(torch.ones(4), "a tensor")
    for change in ({"storage": "storage_7"}, {"shape": [8]}, {"offset": 3}):
        with pytest.raises(ExecutionError, match="do not hold"):
            StorageReader(writer.storages, CPU).tensor({**document, **change})


def test_collectives_by_name_are_those_of_the_table():
    twin = to_file_and_back(SAMPLES["coalesced_collective"]())
    assert c.ALL_GATHER_COALESCED in {node.target for node in twin.graph.nodes}
