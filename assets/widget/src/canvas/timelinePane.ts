// The timeline of both graphs on one scale, with buttons, keys and a text twin.

import { select } from "../actions";
import { button, h, setPressed } from "../dom";
import { refOfBucket, refOfNode } from "../refs";
import type { Pane, Ref, State, View } from "../types";
import { hostCanvas } from "./canvasHost";
import { listenToPointer } from "./pointer";
import { drawTimeline } from "./timelineDraw";
import { hitTimeline, type TimelineHit } from "./timelineHit";
import { timelineKeys, type TimelineActions } from "./timelineKeys";
import { AXIS_HEIGHT, clampWindow, LABELS_WIDTH, layoutTimeline, timeOfX, wantedHeight, type TimeScale } from "./timelineLayout";
import { timelineMarksOf } from "./timelineMarks";
import { timelineTable, timeText } from "./timelineTwin";
import { timelinesOf, type Axis, type Bar } from "./timelineTracks";

const RIGHT_MARGIN = 16;
const HEAD_HEIGHT = 36;
const RESTARTS: readonly (keyof State)[] = ["view", "axis"];
const AXES: readonly [Axis, string, string][] = [
  ["order", "program order", "A unit for each node, in the order of the program"],
  ["measured", "measured", "Seconds, as one rank measured them"],
];
const MEASURED_HINT = "solid: in transit · hatched: done · !: exposed, compute waits";

