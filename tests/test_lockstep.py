"""Walking the ranks' graphs together: groups, writes, lifetimes, random numbers, devices, errors."""

import operator
import weakref

import pytest
import torch
import torch.fx as fx

from bucketviz import collectives as c
from bucketviz.errors import ExecutionError
from bucketviz.execution import run_lockstep
from bucketviz.execution.rank import Rank

aten = torch.ops.aten
WORLD = {"0": [0, 1]}


def per_rank(world_size, *make):
    return [[function(rank) for function in make] for rank in range(world_size)]


def first_outputs(outputs):
    return [rank[0].tolist() for rank in outputs]


def summed(x, group):
    return c.WAIT(c.ALL_REDUCE(x, "sum", group))


def summed_over_world(x):
    return summed(x, "0")


def trace(function):
    return fx.symbolic_trace(function)


def trace_each(world_size, make):
    """One graph a rank, of the function that ``make`` gives for it."""
    return [trace(make(rank)) for rank in range(world_size)]


def run(function, inputs, groups=WORLD, **options):
    gm = trace(function)
    return run_lockstep([gm] * len(inputs), inputs, groups, **options)


class TestGroups:
    """2 x 4 meshes: eight ranks run one graph that names rank 0's groups."""

    def test_a_row_and_a_column_of_a_mesh(self):
        inputs = per_rank(8, lambda rank: torch.tensor([2.0**rank]))
        groups = {"row": [0, 1, 2, 3], "column": [0, 4]}
        outputs = run(lambda x: (summed(x, "row"), summed(x, "column")), inputs, groups)
        assert [rank[0].item() for rank in outputs] == [15.0] * 4 + [240.0] * 4
        assert [rank[1].item() for rank in outputs] == [17.0, 34.0, 68.0, 136.0] * 2

    def test_a_strided_group_gathers_in_its_own_order(self):
        inputs = per_rank(8, lambda rank: torch.tensor([rank]))
        outputs = run(lambda x: c.WAIT(c.ALL_GATHER(x, 4, "1")), inputs, {"1": [0, 2, 4, 6]})
        assert first_outputs(outputs) == [[0, 2, 4, 6], [1, 3, 5, 7]] * 4

    def test_an_irregular_partition(self):
        inputs = per_rank(5, lambda rank: torch.tensor([rank]))
        outputs = run(lambda x: summed(x, "g"), inputs, {"g": [[0, 1, 3], [2, 4]]})
        assert first_outputs(outputs) == [[4], [4], [6], [4], [6]]

    def test_ranks_may_name_their_group_each_in_its_own_way(self):
        graphs = trace_each(4, lambda rank: lambda x: summed(x, "abab"[rank]))
        inputs = per_rank(4, lambda rank: torch.tensor([rank]))
        outputs = run_lockstep(graphs, inputs, {"a": [0, 2], "b": [1, 3]})
        assert first_outputs(outputs) == [[2], [4], [2], [4]]

    def test_ranks_that_disagree_about_their_group_are_an_error(self):
        graphs = trace_each(4, lambda rank: lambda x: summed(x, "abbb"[rank]))
        with pytest.raises(ExecutionError, match=r"rank 0 communicates with \[0, 1\], but rank 1 with \[1, 2\]"):
            run_lockstep(graphs, per_rank(4, lambda rank: torch.ones(1)), {"a": [0, 1], "b": [[1, 2], [0, 3]]})

    def test_a_group_of_another_size_than_traced_is_an_error(self):
        with pytest.raises(ExecutionError, match=r"was traced for a group of 4 ranks, but groups gives \[0, 1\]"):
            run(lambda x: c.WAIT(c.ALL_GATHER(x, 4, "0")), per_rank(2, lambda rank: torch.ones(1)))

    def test_an_unknown_group_is_an_error(self):
        with pytest.raises(ExecutionError, match="communicates in group '0', but groups holds '1'"):
            run(summed_over_world, per_rank(2, lambda rank: torch.ones(1)), {"1": [0, 1]})


