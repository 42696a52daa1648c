"""The explorer among other widgets: driven by sliders, beside others of its kind, in boxes."""

import ipywidgets
import pytest
import traitlets
from samples import SAMPLES

import bucketviz as bv
from bucketviz.errors import ExplorerError
from bucketviz.explorer import Explorer
from bucketviz.explorer.wire import read_payload


@pytest.fixture
def explorer() -> Explorer:
    return bv.explore(SAMPLES["over_the_cap"]())


def test_a_slider_drives_the_step_and_follows_it(explorer: Explorer) -> None:
    slider = ipywidgets.IntSlider(min=-1, max=len(explorer.plan.decisions) - 1)
    link = traitlets.link((slider, "value"), (explorer, "step"))
    slider.value = 3
    assert explorer.step == 3
    explorer.step = 1
    assert slider.value == 1
    link.unlink()
    slider.value = 2
    assert explorer.step == 1


@pytest.mark.parametrize("trait", ["step", "view", "filter", "selection"])
def test_the_browser_links_what_is_shared_without_python(explorer: Explorer, trait: str) -> None:
    other = bv.explore(SAMPLES["over_the_cap"]())
    state = ipywidgets.jslink((explorer, trait), (other, trait)).get_state()
    assert state["source"] == [f"IPY_MODEL_{explorer.model_id}", trait]
    assert trait in explorer.get_state()


def test_a_slider_drives_the_cap(explorer: Explorer) -> None:
    slider = ipywidgets.FloatLogSlider(base=2, min=-12, max=4, value=16.0)
    slider.observe(lambda change: explorer.replan(cap_mib=change["new"]), "value")
    before = len(explorer.plan.buckets)
    slider.value = 2**-10
    assert len(explorer.plan.buckets) > before
    assert explorer.policy.cap_mib == 2**-10


def test_several_are_in_one_box_and_share_nothing(explorer: Explorer) -> None:
    other = bv.explore(SAMPLES["adjacent_gathers"]())
    box = ipywidgets.VBox([ipywidgets.HBox([explorer, other]), explorer])
    assert [child.model_id for child in box.children[0].children] == [explorer.model_id, other.model_id]
    explorer.selection, explorer.step, explorer.filter = ["ag4"], 2, "why:cap"
    assert (other.selection, other.step, other.filter) == ([], -1, "")
    assert read_payload(other.payload) != read_payload(explorer.payload)


def test_an_output_follows_the_selection(explorer: Explorer) -> None:
    label = ipywidgets.Label()
    traitlets.dlink((explorer, "selection"), (label, "value"), lambda names: ", ".join(names))
    explorer.goto("B0")
    assert label.value == "B0"


def test_the_search_text_goes_both_ways(explorer: Explorer) -> None:
    text = ipywidgets.Text()
    traitlets.link((text, "value"), (explorer, "filter"))
    text.value = "bytes>1K"
    assert explorer.filter == "bytes>1K"
    explorer.set_state({"filter": "op:all_gather"})
    assert text.value == "op:all_gather"


def test_a_slider_that_goes_too_far_is_told_so(explorer: Explorer) -> None:
    slider = ipywidgets.IntSlider(min=-1, max=99)
    traitlets.dlink((slider, "value"), (explorer, "step"))
    with pytest.raises(ExplorerError, match="step=50 is out of range; there are 5"):
        slider.value = 50
