// The table of decisions, in the order of the pass: one row a collective, one tab stop for the whole grid.

import { decisionOf, select } from "../actions";
import { shortNamesOf } from "../canvas/modules";
import { button, focusedIn, h, renewChildren, setPressed } from "../dom";
import { icon } from "../glyphs";
import { related, resolve } from "../refs";
import { parseQuery, subjectsOf } from "../search";
import type { Decision, ReasonInfo, State, Store } from "../types";
import { decisionRow, groupRow, headerRow, ROW_HEIGHT } from "./decisionRow";
import { virtualRows } from "./rows";
import { mountStepper } from "./stepper";

const FILTERS: readonly (keyof State)[] = ["view", "kinds", "query", "movesOnly", "reason", "byReason"];
const UNDECIDED: ReasonInfo = { code: "", label: "not decided yet", count: 0, meaning: "Decisions that are to be predicted." };

type Line = Decision | ReasonInfo; // a decision, or the head of those of one reason

export interface DecisionTable {
  move: (offset: number) => void; // through the rows that the filters leave
  unmount: () => void;
}

export function mountDecisions(root: HTMLElement, store: Store, inspect: () => void): DecisionTable {
  let shown: Decision[] = [];
  let lines: Line[] = [];
  let active = 0;

  const rows = virtualRows(ROW_HEIGHT, (row) => drawRow(row), () => active);
  const grid = h("div", { class: "bv-grid", role: "grid", "aria-label": "Decisions", onkeydown: (event: KeyboardEvent) => onKey(event) },
    headerRow(), rows.element);
  const count = h("span", { class: "bv-hint" });
  const reasons = h("select", { class: "bv-select", "aria-label": "Reason", title: "Show one reason only", onchange: () => store.set({ reason: reasons.value }) });
  const group = button("Group by reason", { title: "Group by reason, the most frequent first (G)", "data-key": "G", "aria-pressed": "false", onclick: () => store.set({ byReason: !store.state.byReason }) }, icon("groups"));
  const merges = button("Step through merges only", { title: "The stepper skips what leaves the graph as it is (u)", "data-key": "u", "aria-pressed": "false", onclick: () => store.set({ mergesOnly: !store.state.mergesOnly }) }, icon("merges"));
  const stepper = h("div", { class: "bv-stepper", role: "group", "aria-label": "Stepper" });
  const empty = h("p", { class: "bv-empty" });
  root.append(h("div", { class: "bv-head" }, h("h2", { class: "bv-title" }, "Decisions"), count, h("div", { class: "bv-tools" }, group, merges), reasons), stepper, grid, empty);

  const filter = (): void => {
    shown = shownDecisions(store);
    lines = store.state.byReason ? grouped(shown, store.current.reasons) : shown;
    setPressed(group, store.state.byReason);
    const { decisions } = store.current;
    const { length } = decisions;
    count.textContent = shown.length === length ? "" : `${shown.length} of ${length}`;
    empty.textContent = shown.length > 0 ? "" : length === 0 ? "The graph has no collectives." : "No decision passes the filters.";
    grid.hidden = shown.length === 0;
    grid.toggleAttribute("data-compared", store.current.difference !== null);
    grid.style.setProperty("--bv-digits", String(Math.max(2, String(length).length)));
    grid.style.setProperty("--bv-size-letters", String(decisions.reduce((most, { size }) => Math.max(most, size.length), 0)));
    grid.setAttribute("aria-rowcount", String(lines.length + 1));
    reasons.value = shownReason(store);
    follow();
    keepingFocus(() => rows.show(lines.length));
  };

  // What had the focus may stand in another row now.
  const keepingFocus = (change: () => void): void => {
    const hasFocus = rows.element.contains(focusedIn(rows.element));
    change();
    if (hasFocus) rows.at(active)?.focus({ preventScroll: true });
  };

  const follow = (): void => {
    const decision = selectedDecision(store) ?? firstOfBucket(store, shown) ?? lines[active];
    const at = decision === undefined ? -1 : lines.indexOf(decision);
    active = at >= 0 && isDecision(lines[at]!) ? at : Math.max(0, lines.findIndex(isDecision));
  };

  const drawRow = (row: number): HTMLElement => {
    const decision = lines[row]!;
    if (!isDecision(decision)) {
      const isOnly = shownReason(store) === decision.code;
      return groupRow(decision, row, isOnly, () => store.set({ reason: isOnly ? "" : decision.code }));
    }
    const move = store.current.difference?.moves.get(decision.node);
    const line = decisionRow(decision, row, shortNamesOf(store.current.before), move);
    const nameNow = (): string => (lines[row] as Decision).name; // by then another one may stand here
    line.addEventListener("click", (event) => {
      active = row;
      select(store, nameNow(), event.shiftKey);
      line.focus({ preventScroll: true });
    });
    line.addEventListener("dblclick", inspect);
    line.addEventListener("pointerenter", () => store.set({ hover: nameNow() }));
    line.addEventListener("pointerleave", () => store.set({ hover: null }));
    dress(line, row, marksOf(store));
    return line;
  };

  const dress = (line: HTMLElement, row: number, marks: Marks): void => {
    const decision = lines[row]!;
    if (!isDecision(decision)) return;
    const { node, step, bucket } = decision;
    line.tabIndex = row === active ? 0 : -1;
    line.setAttribute("aria-selected", String(marks.selected.has(node)));
    line.toggleAttribute("data-lit", marks.lit.has(bucket));
    line.toggleAttribute("data-hover", marks.hovered.has(node));
    line.toggleAttribute("data-future", store.state.step >= 0 && step > store.state.step);
  };

  const dressAll = (): void => {
    const marks = marksOf(store);
    for (const [row, line] of rows.drawn) dress(line, row, marks);
  };

  const move = (offset: number): void => {
    const order = lines.filter(isDecision);
    const at = order.indexOf(lines[active] as Decision);
    const isSelected = selectedDecision(store) === order[at];
    const decision = order[Math.max(0, Math.min(order.length - 1, isSelected ? at + offset : at))];
    if (decision !== undefined) select(store, decision.name);
  };

  const onKey = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(rows.element.clientHeight / ROW_HEIGHT) - 1);
    const offsets: Record<string, number> = { PageDown: page, PageUp: -page, Home: -shown.length, End: shown.length };
    const offset = offsets[event.key];
    if (offset === undefined) return;
    event.preventDefault();
    move(offset);
  };

  const drawReasons = (): void => {
    reasons.hidden = store.current.reasons.length === 0;
    renewChildren(reasons, [h("option", { value: "" }, "any reason"), ...store.current.reasons.map((each) =>
      h("option", { value: each.code, title: each.meaning }, `${each.label} (${each.count})`))]);
    reasons.value = shownReason(store);
  };

  // Another plan: what is in sight stays where it is.
  const redraw = (): void => {
    drawReasons();
    filter();
  };

  drawReasons();
  filter();
  rows.reveal(active);
  const unstep = mountStepper(stepper, store);
  const resized = new ResizeObserver(() => {
    rows.measure();
    rows.reveal(active);
  });
  resized.observe(rows.element);
  const unsubscribe = store.subscribe((_, changed) => {
    if (changed.has("mergesOnly")) setPressed(merges, store.state.mergesOnly);
    if (changed.has("view") || changed.has("revision")) redraw();
    if (FILTERS.some((key) => changed.has(key))) {
      filter();
      return rows.reveal(active);
    }
    if (changed.has("selection")) {
      follow();
      keepingFocus(() => rows.reveal(active));
    }
    dressAll();
  });
  return {
    move,
    unmount() {
      unstep();
      resized.disconnect();
      unsubscribe();
    },
  };
}