class TestRanksConstants:
    def test_the_rank_may_be_baked_into_each_graph(self):
        graphs = trace_each(2, lambda rank: lambda x: aten.mul.Scalar(summed(x, "0"), rank))
        outputs = run_lockstep(graphs, per_rank(2, lambda rank: torch.tensor([1.0 + rank])), WORLD)
        assert first_outputs(outputs) == [[0.0], [3.0]]

    def test_the_merged_all_gather_fills_its_buffer_through_a_narrow_view(self):
        def merged(x, y, rank):
            buffer = aten.new_empty.default(x, [6])
            own = aten.slice.Tensor(buffer, 0, 3 * rank, 3 * rank + 3)
            pieces = aten.split_with_sizes.default(own, [1, 2])
            aten.copy_.default(pieces[0], x)
            aten.copy_.default(pieces[1], y)
            gathered = c.WAIT(c.ALL_GATHER_OUT(own, 2, "0", out=buffer))
            columns = aten.split_with_sizes.default(aten.view.default(gathered, [2, -1]), [1, 2], 1)
            return aten.reshape.default(columns[0], [-1]), aten.reshape.default(columns[1], [-1])

        graphs = trace_each(2, lambda rank: lambda x, y: merged(x, y, rank))
        inputs = per_rank(
            2, lambda rank: torch.tensor([rank + 1.0]), lambda rank: torch.tensor([10.0, 20.0]) * (rank + 1)
        )
        for gathered_x, gathered_y in run_lockstep(graphs, inputs, WORLD):
            assert gathered_x.tolist() == [1, 2]
            assert gathered_y.tolist() == [10, 20, 20, 40]

    def test_ranks_that_run_different_ops_are_an_error_naming_node_and_rank(self):
        graphs = [trace(lambda x: aten.neg.default(x)), trace(lambda x: aten.abs.default(x))]
        message = r"rank 0 and rank 1 differ at node 1: .*aten.neg.default\(x\) on rank 0, .*aten.abs.default\(x\)"
        with pytest.raises(ExecutionError, match=message):
            run_lockstep(graphs, per_rank(2, lambda rank: torch.ones(1)), WORLD)

    def test_ranks_that_read_other_values_are_an_error(self):
        graphs = [trace(lambda x, y: aten.neg.default(x)), trace(lambda x, y: aten.neg.default(y))]
        with pytest.raises(ExecutionError, match=r"differ at node 2: .*\(x\) on rank 0, .*\(y\) on rank 1"):
            run_lockstep(graphs, [[torch.ones(1)] * 2] * 2, WORLD)

    def test_ranks_with_more_nodes_are_an_error(self):
        graphs = [trace(lambda x: x), trace(lambda x: x)]
        graphs[1].graph.call_function(operator.neg, (1,))
        with pytest.raises(ExecutionError, match="graph of rank 0 has 2 nodes, that of rank 1 has 3"):
            run_lockstep(graphs, per_rank(2, lambda rank: torch.ones(1)), WORLD)


