"""FX graphs as records."""

import pytest
import torch
import torch.fx as fx
from graph_builder import Builder, aten
from samples import SAMPLES

from bucketviz import collectives
from bucketviz.errors import CaptureError
from bucketviz.records import Collective, Graph, Kind, Role, Tensor, from_json, to_json
from bucketviz.sources.describe import describe
from bucketviz.sources.locations import GRADIENTS_KEY, PARAMETERS_KEY
from bucketviz.tensors import dtype_text


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_sample_becomes_a_record_that_survives_json(sample: str) -> None:
    gm = SAMPLES[sample]()
    code, num_nodes = gm.code, len(gm.graph.nodes)
    graph = describe(gm, sample)
    assert from_json(to_json(graph)) == graph
    assert [node.name for node in graph.nodes] == [node.name for node in gm.graph.nodes]
    assert (gm.code, len(gm.graph.nodes)) == (code, num_nodes)


def _collective(graph: Graph, name: str) -> Collective:
    collective = graph.node(name).collective
    assert collective is not None
    return collective


def test_a_gather_has_its_group_bytes_and_waits() -> None:
    gather = _collective(describe(SAMPLES["adjacent_gathers"]()), "ag0")
    assert (gather.kind, gather.group_name, gather.group_size, gather.reduce_op) == (Kind.ALL_GATHER, "0", 4, None)
    assert (gather.in_bytes, gather.out_bytes, gather.size_bytes) == (128, 512, 512)
    assert (gather.input, gather.waits, gather.is_mergeable, gather.has_out) == ("x", ("wait_ag0",), True, False)


def test_arguments_are_found_whether_given_by_position_or_by_keyword() -> None:
    scatter = _collective(describe(SAMPLES["all_keyword_arguments"]()), "rs0")
    assert (scatter.kind, scatter.group_name, scatter.group_size) == (Kind.REDUCE_SCATTER, "0", 4)
    assert (scatter.input, scatter.reduce_op) == ("x", "avg")


def test_a_coalesced_collective_is_waited_for_through_its_items() -> None:
    coalesced = _collective(describe(SAMPLES["coalesced_collective"]()), "ag_coalesced")
    assert not coalesced.is_mergeable
    assert len(coalesced.waits) == 2
    assert coalesced.out_bytes == 4 * (coalesced.in_bytes or 0)


def test_a_single_use_cast_is_noted_with_the_dtype_before_it() -> None:
    gather = _collective(describe(SAMPLES["absorbed_casts"]()), "ag0")
    assert (gather.cast, gather.cast_from, gather.is_pure_cast) == ("cast", "f32", True)
    assert not _collective(describe(SAMPLES["cast_that_does_more"]()), "ag0").is_pure_cast
    assert _collective(describe(SAMPLES["shared_cast"]()), "ag0").cast == ""


def test_a_write_names_what_it_changes_and_views_share_their_base() -> None:
    b = Builder(4)
    x = b.input("x", 8, 4)
    view = b.call(aten.view.default, x, [32], name="view")
    b.call(aten.add_.Tensor, view, 1, name="write")
    start = b.reduce(b.double(x))
    graph = describe(b.finish(b.wait(start)))
    assert graph.node("write").writes == ("view",)
    assert {graph.node(name).storage for name in ("x", "view", "write")} == {"x"}
    assert graph.node("double").storage == "double"
    assert graph.node("wait_ar0").storage == "ar0"


def test_roles_follow_what_a_node_is_for() -> None:
    graph = describe(SAMPLES["fsdp_step"]())
    roles = {role: [node.name for node in graph.nodes if node.role is role] for role in Role}
    assert len(roles[Role.COLLECTIVE]) == len(roles[Role.WAIT]) == 4
    assert roles[Role.OUTPUT] == ["output"]
    assert graph.nodes[0].role is Role.INPUT


