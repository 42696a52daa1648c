"""Twelve questions about a real training step, FSDP x TP on eight ranks: each is answered in three clicks or keys.

The backward graph of an eighteen-layer Llama, about 5,000 nodes, is opened under three policies side by side.
"""

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from asking import Asker
from fsdp_tp import captured_llama
from playwright.sync_api import Page, expect
from watching import WatchedPage

import bucketviz as bv
from bucketviz.explorer import Explorer
from bucketviz.records import Plan, Reason
from bucketviz.records.explain import explain_so_far, witness_path
from bucketviz.units import format_bytes, format_seconds

pytestmark = [pytest.mark.browser, pytest.mark.slow]
MACHINE = "h100-8x-ib"
POLICIES = [bv.Policy(cap_mib=25), bv.Policy(cap_mib=200), bv.Policy(cap_mib=25, strategy="grouped")]


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    captured = captured_llama(num_layers=18)
    assert captured.backward is not None
    return bv.explore(captured.backward, POLICIES, machine=MACHINE)


@pytest.fixture(scope="module")
def plan(explorer: Explorer) -> Plan:
    assert 4_500 <= len(explorer.plan.graph.nodes) <= 5_500
    return explorer.plan


@pytest.fixture(scope="module")
def shared_page(explorer: Explorer, browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WatchedPage]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    watched = WatchedPage(context.new_page())
    watched.page.goto(explorer.to_html(tmp_path_factory.mktemp("questions") / "page.html").as_uri())
    yield watched
    context.close()
    assert watched.errors == []


@pytest.fixture
def asker(shared_page: WatchedPage) -> Asker:
    shared_page.page.reload()
    expect(shared_page.page.locator(".bv-summary")).to_contain_text("reduce_scatters")
    return Asker(shared_page.page)


def first(plan: Plan, reason: Reason) -> str:
    """The first collective in the table with that reason."""
    return next(decision.collective for decision in plan.decisions if decision.reason is reason)


def shown_rows(page: Page) -> int:
    """How many decisions the table holds, in sight or not."""
    label = page.locator(".bv-grid").get_attribute("aria-rowcount")
    return int(str(label)) - 1


def test_why_was_this_collective_left_alone(asker: Asker, plan: Plan) -> None:
    name = first(plan, Reason.DEPENDS_ON_BUCKET)
    asker.click(asker.row(name))
    expect(asker.inspector).to_contain_text(explain_so_far(plan, plan.decision(name)))
    for step in witness_path(plan, plan.decision(name)):
        expect(asker.inspector).to_contain_text(step)


def test_which_collective_closed_this_bucket(asker: Asker, plan: Plan) -> None:
    bucket = plan.buckets[0]
    asker.click(asker.row(bucket.collectives[1]))
    asker.press("]")
    expect(asker.inspector).to_contain_text(f"{plan.graph.node(bucket.closed_by).module} did not fit and closed B0")


def test_what_cap_would_have_let_it_in(asker: Asker, plan: Plan) -> None:
    name = first(plan, Reason.OVER_CAP)
    asker.click(asker.row(name))
    neighbour = plan.decision(name).evidence["neighbour"]
    sizes = [plan.graph.node(each).collective.size_bytes for each in (name, neighbour)]
    expect(asker.inspector).to_contain_text(f"Would join at a cap of {format_bytes(sum(sizes))} or more")


def test_which_buckets_mix_these_modules(asker: Asker, plan: Plan) -> None:
    attention_norm, feed_forward = "layers.17.attention_norm", "layers.16.feed_forward"
    mixed = [
        bucket
        for bucket in plan.buckets
        if {attention_norm, f"{feed_forward}.w2"} <= {plan.graph.node(name).module for name in bucket.collectives}
    ]
    assert mixed
    asker.press("/")
    asker.write(rf"/{attention_norm}|{feed_forward}/ group:1")
    expect(asker.row(plan.decisions[0].collective)).to_have_count(0)
    for bucket in mixed:
        for name in bucket.collectives:
            expect(asker.row(name)).to_contain_text(bucket.label)


def test_what_does_inductor_do_differently(asker: Asker, explorer: Explorer) -> None:
    grouped = explorer.subjects[2].plan
    differing = [decision for decision in grouped.decisions if decision.inductor_differs]
    asker.click(asker.page.get_by_role("button", name="grouped"))
    expect(asker.page.locator(".bv-summary")).to_contain_text(f"differ from Inductor{len(differing)}")
    asker.click(asker.row(differing[0].collective))
    expect(asker.inspector).to_contain_text(f"torch.compile differs. {differing[0].inductor_differs}")