class TestWrites:
    def test_inputs_stay_as_they_are(self):
        inputs = per_rank(2, lambda rank: torch.tensor([1.0 + rank]))
        outputs = run(lambda x: c.WAIT(c.ALL_REDUCE_IN_PLACE(x, "sum", "0")), inputs)
        assert first_outputs(outputs) == [[3.0], [3.0]]
        assert [rank[0].item() for rank in inputs] == [1.0, 2.0]

    def test_ranks_given_one_tensor_write_each_its_own(self):
        shared = torch.zeros(1)
        graphs = trace_each(2, lambda rank: lambda x: aten.add_.Scalar(x, rank + 1))
        assert first_outputs(run_lockstep(graphs, [[shared], [shared]], WORLD)) == [[1.0], [2.0]]
        assert shared.item() == 0

    def test_a_write_shows_in_another_input_of_the_same_storage(self):
        def write_first(x, y):
            aten.add_.Scalar(x, 5)
            return aten.clone.default(y)

        base = torch.arange(6.0)
        outputs = run(write_first, [[base[2:4], base[::2]]] * 2)
        assert first_outputs(outputs) == [[0.0, 7.0, 4.0]] * 2
        assert base.tolist() == [0, 1, 2, 3, 4, 5]

    def test_strides_and_offsets_of_written_inputs_are_kept(self):
        def strides_after_write(x):
            aten.add_.Scalar(x, 1)
            return x

        given = torch.arange(24.0).view(4, 6)[1::2, ::3]
        (output,), _ = run(strides_after_write, [[given]] * 2)
        assert (output.stride(), output.storage_offset()) == (given.stride(), given.storage_offset())
        assert torch.equal(output, given + 1)

    def test_parameters_and_buffers_of_the_graph_stay_as_they_are(self):
        class Counter(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("count", torch.zeros(1))

            def forward(self, x):
                return aten.add_.Tensor(self.count, x)

        gm = fx.symbolic_trace(Counter())
        outputs = run_lockstep([gm, gm], per_rank(2, lambda rank: torch.tensor([rank + 1.0])), WORLD)
        assert first_outputs(outputs) == [[1.0], [2.0]]
        assert gm.count.item() == 0

    def test_called_modules_stay_as_they_are(self):
        gm = fx.symbolic_trace(torch.nn.Sequential(torch.nn.BatchNorm1d(1, momentum=1.0)))
        run_lockstep([gm, gm], per_rank(2, lambda rank: torch.full((4, 1), 3.0 + rank)), WORLD)
        assert gm.get_submodule("0").running_mean.item() == 0

    def test_gradients_are_not_recorded(self):
        gm = fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(1, 1)))
        ((output,), _) = run_lockstep([gm, gm], [[torch.ones(1, requires_grad=True)]] * 2, WORLD)
        assert not output.requires_grad


made = []


def make_watched(x):
    value = x + 1
    made.append(weakref.ref(value))
    return value


def count_alive(_):
    return sum(reference() is not None for reference in made)


class TestLifetimes:
    @pytest.fixture(autouse=True)
    def nothing_made_yet(self):
        made.clear()

    def test_a_value_is_freed_after_its_last_use(self):
        gm = graph_of_watched(lambda watched, alive: (alive,))
        assert run_lockstep([gm, gm], [[torch.ones(1)]] * 2, WORLD) == [(0,), (0,)]

    def test_a_value_that_is_read_later_is_kept(self):
        gm = graph_of_watched(lambda watched, alive: (alive, watched))
        assert [rank[0] for rank in run_lockstep([gm, gm], [[torch.ones(1)]] * 2, WORLD)] == [2, 2]


def graph_of_watched(output):
    """x -> make_watched -> neg -> count_alive, and whatever ``output`` picks of the two."""
    graph = fx.Graph()
    watched = graph.call_function(make_watched, (graph.placeholder("x"),))
    alive = graph.call_function(count_alive, (graph.call_function(aten.neg.default, (watched,)),))
    graph.output(output(watched, alive))
    return fx.GraphModule({}, graph)


class TestRandomNumbers:
    def test_each_rank_draws_the_numbers_of_its_own_seed(self):
        def draw_twice(x):
            return aten.rand_like.default(x), aten.bernoulli.default(aten.rand_like.default(x))

        outputs = run(draw_twice, [[torch.ones(100)]] * 2, seed=5)
        for rank, (uniform, coins) in enumerate(outputs):
            with torch.random.fork_rng():
                torch.manual_seed(5 + rank)
                assert torch.equal(uniform, torch.rand(100))
                assert torch.equal(coins, torch.bernoulli(torch.rand(100)))

    def test_a_second_run_draws_the_same_numbers(self):
        runs = [run(lambda x: torch.nn.functional.dropout(x, 0.5), [[torch.ones(64)]] * 2) for _ in range(2)]
        assert first_outputs(runs[0]) == first_outputs(runs[1])

    def test_the_callers_generator_is_left_alone(self):
        torch.manual_seed(3)
        expected = torch.rand(4)
        torch.manual_seed(3)
        run(lambda x: aten.rand_like.default(x), [[torch.ones(4)]] * 2)
        assert torch.equal(torch.rand(4), expected)