function isDecision(line: Line): line is Decision {
  return "step" in line;
}

// A reason that no decision of this plan has shows all.
function shownReason({ state, current }: Store): string {
  return current.reasons.some(({ code }) => code === state.reason) ? state.reason : "";
}

function grouped(shown: readonly Decision[], reasons: readonly ReasonInfo[]): Line[] {
  return [...reasons, UNDECIDED].flatMap((reason): Line[] => {
    const own = shown.filter(({ code }) => code === reason.code);
    return own.length === 0 ? [] : [{ ...reason, count: own.length }, ...own];
  });
}

export function shownDecisions(store: Store): Decision[] {
  const reason = shownReason(store);
  const { kinds, query, movesOnly } = store.state;
  const moves = movesOnly ? store.current.difference?.moves : undefined;
  const parsed = parseQuery(query);
  const subjects = subjectsOf(store.current);
  return store.current.decisions.filter((decision) =>
    (kinds.length === 0 || kinds.includes(decision.kind)) &&
    (reason === "" || decision.code === reason) &&
    (moves === undefined || moves.has(decision.node)) &&
    (parsed.isEmpty || parsed.problem !== "" || parsed.test(subjects(decision.node))));
}

interface Marks {
  selected: Set<number>;
  lit: Set<number>; // buckets
  hovered: Set<number>;
}

function marksOf({ state, current }: Store): Marks {
  const selected = state.selection.flatMap((ref) => decisionOf(current, ref)?.node ?? []);
  const lit = related(current, state.selection).buckets;
  const hovered = state.hover === null ? new Set<number>() : related(current, [state.hover]).before;
  return { selected: new Set(selected), lit, hovered };
}

function firstOfBucket({ state, current }: Store, shown: readonly Decision[]): Decision | undefined {
  const target = state.selection[0] === undefined ? null : resolve(current, state.selection[0]);
  return target === null || !("bucket" in target) ? undefined : shown.find(({ bucket }) => bucket === target.bucket);
}

function selectedDecision({ state, current }: Store): Decision | null {
  const ref = state.selection[0];
  return ref === undefined ? null : decisionOf(current, ref);
}