def test_which_line_of_my_model_made_this_collective(asker: Asker, plan: Plan) -> None:
    name = plan.decisions[0].collective
    asker.click(asker.row(name))
    expect(asker.inspector).to_contain_text(plan.graph.node(name).source)
    asker.click(asker.inspector.get_by_text("Stack trace"))
    expect(asker.inspector).to_contain_text("whole = weight.redistribute(")


def test_what_changes_between_25_and_200_mib(asker: Asker, explorer: Explorer) -> None:
    narrow, wide = (subject.plan for subject in explorer.subjects[:2])
    found = narrow.diff(wide)
    asker.click(asker.page.get_by_role("button", name="200 MiB"))
    strip = asker.page.get_by_role("group", name="Against the pinned plan")
    expect(strip).to_contain_text(f"{len(found.moves)} of {found.num_decisions} collectives moved")
    expect(strip).to_contain_text(f"collectives {narrow.num_collectives_after} → {wide.num_collectives_after}")
    asker.click(strip.get_by_role("button", name="Only what moved"))
    assert shown_rows(asker.page) == len(found.moves)


def test_where_does_compute_wait(asker: Asker, explorer: Explorer) -> None:
    prediction = explorer.subject.prediction
    assert prediction is not None
    asker.click(asker.page.locator(".bv-timeline .bv-switch button[data-value=estimated]"))
    asker.click(asker.page.locator(".bv-timeline [data-key='!']"))
    waits = [end - start for each in prediction.after.timeline.slices for start, end in each.exposed]
    expect(asker.page.locator(".bv-timeline")).to_contain_text(f"Compute waits {format_seconds(max(waits))} for ")
    expect(asker.page.locator(".bv-grid [aria-selected=true]")).to_have_count(1)


def test_what_did_this_bucket_cost_in_memory(asker: Asker, explorer: Explorer) -> None:
    bucket, after = explorer.plan.buckets[0], explorer.rewrite.after
    members = [explorer.plan.graph.node(name).collective for name in bucket.collectives]
    packed, reduced = sum(each.in_bytes for each in members), sum(each.out_bytes for each in members)
    merged = after.node(explorer.rewrite.bucket_starts[0])
    (wait,) = merged.collective.waits
    own = {name for name, index in explorer.rewrite.added.items() if index == 0}
    first = after.position[after.node(merged.inputs[0]).storage]
    last = max(after.position[node.name] for node in after.nodes if not own.isdisjoint(node.inputs))
    assert after.nodes[last] is after.nodes[-1], "a gradient is held until it is given back"
    estimate = bv.simulate(explorer.rewrite, machine=MACHINE).after
    (packing,) = [item for item in estimate.timeline.slices if item.name == after.nodes[first].name]
    live = estimate.live_bytes
    peak = live.index(max(live))
    held = packed * (first <= peak <= after.position[wait]) + reduced * (after.position[merged.name] <= peak <= last)

    asker.click(asker.row(bucket.collectives[0]))
    asker.press("]")
    memory = asker.inspector.locator(".bv-section", has_text="Memory, estimated")
    told = dict(zip(memory.locator("dt").all_inner_texts(), memory.locator("dd").all_inner_texts(), strict=True))
    assert told == {
        "cost": f"+{format_bytes(packed)} at once",
        "its buffers": f"{format_bytes(packed + reduced)} at once, 2 buffers",
        "members apart": f"{format_bytes(reduced)} at once",
        "held for": f"{last - first + 1} nodes, {format_seconds(estimate.step_seconds - packing.start)}",
        "at the peak": f"{format_bytes(held)} of {format_bytes(max(live))}",
    }


def test_which_collectives_repeat_per_layer(asker: Asker, plan: Plan) -> None:
    per_layer = Counter(
        re.sub(r"^layers\.\d+\.", "", node.module)
        for node, _ in plan.graph.collectives()
        if node.module.startswith("layers.5.")
    )
    assert per_layer.total() > 10
    assert Counter(asker.inspector.locator(".bv-per-layer li .bv-ref").all_inner_texts()) == per_layer


def test_which_reason_is_the_most_frequent(asker: Asker, plan: Plan) -> None:
    reason, count = plan.reasons().most_common(1)[0]
    expect(asker.inspector.locator(".bv-reasons dt").first).to_have_text(f"{count} {reason.value}")


def test_show_me_only_reduce_scatters_of_group_1(asker: Asker, plan: Plan) -> None:
    asker.press("/")
    asker.write("op:reduce_scatter group:1")
    wanted = [
        node.name for node, each in plan.graph.collectives() if (each.kind, each.group_name) == ("reduce_scatter", "1")
    ]
    expect(asker.row(first(plan, Reason.DEPENDS_ON_BUCKET))).to_have_count(0)
    assert shown_rows(asker.page) == len(wanted) > 100
