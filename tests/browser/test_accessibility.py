"""axe-core in every state, light and dark; every control by keyboard alone; nothing lost when space is short."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from states import STATES, reach

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def violations(page: Page, *rules: str) -> list[str]:
    """What axe finds, one line an element; by some rules or by all."""
    options = {"runOnly": {"type": "rule", "values": rules}} if rules else None
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{each['id']}: {' '.join(node['target'])}: {node['failureSummary']}"
        for each in found
        for node in each["nodes"]
    ]


@pytest.mark.parametrize("name", STATES)
def test_axe_finds_nothing(page: Page, pages: dict[str, Path], name: str) -> None:
    reach(page, STATES[name], pages)
    assert violations(page) == []
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    expect(page.locator(".bucketviz")).to_have_attribute("data-theme", "dark")
    assert violations(page, "color-contrast") == []


def test_axe_would_find_something(page: Page, pages: dict[str, Path]) -> None:
    reach(page, STATES["first"], pages)
    page.locator(".bv-stats").evaluate("stats => stats.style.color = '#ccc'")
    page.locator(".bv-stats dt").first.evaluate("term => term.style.color = '#ccc'")
    assert {line.split(":")[0] for line in violations(page)} == {"color-contrast"}


CONTROLS = "button, input, select, summary, [role=tab], [tabindex]"
NAME_OF = """element => [element.tagName, element.getAttribute("aria-label") ?? "", element.dataset.key ?? "",
    element.getAttribute("aria-label") === null ? element.textContent.trim().slice(0, 40) : ""].join(" ")"""
FOCUSABLE = f"""root => [...root.querySelectorAll("{CONTROLS}")]
    .filter(element => element.checkVisibility() && !element.disabled && element.tabIndex >= 0).map({NAME_OF})"""
REACHABLE = f"""root => [...root.querySelectorAll("button, input, select, summary, [role=tab]")]
    .filter(element => element.checkVisibility()).filter(element => {{
        element.scrollIntoView({{ block: "nearest", inline: "nearest" }});
        const {{ left, top, width, height }} = element.getBoundingClientRect();
        const hit = document.elementFromPoint(left + width / 2, top + height / 2);
        return hit !== null && (element.contains(hit) || hit.contains(element) && hit.matches("label"));
    }}).map({NAME_OF})"""


def reachable(page: Page) -> set[str]:
    """Controls that can be clicked, at most after scrolling; where panes are tabs, in all of them."""
    root, tabs = page.locator(".bucketviz"), page.locator(".bv-tab:visible")
    found = set(root.evaluate(REACHABLE))
    for index in range(tabs.count()):
        tabs.nth(index).click()
        found |= set(root.evaluate(REACHABLE))
    return found


@pytest.mark.parametrize("name", ["first", "merged", "pinned", "quiz", "measured", "narrow, graph"])
def test_the_tab_key_reaches_every_control_and_leaves_again(page: Page, pages: dict[str, Path], name: str) -> None:
    reach(page, STATES[name], pages)
    wanted = page.locator(".bucketviz").evaluate(FOCUSABLE)
    page.locator(".bucketviz").evaluate("root => root.focus()")
    reached = []
    for _ in range(3 * len(wanted)):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement === document.body"):
            break
        reached.append(page.evaluate(f"() => ({NAME_OF})(document.activeElement)"))
    else:
        pytest.fail("the focus does not leave the explorer")
    assert [each for each in wanted if each not in reached] == []


def test_every_key_of_the_help_has_a_control(page: Page, pages: dict[str, Path]) -> None:
    reach(page, STATES["help"], pages)
    listed = set(page.locator("dialog kbd").all_inner_texts())
    on_controls = set(page.locator("[data-key]").evaluate_all("all => all.map(each => each.dataset.key)"))
    assert on_controls <= listed
    elsewhere = {
        *("j", "k", "Enter", "h", "l", "←", "→"),  # rows and slices, which are clicked
        *("/", "b", "Esc"),  # the search box, the switch of views, what is cleared where it was set
        *("1", "2", "3", "v"),  # buttons that are there while they mean something
        *("↑", "↓"),  # the rows of a box, which is drawn with the pointer
    }
    assert listed - on_controls <= elsewhere


@pytest.mark.parametrize(("width", "height"), [(1000, 700), (720, 450)], ids=["small", "200 percent"])
@pytest.mark.parametrize("name", ["merged", "pinned", "quiz"])
def test_no_control_is_lost_where_space_is_short(
    page: Page, pages: dict[str, Path], name: str, width: int, height: int
) -> None:
    """A window of 1440 x 900 at 200 % holds 720 x 450 CSS pixels."""
    reach(page, STATES[name], pages)
    wanted = reachable(page)
    assert len(wanted) > 25
    reach(page, STATES[name]._replace(size=(width, height)), pages)
    assert wanted - reachable(page) == set()


WRITE_LONGEST_SIZE = """grid => {
    const size = "1023.99 KiB";
    grid.style.setProperty("--bv-size-letters", size.length);
    for (const cell of grid.querySelectorAll(".bv-rows .bv-size")) cell.textContent = size;
}"""
CUT_OFF = """row => [...row.querySelectorAll(".bv-size, .bv-step")].filter(cell => {
    const { left, right, width } = cell.getBoundingClientRect();
    const bounds = row.getBoundingClientRect();
    const text = document.createRange();
    text.selectNodeContents(cell);
    return width === 0 || text.getBoundingClientRect().left < left || left < bounds.left || right > bounds.right;
}).map(cell => cell.textContent)"""


@pytest.mark.parametrize("width", [1440, 1359, 1000, 900, 899, 420])
@pytest.mark.parametrize("name", ["merged", "pinned"])
def test_a_row_keeps_its_size_however_narrow_its_table(
    page: Page, pages: dict[str, Path], name: str, width: int
) -> None:
    reach(page, STATES[name]._replace(size=(width, 700)), pages)
    page.locator(".bv-grid").evaluate(WRITE_LONGEST_SIZE)
    rows = page.locator(".bv-rows .bv-row[title]")
    assert rows.count() > 5
    assert [cut for row in rows.all() for cut in row.evaluate(CUT_OFF)] == []
