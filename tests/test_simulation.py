"""Estimates: machines with sources, closed forms for collectives, rooflines, streams that overlap, and live memory."""

import operator

import pytest
import torch
from graph_builder import Builder, aten
from samples import SAMPLES
from torch.utils.flop_counter import FlopCounterMode

import bucketviz as bv
from bucketviz.errors import SimulationError
from bucketviz.records import Collective, Graph, Kind, Node, Role, Tensor, from_json, to_json
from bucketviz.simulation import estimate, machine_named, machine_names
from bucketviz.simulation.communication import collective_seconds
from bucketviz.simulation.compute import compute_seconds, flop
from bucketviz.simulation.memory import live_bytes
from bucketviz.sources.gallery import llama, llama_inputs

H100 = machine_named("h100-8x-ib")
MIB = 2**20


def described(build):
    """The record of a graph that ``build`` adds to a builder of four ranks; it returns the outputs."""
    b = Builder(4)
    outputs = build(b)
    return bv.describe(b.finish(*outputs))


def transfer(kind, size_bytes, ranks):
    graph = Graph("one", (), {"0": tuple(ranks)})
    op = "sum" if kind is not Kind.ALL_GATHER else None
    start = Collective(kind, "0", len(ranks), op, "x", (), True, False, size_bytes, size_bytes)
    return collective_seconds(graph, start, H100)


class TestMachines:
    @pytest.mark.parametrize("name", machine_names())
    def test_every_rate_has_a_source(self, name):
        machine = machine_named(name)
        rates = {"memory_bytes_per_second", "node_bytes_per_second", "network_bytes_per_second"}
        assert set(machine.sources) == rates | set(machine.flop_per_second)
        assert all(machine.sources.values())
        assert all(rate > 0 for rate in machine.flop_per_second.values())

    def test_an_unknown_machine_is_refused_with_those_that_there_are(self):
        with pytest.raises(
            SimulationError, match="machine='abacus' is not known; choose one of a100-8x-ib, h100-8x-ib"
        ):
            bv.simulate(SAMPLES["fsdp_step"](), machine="abacus")


class TestCollectives:
    @pytest.mark.parametrize(("kind", "passes"), [(Kind.ALL_GATHER, 1), (Kind.REDUCE_SCATTER, 1), (Kind.ALL_REDUCE, 2)])
    def test_a_large_one_in_a_node_takes_the_bandwidth_of_the_links(self, kind, passes):
        latency = 8.4e-6 + passes * 7 * 3.4e-6
        assert transfer(kind, 2**32, range(8)) == pytest.approx(latency + passes * 7 / 8 * 2**32 / 450e9)

    def test_a_small_one_takes_the_protocol_of_the_least_latency(self):
        assert transfer(Kind.ALL_GATHER, 8, range(8)) == pytest.approx(3.6e-6 + 7 * 0.47e-6, rel=1e-3)

    def test_across_nodes_the_ports_of_a_nodes_ranks_count_together(self):
        latency = 8.4e-6 + 14 * 3.4e-6 + 9.6e-6
        assert transfer(Kind.ALL_GATHER, 2**32, range(16)) == pytest.approx(latency + 15 / 16 * 2**32 / 400e9)

    def test_one_rank_a_node_has_one_port(self):
        latency = 8.4e-6 + 3 * 9.6e-6
        assert transfer(Kind.ALL_GATHER, 2**32, range(0, 32, 8)) == pytest.approx(latency + 3 / 4 * 2**32 / 50e9)

    def test_the_node_with_the_fewest_ports_decides(self):
        latency = 8.4e-6 + 7 * 3.4e-6 + 9.6e-6
        assert transfer(Kind.ALL_GATHER, 2**32, range(9)) == pytest.approx(latency + 8 / 9 * 2**32 / 50e9)

    def test_a_group_of_one_takes_no_time(self):
        assert transfer(Kind.ALL_REDUCE, MIB, [3]) == 0.0

    @pytest.mark.parametrize(("kind", "size"), [(Kind.OTHER, MIB), (Kind.ALL_GATHER, None)])
    def test_what_is_not_known_has_no_cost(self, kind, size):
        assert transfer(kind, size, range(8)) is None


def cost(graph, name):
    return compute_seconds(graph, graph.node(name), H100)


class TestCompute:
    def test_a_large_product_is_bound_by_its_operations(self):
        graph = described(lambda b: [b.call(aten.mm.default, *_bf16(b, 8192, 8192), name="mm")])
        assert cost(graph, "mm") == pytest.approx(2 * 8192**3 / 989.5e12)

    def test_a_thin_product_is_bound_by_its_bytes(self):
        graph = described(lambda b: [b.call(aten.mm.default, *_bf16(b, 8192, 1), name="mm")])
        assert cost(graph, "mm") == pytest.approx(2 * (2 * 8192 + 8192**2) / 3.35e12)

    def test_an_elementwise_op_reads_and_writes(self):
        graph = described(lambda b: [b.call(aten.add.Tensor, *_bf16(b, 1024, 1024), name="add")])
        assert cost(graph, "add") == pytest.approx(3 * 2 * MIB / 3.35e12)

    def test_a_view_is_free(self):
        graph = described(lambda b: [b.call(aten.view.default, b.input("x", 8, 4), [32], name="view")])
        assert cost(graph, "view") == 0.0

    def test_splitting_is_free_and_so_are_the_pieces(self):
        graph = bv.describe(bv.bucket(SAMPLES["adjacent_gathers"]()).after)
        names = [node.name for node in graph.nodes if "split" in node.target or "getitem" in node.target]
        assert len(names) == 4
        assert {cost(graph, name) for name in names} == {0.0}

    def test_an_op_of_someone_elses_has_no_cost_and_is_counted(self):
        x = Node("x", Role.INPUT, "x", (), Tensor("f32", (4,), "cuda:0", 16))
        odd = Node("odd", Role.COMPUTE, "mylib.odd.default", ("x",), Tensor("f32", (4,), "cuda:0", 16))
        found = estimate(Graph("odd", (x, odd)), H100)
        assert found.unpriced == ("odd",)
        assert found.step_seconds == 0
        assert "1 node without a cost" in str(found)

    def test_a_size_without_a_hint_has_no_cost(self):
        graph = bv.describe(SAMPLES["unhinted_symbol"]())
        starts = [node.name for node, _ in graph.collectives()]
        assert set(starts) & set(estimate(graph, H100).unpriced)

    @pytest.mark.slow
    def test_operations_are_those_that_torch_counts(self):
        captured = bv.capture(llama(2), llama_inputs(), world_size=2, param_dtype=None)
        with FlopCounterMode(display=False) as counter:
            llama(2)(llama_inputs())
        assert _flop(captured.forward) == counter.get_total_flops()