class TestDevices:
    def graph_on_meta(self):
        """An all_reduce of a buffer that was traced on the meta device."""
        graph = fx.Graph()
        x = graph.placeholder("x")
        ones = graph.call_function(aten.ones.default, ([2],), {"device": torch.device("meta")})
        graph.output(summed_node(graph, graph.call_function(aten.add.Tensor, (x, ones))))
        return fx.GraphModule({}, graph)

    def test_a_graph_captured_on_meta_runs_on_the_cpu(self):
        outputs = run_lockstep([self.graph_on_meta()] * 2, [[torch.ones(2)]] * 2, WORLD, device="cpu")
        assert first_outputs(outputs) == [[4.0, 4.0]] * 2

    def test_inputs_move_to_the_device(self):
        outputs = run_lockstep([self.graph_on_meta()] * 2, [[torch.ones(2)]] * 2, WORLD, device="meta")
        assert all(rank[0].is_meta and rank[0].shape == (2,) for rank in outputs)

    def test_an_input_without_numbers_is_an_error(self):
        with pytest.raises(ExecutionError, match="node x of rank 0 is a meta tensor: it has no numbers"):
            run_lockstep([trace(summed_over_world)] * 2, [[torch.ones(2, device="meta")]] * 2, WORLD, device="cpu")

    @pytest.mark.parametrize("captured", ["cpu", "cuda", "cuda:3"])
    def test_a_graph_that_was_captured_on_another_gpu_runs_on_this_one(self, captured):
        here = torch.device("cuda", 1)
        rank = Rank(fx.symbolic_trace(lambda: None), [], 0, here, seed=0)
        assert rank.values_of((torch.device(captured), 3)) == (here, 3)


def summed_node(graph, node):
    start = graph.call_function(c.ALL_REDUCE, (node, "sum", "0"))
    return (graph.call_function(c.WAIT, (start,)),)


class TestOrdinaryNodes:
    def test_sizes_are_values(self):
        def double_size(x, size):
            return aten.new_zeros.default(x, [size * 2]), aten.sym_size.int(x, 0)

        zeros, size = run(double_size, [[torch.ones(3), 3]] * 2)[0]
        assert zeros.shape == (6,)
        assert size == 3

    def test_methods_and_none_outputs(self):
        assert run(lambda x: (x.add(1).tolist(), None), [[torch.ones(2)]] * 2) == [([2.0, 2.0], None)] * 2

    def test_arguments_by_keyword(self):
        def by_keyword(x):
            return c.WAIT(tensor=c.ALL_REDUCE(input=x, reduce_op="sum", group_name="0"))

        assert first_outputs(run(by_keyword, [[torch.ones(1)]] * 2)) == [[2.0]] * 2

    def test_progress_runs_up_to_one(self):
        seen = []
        run(summed_over_world, [[torch.ones(1)]] * 2, on_progress=seen.append)
        assert seen == [0.25, 0.5, 0.75, 1.0]


class TestThreads:
    """Ops get one thread of the CPU each, and the caller's setting back afterwards."""

    @pytest.fixture(autouse=True)
    def _two_threads(self):
        num_threads = torch.get_num_threads()
        torch.set_num_threads(2)
        yield
        torch.set_num_threads(num_threads)

    def test_ops_run_on_one_thread(self):
        graph = fx.Graph()
        graph.output(graph.call_function(torch.get_num_threads, ()))
        assert run_lockstep([fx.GraphModule({}, graph)] * 2, [[], []], WORLD) == [(1,), (1,)]
        assert torch.get_num_threads() == 2

    def test_an_op_that_fails_gives_the_threads_back(self):
        with pytest.raises(ExecutionError):
            run(lambda x: aten.mm.default(x, x), [[torch.ones(2, 3)]] * 2)
        assert torch.get_num_threads() == 2