def test_an_opaque_op_that_looks_like_a_collective_is_not_invisible() -> None:
    library = torch.library.Library("somebodys", "DEF")
    library.define("all_reduce(Tensor x, str group_name) -> Tensor")
    library.impl("all_reduce", lambda x, group_name: x.clone(), "CompositeExplicitAutograd")
    b = Builder(4)
    start = b.call(torch.ops.somebodys.all_reduce.default, b.input("x", 8, 4), "0", name="opaque")
    opaque = _collective(describe(b.finish(start)), "opaque")
    assert (opaque.kind, opaque.group_name, opaque.is_mergeable) == (Kind.OTHER, "0", False)


def test_symbolic_sizes_use_hints_and_say_so_where_there_is_none() -> None:
    hinted = describe(SAMPLES["hinted_symbol"]())
    collective = _collective(hinted, "ag0")
    assert isinstance(hinted.node(collective.input).tensor, Tensor)
    assert collective.size_bytes is not None
    assert _collective(describe(SAMPLES["unhinted_symbol"]()), "ag0").size_bytes is None


def test_reading_hints_adds_no_guard() -> None:
    gm = SAMPLES["hinted_symbol"]()
    shape_env = next(node.meta["val"].fake_mode.shape_env for node in gm.graph.nodes if node.op == "placeholder")
    guards = list(shape_env.guards)
    describe(gm)
    assert list(shape_env.guards) == guards


@pytest.mark.parametrize(
    ("dtype", "text"),
    [
        (torch.float32, "f32"),
        (torch.bfloat16, "bf16"),
        (torch.float8_e4m3fn, "f8e4m3fn"),
        (torch.int64, "i64"),
        (torch.uint8, "u8"),
        (torch.bool, "b8"),
        (torch.complex64, "c64"),
    ],
)
def test_dtypes_are_written_as_fx_prints_them(dtype: torch.dtype, text: str) -> None:
    assert dtype_text(dtype) == text


def test_the_gather_of_a_parameter_belongs_to_the_parameters_module() -> None:
    b = Builder(4)
    weight = b.input("primals_1", 8, 4)
    gathered = b.wait(b.gather(b.cast(weight, torch.bfloat16)))
    gm = b.finish(b.wait(b.scatter(b.double(gathered))))
    gm.meta[PARAMETERS_KEY] = {"primals_1": "layers.0.wq.weight"}
    gm.meta[GRADIENTS_KEY] = {0: "layers.0.wq.weight"}
    graph = describe(gm)
    named = [node.name for node in graph.nodes if node.module == "layers.0.wq"]
    assert named == ["primals_1", "cast", "ag0", "wait_ag0", "rs0", "wait_rs0"]


def test_module_path_and_line_come_from_what_fx_noted() -> None:
    b = Builder(4)
    x = b.input("x", 8, 4)
    node = b.double(x)
    path = "L['self']._modules['layers']._modules['0'].wq"
    node.meta["nn_module_stack"] = {"key": (path, torch.nn.Linear)}
    node.meta["stack_trace"] = (
        '  File "/home/me/model.py", line 12, in forward\n    return self.wq(x)\n'
        '  File "/venv/site-packages/torch/nn/modules/linear.py", line 134, in forward\n    return F.linear(x)\n'
    )
    described = describe(b.finish(node)).node("double")
    assert (described.module, described.source) == ("layers.0.wq", "model.py:12")


def test_what_is_no_graph_is_refused() -> None:
    with pytest.raises(CaptureError, match=r"expected a torch.fx.GraphModule, got Linear; capture a model with"):
        describe(torch.nn.Linear(2, 2))  # type: ignore[arg-type]


def test_a_group_given_as_a_node_is_known_by_its_name() -> None:
    class Group:
        group_name = "7"

    graph = fx.Graph()
    group = graph.placeholder("group")
    group.meta["val"] = Group()
    assert collectives.group_name_of(group) == "7"
    assert collectives.group_name_of("0") == "0"