export const mountTimeline: Pane = (root, store) => {
  let layout = layoutTimeline(store.current, 0, store.state.axis);
  let [from, to] = [0, layout.end];
  let scrollY = 0;
  let [width, height] = [0, 0]; // as last observed: a host that restyles itself may show no size for a moment
  let marks = timelineMarksOf(store.current, store.state);

  const title = h("h2", { class: "bv-title" });
  const hint = h("span", { class: "bv-hint" });
  const axes = h("div", { class: "bv-switch", role: "group", "aria-label": "Time axis" }, ...AXES.map(([axis, label, what]) =>
    button(label, { title: `${what} (x)`, "data-key": "x", "data-value": axis, "aria-label": null, onclick: () => store.set({ axis }) })));
  const stage = h("div", { class: "bv-stage", tabindex: 0, role: "group", "aria-label": "Timeline. w and s zoom, a and d pan, f fits the selection, F fits all, left and right go from slice to slice." });
  const scaleNow = (): TimeScale => ({ from, to, left: LABELS_WIDTH, right: Math.max(LABELS_WIDTH + 40, width - RIGHT_MARGIN) });
  const show = (start: number, end: number): void => {
    [from, to] = clampWindow(start, end, layout);
    host.redraw();
  };
  const zoomAt = (factor: number, time: number): void => {
    const span = (to - from) / factor;
    const share = (time - from) / (to - from);
    show(time - span * share, time + span * (1 - share));
  };
  const isSelected = ({ track, bar }: TimelineHit): boolean => marks.isSelected(track, bar);
  const allBars = (): TimelineHit[] => layout.tracks.flatMap((track) => track.lanes.flatMap((lane) => lane.map((bar) => ({ track, bar }))));
  const actions: TimelineActions = {
    zoom: (factor) => zoomAt(factor, middleOf(allBars().filter(isSelected).map(({ bar }) => bar), from, to)),
    pan: (share) => show(from + (to - from) * share, to + (to - from) * share),
    fitSelection() {
      const bars = allBars().filter((hit) => isSelected(hit) || (hit.bar.kind !== "" && marks.levelOf(hit.track, hit.bar) === "lit"));
      if (bars.length === 0) return;
      const start = Math.min(...bars.map(({ bar }) => bar.start));
      const end = Math.max(...bars.map(({ bar }) => bar.end));
      show(start - (end - start) * 0.15, end + (end - start) * 0.15);
    },
    fitAll: () => show(0, layout.end),
    switchAxis: () => store.set({ axis: axisShown() === "order" ? "measured" : "order" }),
    step(offset) {
      const hits = allBars().filter(({ bar }) => bar.kind !== "");
      const at = hits.find(isSelected);
      const row = hits.filter(({ track }) => track === (at?.track ?? hits[0]?.track)).sort((a, b) => a.bar.start - b.bar.start);
      const next = at === undefined ? row[0] : row[row.indexOf(at) + offset];
      if (next !== undefined) select(store, refOfBar(store.current, next));
    },
  };
  const tools = h("div", { class: "bv-tools", role: "group", "aria-label": "Time" },
    button("Earlier", { title: "Earlier (a)", "data-key": "a", onclick: () => actions.pan(-0.2) }, "◂"),
    button("Later", { title: "Later (d)", "data-key": "d", onclick: () => actions.pan(0.2) }, "▸"),
    button("Zoom out", { title: "Zoom out (s)", "data-key": "s", onclick: () => actions.zoom(1 / 1.5) }, "−"),
    button("Zoom in", { title: "Zoom in (w)", "data-key": "w", onclick: () => actions.zoom(1.5) }, "+"),
    button("Fit selection", { title: "Fit the selection (f)", "data-key": "f", "aria-label": null, onclick: actions.fitSelection }),
    button("Fit all", { title: "Fit all (F)", "data-key": "F", "aria-label": null, onclick: actions.fitAll }));
  const twin = h("div", {});
  root.style.setProperty("--bv-timeline-wanted", `${HEAD_HEIGHT + wantedHeight(store.payload.views)}px`);
  root.append(h("div", { class: "bv-head" }, title, axes, hint, tools), stage, twin);

  const host = hostCanvas(stage,
    (pen) => drawTimeline(pen, { layout, scale: scaleNow(), scrollY, height, marks }),
    (newWidth, newHeight) => {
      [width, height] = [newWidth, newHeight];
      layout = layoutTimeline(store.current, height, store.state.axis);
      scrollTo(scrollY);
    });

  function axisShown(): Axis {
    return timelinesOf(store.current, store.state.axis) === store.current.timelines ? "order" : "measured";
  }

  function scrollTo(wanted: number): void {
    scrollY = Math.max(0, Math.min(wanted, layout.contentHeight - height));
  }

  function startOver(): void {
    layout = layoutTimeline(store.current, height, store.state.axis);
    [from, to] = [0, layout.end];
    scrollTo(0);
    const { measured } = store.current;
    const isMeasured = axisShown() === "measured";
    title.textContent = isMeasured ? `Timeline · measured, rank ${measured?.rank}` : "Timeline · program order";
    title.title = isMeasured ? `${measured?.where}. Both runs begin at 0.` : "";
    hint.textContent = isMeasured ? MEASURED_HINT : "from start to wait";
    axes.hidden = (measured?.before ?? null) === null;
    for (const each of axes.children) setPressed(each, (each as HTMLElement).dataset.value === axisShown());
    twin.replaceChildren(timelineTable(layout));
    host.canvas.setAttribute("aria-label", describe(layout.tracks.length, layout.end, layout.unit));
  }

  // Another plan of the same graph: the part in view stays in view.
  function showPlan(): void {
    const [start, end, scrolled] = [from, to, scrollY];
    const { unit, end: lastEnd } = layout;
    startOver();
    if (layout.unit === unit && (start > 0 || end < lastEnd)) [from, to] = clampWindow(start, end, layout);
    scrollTo(scrolled);
  }

  const hitAt = (x: number, y: number): TimelineHit | null =>
    y < AXIS_HEIGHT ? null : hitTimeline(layout, scaleNow(), scrollY, x, y);
  const unlisten = listenToPointer(host.canvas, {
    move(x, y) {
      const hit = hitAt(x, y);
      store.set({ hover: hit === null ? null : refOfBar(store.current, hit) });
      host.canvas.style.cursor = hit === null ? "default" : "pointer";
      host.canvas.title = hit === null ? "" : titleOf(hit.bar, layout.unit);
    },
    leave: () => store.set({ hover: null }),
    click(x, y, event) {
      const hit = hitAt(x, y);
      if (hit === null) store.set({ selection: [] });
      else select(store, refOfBar(store.current, hit), event.shiftKey);
    },
    doubleClick(x, y) {
      if (hitAt(x, y) === null) zoomAt(2, timeOfX(scaleNow(), x));
      else actions.fitSelection();
    },
    dragStart() {},
    drag(fromX, fromY, x, y) {
      const moved = timeOfX(scaleNow(), fromX) - timeOfX(scaleNow(), x);
      scrollTo(scrollY + fromY - y);
      show(from + moved, to + moved);
    },
    wheel(x, _, event) {
      const held = [from, to, scrollY];
      const scale = scaleNow();
      if (event.ctrlKey) zoomAt(Math.exp(-event.deltaY / 250), timeOfX(scale, x));
      else {
        const across = event.deltaX + (event.shiftKey ? event.deltaY : 0);
        const moved = timeOfX(scale, across) - timeOfX(scale, 0);
        if (!event.shiftKey) scrollTo(scrollY + event.deltaY);
        show(from + moved, to + moved);
      }
      if (event.ctrlKey || [from, to, scrollY].some((value, index) => value !== held[index])) event.preventDefault();
    },
  });
  stage.addEventListener("keydown", (event) => timelineKeys(event, actions));

  const unsubscribe = store.subscribe((state, changed) => {
    if (RESTARTS.some((key) => changed.has(key))) startOver();
    else if (changed.has("revision")) showPlan();
    marks = timelineMarksOf(store.current, state);
    const first = changed.has("selection") ? allBars().find(isSelected)?.bar : undefined;
    if (first !== undefined && (first.end < from || first.start > to)) {
      const span = to - from;
      const start = (first.start + first.end - span) / 2;
      show(start, start + span);
    }
    host.redraw();
  });
  startOver();
  return () => {
    unlisten();
    unsubscribe();
    host.unmount();
    root.replaceChildren();
  };
};

function refOfBar(view: View, { track, bar }: TimelineHit): Ref {
  return bar.bucket >= 0 ? refOfBucket(view, bar.bucket) : refOfNode(view, track.side, bar.node);
}

function titleOf({ label, kind, start, end, measured }: Bar, unit: "node" | "s"): string {
  const rows = (measured?.details ?? []).map(([name, value]) => `${name}: ${value}`);
  return [label, kind, `${timeText(start, unit)} to ${timeText(end, unit)}`, ...rows].filter((part) => part !== "").join("\n");
}

function middleOf(bars: readonly Bar[], from: number, to: number): number {
  const bar = bars.find(({ start, end }) => end > from && start < to);
  return bar === undefined ? (from + to) / 2 : Math.max(from, Math.min(to, (bar.start + bar.end) / 2));
}

function describe(numRows: number, end: number, unit: "node" | "s"): string {
  return `Timeline of both graphs on one scale, ${numRows} rows, up to ${timeText(end, unit)}.`;
}