def _bf16(b, rows, inner, names="xy"):
    left, right = names
    return b.input(left, rows, inner, dtype=torch.bfloat16), b.input(right, inner, rows, dtype=torch.bfloat16)


def _flop(gm):
    graph = bv.describe(gm)
    return sum(flop(graph, node) for node in graph.nodes)


def on_streams(build):
    """Slices by name of the estimate of a graph."""
    found = estimate(described(build), H100)
    return {item.name: item for item in found.timeline.slices}, found


class TestStreams:
    def test_what_is_computed_meanwhile_hides_the_transfer(self):
        def build(b):
            start = b.gather(b.input("w", 2048, 1024))
            product = b.call(aten.mm.default, *_bf16(b, 8192, 8192), name="mm")
            return [b.wait(start), product]

        slices, found = on_streams(build)
        assert slices["ag0"].start == slices["mm"].start == 0.0
        assert slices["ag0"].exposed == ()
        assert found.exposed_seconds == 0.0
        assert found.step_seconds == pytest.approx(slices["mm"].end)
        assert slices["ag0"].wait_start == slices["ag0"].end == slices["mm"].end

    def test_a_wait_right_after_the_start_exposes_all_of_it(self):
        def build(b):
            gathered = b.wait(b.gather(b.input("x", 2048, 1024)))
            return [b.call(aten.neg.default, gathered, name="neg")]

        slices, found = on_streams(build)
        assert slices["ag0"].exposed == ((0.0, slices["ag0"].done),)
        assert slices["neg"].start == slices["ag0"].done
        assert found.step_seconds == slices["neg"].end

    def test_one_group_sends_in_turn_and_two_at_once(self):
        def build(b):
            x = b.input("x", 2048, 1024)
            return [b.wait(start) for start in (b.gather(x), b.gather(x), b.gather(x, "1"))]

        slices, _ = on_streams(build)
        assert slices["ag1"].start == slices["ag0"].done
        assert slices["ag2"].start == 0.0

    def test_what_takes_no_time_is_never_exposed(self):
        def build(b):
            b.groups["1"] = (0,)
            start = b.gather(b.input("x", 8, 4), "1")
            product = b.call(aten.mm.default, *_bf16(b, 1024, 1024, "ab"), name="mm")
            return [product, b.wait(start)]

        slices, found = on_streams(build)
        assert slices["ag0"].done == slices["ag0"].start == 0.0
        assert found.exposed_seconds == 0.0

    def test_an_idle_second_that_two_flights_share_counts_once(self):
        def build(b):
            x = b.input("x", 2048, 1024)
            return [b.wait(start) for start in (b.gather(x), b.gather(x, "1"))]

        slices, found = on_streams(build)
        assert found.exposed_seconds == max(item.done for item in slices.values())


class TestMemory:
    def test_a_value_lives_until_it_is_last_read(self):
        def build(b):
            x = b.input("x", MIB)
            y = b.call(aten.neg.default, x)
            z = b.call(aten.view.default, b.call(aten.neg.default, y), [-1])
            return [b.call(aten.neg.default, z)]

        graph = described(build)
        live = [size // (4 * MIB) for size in live_bytes(graph)]
        assert live == [1, 2, 3, 2, 3, 2]

    def test_a_gathered_value_lives_from_the_start_to_the_last_reader_of_the_wait(self):
        def build(b):
            return [b.call(aten.sum.default, b.wait(b.gather(b.input("x", MIB))))]

        graph = described(build)
        assert live_bytes(graph)[1:3] == (4 * MIB + 16 * MIB,) * 2

    def test_an_op_with_several_values_holds_those_that_are_read(self):
        def build(b):
            whole = b.call(torch.ops.aten.var_mean.correction, b.input("x", MIB, 2), [1])
            return [b.call(operator.getitem, whole, index, name=f"item{index}") for index in range(2)]

        assert live_bytes(described(build))[-1] == 8 * MIB + 2 * 4 * MIB


class TestPredictions:
    def test_a_result_is_predicted_before_and_after(self):
        result = bv.bucket(SAMPLES["adjacent_gathers"]())
        found = bv.simulate(result, machine="a100-8x-ib")
        assert found.before.step_seconds == bv.simulate(result.before, machine="a100-8x-ib").step_seconds
        assert found.after.step_seconds == found.step_seconds < found.before.step_seconds
        assert found.machine == "a100-8x-ib"
        assert str(found).count("(estimate)") == 2

    def test_a_prediction_is_saved_and_read(self):
        found = bv.simulate(bv.bucket(SAMPLES["fsdp_step"]()))
        assert from_json(to_json(found)) == found
