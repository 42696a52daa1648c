// The graph before and after: rails, ribbons and minimap on a canvas, with buttons, keys and a text twin.

import { select } from "../../actions";
import { button, h, setPressed } from "../../dom";
import { icon } from "../../glyphs";
import { refOfNode } from "../../refs";
import { parseQuery, searchNodes } from "../../search";
import type { Picture } from "../../exports/picture";
import { readTokens } from "../../theme";
import type { State, Store } from "../../types";
import { hostCanvas } from "../canvasHost";
import type { DrawnStub } from "./edgeDraw";
import { emphasisOf, type Emphasis } from "../emphasis";
import { glide } from "./glide";
import { drawGraph } from "./frame";
import { graphKeys } from "./keys";
import type { Placed } from "./layout";
import { GraphModel } from "./model";
import { pictureOf } from "./picture";
import { describe, obstacleOf, refOfRow, ringText, rowsText, SKETCH_MEANING, sketchText, titleOf, TITLES } from "./texts";
import { mountTwin } from "./twin";
import { hitGraph } from "./hit";
import { listenToPointer } from "../pointer";
import type { Scene } from "./scene";

const HEAD: readonly (keyof State)[] = ["view", "revision", "graphView", "quiz"]; // what the head tells
const STAGE_LABEL = "Graph. Arrow keys move from row to row, left and right between before and after, " +
  "h and l to what a row reads and what reads it, e unfolds, asterisk unfolds all, c folds.";

export interface GraphPane {
  picture: () => Picture; // of what is shown
  anticipateStep: () => boolean; // makes what a layout at the first decision needs; true, as nothing is left to make
  unmount: () => void;
}