class TestErrors:
    def test_inputs_that_do_not_fit_name_the_placeholders(self):
        with pytest.raises(ExecutionError, match="rank 1 got 2 inputs for 1 placeholders: x"):
            run_lockstep([trace(lambda x: x)] * 2, [[1], [1, 2]], WORLD)

    @pytest.mark.parametrize(("num_graphs", "num_inputs"), [(0, 0), (2, 1)])
    def test_one_graph_and_one_list_of_inputs_a_rank(self, num_graphs, num_inputs):
        message = f"got {num_graphs} graphs and {num_inputs} lists of inputs"
        with pytest.raises(ExecutionError, match=message):
            run_lockstep([trace(lambda x: x)] * num_graphs, [[1]] * num_inputs, WORLD)

    def test_an_op_that_fails_names_node_rank_module_and_line(self):
        gm = trace(lambda x: aten.mm.default(x, x))
        node = next(node for node in gm.graph.nodes if node.op == "call_function")
        node.meta["nn_module_stack"] = {"1": ("layers.0.attention", torch.nn.Linear)}
        node.meta["stack_trace"] = '  File "/home/me/model.py", line 118, in forward\n    return x @ x\n'
        inputs = [[torch.ones(2, 2)], [torch.ones(2, 3)]]
        with pytest.raises(ExecutionError) as caught:
            run_lockstep([gm] * 2, inputs, WORLD)
        message = str(caught.value)
        assert message.startswith(
            f"node {node.name} (aten.mm.default) failed on rank 1, layers.0.attention at model.py:118: RuntimeError: "
        )

    def test_a_collective_that_fails_names_its_node(self):
        inputs = [[torch.ones(2)], [torch.ones(3)]]
        with pytest.raises(
            ExecutionError, match=r"node \w+ \(_c10d_functional.all_reduce.default\) failed.*would hang"
        ):
            run(summed_over_world, inputs)

    @pytest.mark.parametrize(
        "target",
        [
            torch.ops.symm_mem.one_shot_all_reduce.default,
            torch.ops._dtensor.shard_dim_alltoall.default,
            torch.distributed.all_reduce,
            torch.distributed.barrier,
        ],
    )
    def test_communication_without_a_meaning_is_an_error_before_anything_runs(self, target):
        graph = fx.Graph()
        graph.call_function(make_watched, (graph.placeholder("x"),))
        graph.call_function(target, ())
        graph.output(())
        made.clear()
        with pytest.raises(ExecutionError, match="which looks like communication that lockstep has no meaning for"):
            run_lockstep([fx.GraphModule({}, graph)] * 2, [[torch.ones(1)]] * 2, WORLD)
        assert not made

    def test_an_opaque_op_of_a_serving_library_is_an_error_that_names_it(self):
        with torch.library._scoped_library("vllm", "DEF") as library:
            library.define("all_reduce(Tensor x, str group_name) -> Tensor")
            graph = fx.Graph()
            graph.output(graph.call_function(torch.ops.vllm.all_reduce.default, (graph.placeholder("x"), "tp:0")))
            with pytest.raises(ExecutionError, match=r"node all_reduce\w* calls vllm.all_reduce.default"):
                run_lockstep([fx.GraphModule({}, graph)] * 2, [[torch.ones(1)]] * 2, WORLD)

    def test_a_sub_graph_that_communicates_is_an_error(self):
        root = torch.nn.Module()
        root.inner = trace(summed_over_world)
        graph = fx.Graph()
        graph.output(graph.call_function(torch.cond, (True, graph.get_attr("inner"))))
        with pytest.raises(ExecutionError, match=r"of the sub-graph inner communicates.*inline it first"):
            run_lockstep([fx.GraphModule(root, graph)], [[]], {"0": [0]})

    @pytest.mark.parametrize(
        "target", [aten.broadcast_tensors.default, torch.ops.prims.broadcast_in_dim.default, torch.broadcast_to]
    )
    def test_broadcasting_a_shape_is_no_communication(self, target):
        graph = fx.Graph()
        graph.call_function(target, ())
        assert not c.looks_like_communication(next(iter(graph.nodes)))
