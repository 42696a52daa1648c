"""From Kineto's events to a timeline: what belongs to which node, what is exposed."""

from itertools import count

import pytest

from bucketviz.errors import ExecutionError
from bucketviz.execution.gloo import Transfer, ends_of
from bucketviz.execution.trace import ANNOTATION, Flight, timeline_of

MAIN, OTHER = 100, 101
FLIGHTS = [Flight("ag", "0", "wait")]
SECOND = 1_000_000


def annotation(node, start, end, thread=MAIN):
    return event("user_annotation", ANNOTATION + node, start, end, thread)


def event(category, name, start, end, thread, **args):
    """Times in seconds."""
    times = {"ts": start * SECOND, "dur": (end - start) * SECOND}
    return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": thread, "args": args, **times}


def works(*kernels):
    """A launch on the main thread and a kernel for each (launched, start, end, stream)."""
    numbers = count(1)
    found = []
    for launched, start, end, stream in kernels:
        correlation = next(numbers)
        found.append(event("cuda_runtime", "cudaLaunchKernel", launched, launched, MAIN, correlation=correlation))
        found.append(event("kernel", "k", start, end, stream, correlation=correlation))
    return found


def flights(timeline):
    return {item.name: item for item in timeline.slices if item.row != "compute"}


class TestOnTheHost:
    """ag is issued from 1 to 2, mm computes from 2 to 4, the wait blocks from 4 to 6."""

    EVENTS = (annotation("ag", 1, 2), annotation("mm", 2, 4), annotation("wait", 4, 6))

    def timeline(self, *more, **changes):
        return timeline_of([*self.EVENTS, *more], ["mm"], changes.get("flights", FLIGHTS))

    def test_a_collective_runs_from_its_start_to_the_end_of_its_wait(self):
        flight = flights(self.timeline())["ag"]
        assert (flight.start, flight.wait_start, flight.end, flight.done) == (0, 3, 5, None)
        assert flight.row == "group '0'"

    def test_time_counts_from_the_first_slice(self):
        timeline = self.timeline()
        assert [(item.name, item.start, item.end) for item in timeline.slices] == [("ag", 0, 5), ("mm", 1, 3)]
        assert (timeline.unit, timeline.step_seconds) == ("s", 5)

    def test_issuing_it_and_a_wait_that_blocks_are_exposed(self):
        assert flights(self.timeline())["ag"].exposed == ((0, 1), (3, 5))
        assert self.timeline().exposed_seconds == 3

    def test_the_wait_for_a_transfer_that_was_done_is_not(self):
        timeline = self.timeline(event("user_annotation", "gloo:all_gather", 1.5, 3, OTHER))
        assert (flights(timeline)["ag"].done, timeline.exposed_seconds) == (2, 1)
        assert flights(timeline)["ag"].transfer_seconds == 2

    def test_a_transfer_that_ends_in_the_wait_is(self):
        timeline = self.timeline(event("user_annotation", "gloo:all_gather", 1.5, 5.5, OTHER))
        assert (flights(timeline)["ag"].done, timeline.exposed_seconds) == (4.5, 3)

    def test_without_a_wait_it_ends_where_it_was_issued(self):
        flight = flights(self.timeline(flights=[Flight("ag", "0", None)]))["ag"]
        assert (flight.start, flight.end, flight.wait_start, flight.exposed) == (0, 1, None, ((0, 1),))

    def test_a_node_that_the_trace_does_not_show_is_named(self):
        with pytest.raises(ExecutionError, match="recorded no annotation of node lost"):
            self.timeline(flights=[Flight("lost", "0", "wait")])

    def test_collectives_in_flight_at_once_lie_in_lanes(self):
        both = [annotation("ag2", 2.5, 2.6), annotation("wait2", 7, 8)]
        timeline = self.timeline(*both, flights=[*FLIGHTS, Flight("ag2", "0", "wait2")])
        assert {name: item.lane for name, item in flights(timeline).items()} == {"ag": 0, "ag2": 1}

    def test_events_of_other_programs_are_left_alone(self):
        noise = [event("user_annotation", "mine", 0, 9, MAIN), {"ph": "M", "name": "process_name"}]
        assert self.timeline(*noise) == self.timeline()