export function mountGraph(root: HTMLElement, store: Store): GraphPane {
  let model = new GraphModel(store.current, store.state.graphView);
  let emphasis = currentEmphasis(store, model, []);
  let stubs: DrawnStub[] = []; // as drawn last
  let titles = ""; // as placed last, and where
  let matches: readonly number[] = [];
  let held = store.state.selection[0] ?? null; // what was selected before the present change

  const [left, right] = [h("h2", { class: "bv-title" }), h("h2", { class: "bv-title bv-rail-title" })];
  const act = (action: () => void) => (): void => {
    action();
    refresh();
  };
  const zoom = (factor: number): void => model.zoomRows(factor, model.height / 2);
  const unfold = (): void => {
    model.unfold(store.state.selection);
    said.textContent = ringText(model);
  };
  const unfoldAll = (): void => {
    const held = selectedRow();
    model.unfoldAll();
    reveal(held === null ? null : selectedRow());
    said.textContent = rowsText(model);
  };
  const repeats = button("× n: repeated layers as one row", {
    title: "Repeated layers as one row (r)", "data-key": "r", "aria-pressed": "false", onclick: act(() => model.toggleRepeats()),
  }, "× n");
  const tools = h("div", { class: "bv-tools", role: "group", "aria-label": "Rows" },
    repeats,
    button("Unfold", {
      title: "Unfold the row, grow a ring of neighbours around what is selected, or unfold all rows by one level (e)",
      "data-key": "e", onclick: act(() => unfold()),
    }, icon("unfold")),
    button("All ops", { title: "All ops: every row unfolded (*)", "data-key": "*", onclick: act(() => unfoldAll()) }, icon("unfoldAll")),
    button("Fold", { title: "Fold the row, shrink the ring, or fold all rows (c)", "data-key": "c", onclick: act(() => model.fold()) }, icon("fold")),
    button("Lower rows", { title: "Lower rows (-)", "data-key": "-", onclick: act(() => zoom(1 / 1.25)) }, "−"),
    button("Higher rows", { title: "Higher rows (+)", "data-key": "+", onclick: act(() => zoom(1.25)) }, "+"));
  const stage = h("div", { class: "bv-stage", tabindex: 0, role: "group", "aria-label": STAGE_LABEL });
  const said = h("p", { class: "bv-said", "aria-live": "polite" });
  const warning = h("p", { class: "bv-note", hidden: true });
  root.append(h("div", { class: "bv-head bv-graph-head" }, left, right, tools), warning, stage, said);
  const twin = mountTwin(root, store);

  const host = hostCanvas(stage, (pen) => void (stubs = drawGraph(pen, sceneOf(model, emphasis))), (width, height) => resized(width, height));
  const scroll = glide(() => model.scrollY, (scrollY) => {
    model.scrollTo(scrollY);
    host.redraw();
  });

  function resized(width: number, height: number): void {
    const wasHidden = model.height === 0;
    model.resize(width, height);
    placeTitles();
    if (wasHidden) showSelection();
  }

  // At once: what opens with a selection starts there.
  function showSelection(): void {
    const placed = selectedRow();
    const wanted = placed === null ? null : model.scrollToReveal(placed);
    if (wanted !== null) model.scrollTo(wanted);
  }

  // To measure is to lay out the page, so nothing is measured that stands as it did.
  function placeTitles(): void {
    const [title, note, rightTitle] = TITLES[store.state.graphView];
    const [about, obstacle] = [sketchText(store.current, store.state.quiz), obstacleOf(store.current)];
    const x = Math.round(model.geometry.rails.after.x);
    const told = [title, about, obstacle, x, model.width, repeats.hidden].join("\n");
    if (told === titles) return;
    titles = told;
    left.replaceChildren(title, h("small", {}, ` · ${note}`));
    right.hidden = rightTitle === ""; // a heading without text is none
    right.replaceChildren(rightTitle, about === "" ? "" : h("small", { title: SKETCH_MEANING }, ` · ${about}`));
    warning.textContent = obstacle;
    warning.hidden = obstacle === "";
    right.style.left = `${x}px`;
    right.removeAttribute("data-tight");
    right.toggleAttribute("data-tight", right.offsetLeft + right.offsetWidth > tools.offsetLeft - 4);
  }

  // What only another plan, view or mode changes: it measures the page, too much for each step and each hover.
  function drawHead(): void {
    repeats.hidden = !model.hasRepeats;
    repeats.setAttribute("aria-disabled", String(store.state.graphView === "diff"));
    placeTitles();
    host.canvas.setAttribute("aria-label", describe(store.current, model));
  }

  function refresh(): void {
    setPressed(repeats, model.unfolded.foldsRepeats);
    emphasis = currentEmphasis(store, model, matches);
    host.redraw();
  }

  function reveal(placed: Placed | null): void {
    if (model.height === 0) return; // hidden: showSelection follows when it is not
    const wanted = placed === null ? null : model.scrollToReveal(placed);
    if (wanted !== null) scroll.to(wanted);
  }

  function selectedRow(): Placed | null {
    const ref = store.state.selection[0];
    return ref === undefined ? null : model.rowOfRef(ref);
  }

  function moveCursor(placed: Placed | null): void {
    if (placed === null) return;
    const { row } = placed;
    model.cursor = row.id;
    said.textContent = `${row.label}, ${row.detail}`;
    const ref = refOfRow(store.current, row);
    if (ref !== null) select(store, ref);
    reveal(placed);
    refresh();
  }

  function startOver(): void {
    const { rowHeight, width, height } = model;
    model = new GraphModel(store.current, store.state.graphView);
    model.rowHeight = rowHeight;
    model.resize(width, height);
    twin.draw();
  }

  function showPlan(): void {
    scroll.stop();
    model = model.withPlan(store.current, held === null ? null : model.rowOfRef(held), store.state.selection[0] ?? null);
    twin.draw();
  }

  function followEdge({ stub, placed }: DrawnStub): void {
    const from = refOfRow(store.current, placed.row);
    if (from !== null) model.revealEdge(from, stub.ref);
    select(store, stub.ref);
    refresh();
  }

  const stubAt = (x: number, y: number): DrawnStub | undefined =>
    stubs.find(({ box }) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height);
  const hitAt = (x: number, y: number): ReturnType<typeof hitGraph> => hitGraph(model.layout, model.geometry, x, y);
  const showLine = (line: number): void => {
    model.scrollTo(line * model.rowHeight - model.height / 2);
    host.redraw();
  };
  let isOnMap = false;
  const unlisten = listenToPointer(host.canvas, {
    move(x, y) {
      const hit = hitAt(x, y);
      const row = hit !== null && "placed" in hit ? hit.placed.row : null;
      const stub = stubAt(x, y);
      store.set({ hover: row === null ? null : refOfRow(store.current, row) });
      host.canvas.style.cursor = hit === null ? "default" : "pointer";
      host.canvas.title = stub !== undefined ? `${stub.stub.hint}; click shows it` : row === null ? "" : titleOf(store.current, row);
    },
    leave: () => store.set({ hover: null }),
    click(x, y, event) {
      const hit = hitAt(x, y);
      const stub = stubAt(x, y);
      if (stub !== undefined) return followEdge(stub);
      if (hit === null) {
        model.cursor = null;
        store.set({ selection: [] });
      } else if (hit.on === "minimap") {
        showLine(hit.line);
      } else {
        model.cursor = hit.placed.row.id;
        const ref = refOfRow(store.current, hit.placed.row);
        if (hit.on === "triangle") model.toggle(hit.placed);
        else if (ref !== null) select(store, ref, event.shiftKey);
      }
      refresh();
    },
    doubleClick(x, y) {
      const hit = hitAt(x, y);
      if (hit === null || hit.on !== "row") return;
      if (hit.placed.row.canUnfold) model.toggle(hit.placed);
      else model.zoomRows(1.4, y);
      refresh();
    },
    dragStart(x, y) {
      scroll.stop();
      isOnMap = hitAt(x, y)?.on === "minimap";
    },
    drag(_, fromY, x, y) {
      const hit = isOnMap ? hitAt(model.geometry.map.x, y) : null;
      if (hit?.on === "minimap") return showLine(hit.line);
      if (!isOnMap) model.scrollTo(model.scrollY + fromY - y);
      host.canvas.style.cursor = x > 0 ? "grabbing" : "default";
      host.redraw();
    },
    wheel(_, y, event) {
      const held = model.scrollY;
      scroll.stop();
      if (event.ctrlKey) model.zoomRows(Math.exp(-event.deltaY / 300), y);
      else model.scrollTo(model.scrollY + event.deltaY * (event.deltaMode === 1 ? 18 : 1));
      if (event.ctrlKey || model.scrollY !== held) event.preventDefault();
      host.redraw();
    },
  });
  stage.addEventListener("keydown", (event) => graphKeys(event, () => model, {
    moveCursor, refresh, zoom, unfold, unfoldAll, selected: selectedRow, say: (text) => void (said.textContent = text),
  }));

  const unsubscribe = store.subscribe((state, changed) => {
    if (changed.has("view")) startOver();
    else if (changed.has("revision")) showPlan();
    held = state.selection[0] ?? null;
    if (["view", "revision", "query"].some((key) => changed.has(key as keyof State))) matches = searchNodes(store.current, parseQuery(state.query));
    if (changed.has("selection") || changed.has("revision") || changed.has("view")) model.showSelected(state.selection, state.selection[0] ?? null);
    const selected = state.selection.length === 0 ? null : model.rowOfRef(state.selection[state.selection.length - 1]!);
    if (changed.has("graphView")) model.showMode(state.graphView, selected);
    if (changed.has("selection") && selected?.row.id !== model.cursor) model.cursor = null;
    if (HEAD.some((key) => changed.has(key))) drawHead();
    refresh();
    if (changed.has("revision")) return;
    if (changed.has("selection") || changed.has("step")) reveal(selected);
    else if (changed.has("query")) reveal(matches.length === 0 ? null : model.rowOfRef(refOfNode(store.current, "before", matches[0]!)));
  });
  twin.draw();
  drawHead();
  refresh();
  return {
    picture: () => pictureOf(store, model, readTokens(root), () => sceneOf(model, emphasis)),
    anticipateStep() {
      const [first] = store.current.decisions;
      if (first !== undefined) model.anticipate([first.name]);
      return true;
    },
    unmount() {
      scroll.stop();
      unlisten();
      unsubscribe();
      host.unmount();
      root.replaceChildren();
    },
  };
}

function currentEmphasis({ current, state }: Store, model: GraphModel, matches: readonly number[]): Emphasis {
  return emphasisOf(current, { ...state, matches }, model.segments.originOf);
}

function sceneOf({ view, layout, geometry, cursor, revealed }: GraphModel, emphasis: Emphasis): Scene {
  return { view, layout, geometry, emphasis, cursor, revealed };
}