class TestOnADevice:
    """The host launches all in the first second; the device computes on stream 7 and sends on stream 9."""

    HOST = (annotation("ag", 0.1, 0.2), annotation("mm", 0.2, 0.3), annotation("wait", 0.3, 0.4))
    AFTER = annotation("mm2", 0.4, 0.5)

    def timeline(self, *kernels):
        return timeline_of([*self.HOST, self.AFTER, *works(*kernels)], ["mm", "mm2"], FLIGHTS)

    def test_times_are_the_devices(self):
        timeline = self.timeline((0.15, 10, 13, 9), (0.25, 10, 12, 7), (0.45, 13, 15, 7))
        found = {item.name: (item.start, item.end) for item in timeline.slices}
        assert found == {"ag": (0, 3), "mm": (0, 2), "mm2": (3, 5)}

    def test_what_is_in_flight_while_nothing_computes_is_exposed(self):
        flight = flights(self.timeline((0.15, 10, 13, 9), (0.25, 10.5, 12, 7), (0.45, 13, 15, 7)))["ag"]
        assert flight.exposed == ((0, 0.5), (2, 3))
        assert (flight.wait_start, flight.done) == (2, 3)

    def test_a_wait_that_the_stream_reaches_late_ends_when_it_gets_there(self):
        flight = flights(self.timeline((0.15, 10, 11, 9), (0.25, 10, 14, 7), (0.45, 14, 15, 7)))["ag"]
        assert (flight.done, flight.wait_start, flight.end, flight.exposed) == (1, 4, 4, ())

    def test_the_copy_that_a_start_makes_on_the_computing_stream_is_no_transfer(self):
        flight = flights(self.timeline((0.12, 9, 10, 7), (0.15, 10, 13, 9), (0.25, 10, 13, 7), (0.45, 13, 15, 7)))["ag"]
        assert (flight.start, flight.done, flight.exposed) == (0, 3, ())

    def test_a_collective_alone_in_its_group_may_do_nothing(self):
        flight = flights(self.timeline((0.25, 10, 12, 7), (0.45, 12, 15, 7)))["ag"]
        assert (flight.start, flight.done, flight.end) == (0, 0, 2)

    def test_a_kernel_launched_outside_every_annotation_belongs_to_no_node(self):
        timeline = self.timeline((0.15, 10, 13, 9), (0.25, 10, 12, 7), (0.9, 1, 99, 7))
        assert timeline.step_seconds == 3

    def test_a_kernel_launched_on_another_thread_belongs_to_no_node(self):
        launch = event("cuda_runtime", "cudaLaunchKernel", 0.25, 0.25, OTHER, correlation=77)
        kernel = event("kernel", "k", 1, 99, 7, correlation=77)
        kernels = works((0.15, 10, 13, 9), (0.25, 10, 12, 7))
        assert timeline_of([*self.HOST, *kernels, launch, kernel], ["mm"], FLIGHTS).step_seconds == 3

    def test_a_node_with_several_kernels_is_one_slice(self):
        timeline = self.timeline((0.15, 10, 13, 9), (0.21, 10, 11, 7), (0.25, 11.5, 12, 7))
        assert [(item.start, item.end) for item in timeline.slices if item.name == "mm"] == [(0, 2)]


class TestGloo:
    """Which transfer is whose."""

    def test_one_group_takes_its_collectives_in_order(self):
        transfers = [Transfer("a", 1.1, 3), Transfer("b", 2.1, 2.5)]
        assert ends_of(transfers, [("0", 1, 4), ("0", 2, 5)]) == [3, 2.5]

    def test_groups_are_told_apart_by_when_they_were_in_flight(self):
        transfers = [Transfer("b", 5.1, 6), Transfer("a", 1.1, 2)]
        assert ends_of(transfers, [("0", 1, 3), ("1", 5, 7)]) == [2, 6]

    def test_groups_in_flight_together_are_not_told_apart(self):
        transfers = [Transfer("a", 2.1, 3), Transfer("b", 2.2, 3.5)]
        assert ends_of(transfers, [("0", 1, 4), ("1", 2, 5)]) == [None, None]

    def test_a_transfer_that_is_missing_leaves_its_group_unknown(self):
        assert ends_of([Transfer("a", 1.1, 2)], [("0", 1, 3), ("0", 4, 5)]) == [None, None]

    def test_a_transfer_that_outlasts_its_wait_is_another_ones(self):
        assert ends_of([Transfer("a", 1.1, 9)], [("0", 1, 3)]) == [None]
