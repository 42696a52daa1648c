// The timeline of both graphs on one scale: what its keys, buttons and gestures do, and a text twin.

import { select } from "../actions";
import { h } from "../dom";
import { refOfBucket, refOfNode } from "../refs";
import type { Pane, Ref, State, View } from "../types";
import type { Planner } from "../whatif/planner";
import { hostCanvas } from "./canvasHost";
import { listenToPointer } from "./pointer";
import { causeOf, longestWaits, waitText } from "./timelineCauses";
import { drawTimeline } from "./timelineDraw";
import { edgesOf, snapped, type Edge } from "./timelineEdges";
import { timelineHead } from "./timelineHead";
import { hitTimeline, type TimelineHit } from "./timelineHit";
import { timelineKeys, type TimelineActions } from "./timelineKeys";
import { AXIS_HEIGHT, clampWindow, LABELS_WIDTH, layoutTimeline, timeOfX, wantedHeight, type TimeScale } from "./timelineLayout";
import { timelineMarksOf } from "./timelineMarks";
import { boxed, movedTo, otherRows, probeText, setEnd, started, steppedBy, type Probe } from "./timelineProbe";
import { timelineTables, timeText } from "./timelineTwin";
import { axesOf, type Bar } from "./timelineTracks";

const RIGHT_MARGIN = 16;
const HEAD_HEIGHT = 36;
const RESTARTS: readonly (keyof State)[] = ["view", "axis"];
const STAGE_LABEL = "Timeline. w and s zoom, a and d pan, f fits the selection, F fits all, left and right go from slice to slice, " +
  "m measures, M sums a box, an exclamation mark goes to where compute waits longest.";

// Without a planner nobody estimates anew, as on the offline page.
export const timelinePane = (planner: Planner | null): Pane => (root, store) => {
  let layout = layoutTimeline(store.current, 0, store.state.axis);
  let [from, to] = [0, layout.end];
  let scrollY = 0;
  let [width, height] = [0, 0]; // as last observed: a host that restyles itself may show no size for a moment
  let marks = timelineMarksOf(store.current, store.state);
  let probe: Probe | null = null;
  let hasGhosts = false;
  let lastWait = -1; // index among the longest waits

  const stage = h("div", { class: "bv-stage", tabindex: 0, role: "group", "aria-label": STAGE_LABEL });
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
  const allBars = (): TimelineHit[] => layout.tracks.flatMap((track) => track.lanes.flatMap((lane) => lane.map((bar) => ({ track, bar, isWait: false }))));
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
    switchAxis() {
      const there = axesOf(store.current);
      store.set({ axis: there[(there.indexOf(layout.axis) + 1) % there.length]! });
    },
    toggleGhost() {
      hasGhosts = !hasGhosts;
      drawModes();
    },
    nextWait() {
      const waits = longestWaits(layout);
      lastWait = (lastWait + 1) % waits.length;
      const wait = waits[lastWait];
      if (wait === undefined) return head.say(layout.unit === "s" ? "Compute waits nowhere" : "Program order does not know where compute waits");
      show(...around(wait.bar, from, to));
      select(store, causeOf(store.current, wait.track.side, wait.bar));
      head.say(`${lastWait + 1} of ${waits.length}: ${waitText(store.current, wait, layout.unit)}`);
    },
    probe(kind) {
      stage.focus({ preventScroll: true });
      if (probe === null) probeTo(started(kind, layout, middleOf(allBars().filter(isSelected).map(({ bar }) => bar), from, to)));
      else if (probe.kind === kind && !probe.isSet) probeTo(setEnd(probe));
      else probeTo(probe.kind === kind ? null : { ...probe, kind });
    },
    moveProbe(offset) {
      if (probe === null || probe.isSet) return false;
      probeTo(steppedBy(probe, layout, offset));
      return true;
    },
    turnRows() {
      if (probe?.kind !== "box") return false;
      probeTo({ ...probe, rows: otherRows(probe, layout) });
      return true;
    },
    setProbe() {
      if (probe === null || probe.isSet) return false;
      probeTo(setEnd(probe));
      return true;
    },
    dropProbe() {
      if (probe === null) return false;
      probeTo(null);
      return true;
    },
    step(offset) {
      const hits = allBars().filter(({ bar }) => bar.kind !== "");
      const at = hits.find(isSelected);
      const row = hits.filter(({ track }) => track === (at?.track ?? hits[0]?.track)).sort((a, b) => a.bar.start - b.bar.start);
      const next = at === undefined ? row[0] : row[row.indexOf(at) + offset];
      if (next !== undefined) select(store, refOfBar(store.current, next));
    },
  };
  const head = timelineHead(store, planner, actions);
  const twin = h("div", { class: "bv-twin" });
  root.style.setProperty("--bv-timeline-wanted", `${HEAD_HEIGHT + wantedHeight(store.payload.views)}px`);
  root.append(head.element, stage, twin);

  const host = hostCanvas(stage,
    (pen) => drawTimeline(pen, { layout, scale: scaleNow(), scrollY, height, marks, hasGhosts, probe }),
    (newWidth, newHeight) => {
      [width, height] = [newWidth, newHeight];
      layout = layoutTimeline(store.current, height, store.state.axis);
      scrollTo(scrollY);
    });

  function drawModes(): void {
    head.press({ gap: probe?.kind === "gap", box: probe?.kind === "box", ghost: hasGhosts });
    host.redraw();
  }

  // An end that leaves the window takes it along.
  function probeTo(next: Probe | null): void {
    probe = next;
    head.say(probe === null ? "" : probeText(probe, store.current, layout));
    if (probe !== null && (probe.cursor.time < from || probe.cursor.time > to)) show(...around({ start: probe.cursor.time, end: probe.cursor.time }, from, to));
    drawModes();
  }

  function scrollTo(wanted: number): void {
    scrollY = Math.max(0, Math.min(wanted, layout.contentHeight - height));
  }

  function startOver(): void {
    layout = layoutTimeline(store.current, height, store.state.axis);
    [from, to] = [0, layout.end];
    scrollTo(0);
    lastWait = -1;
    head.draw();
    probeTo(null);
    twin.replaceChildren(...timelineTables(layout));
    host.canvas.setAttribute("aria-label", describe(layout.tracks.length, layout.end, layout.unit));
  }

  // Another plan of the same graph: the part in view stays in view.
  function showPlan(): void {
    const [start, end, scrolled] = [from, to, scrollY];
    const { axis, end: lastEnd } = layout;
    startOver();
    if (layout.axis === axis && (start > 0 || end < lastEnd)) [from, to] = clampWindow(start, end, layout);
    scrollTo(scrolled);
  }

  const hitAt = (x: number, y: number): TimelineHit | null =>
    y < AXIS_HEIGHT ? null : hitTimeline(layout, scaleNow(), scrollY, x, y);
  const edgeAt = (x: number, y: number): Edge => snapped(edgesOf(layout), layout, scaleNow(), x, y + scrollY);
  let dragged: { boxFrom?: [time: number, y: number]; gapFrom?: Edge } | null = null;
  const unlisten = listenToPointer(host.canvas, {
    move(x, y) {
      if (probe !== null && !probe.isSet) return probeTo(movedTo(probe, edgeAt(x, y)));
      const hit = hitAt(x, y);
      store.set({ hover: hit === null ? null : refOfBar(store.current, hit) });
      host.canvas.style.cursor = hit === null ? "default" : "pointer";
      host.canvas.title = hit === null ? "" : titleOf(store.current, hit, layout.unit);
    },
    leave: () => store.set({ hover: null }),
    click(x, y, event) {
      if (probe !== null && !probe.isSet) return probeTo(setEnd(movedTo(probe, edgeAt(x, y))));
      const hit = hitAt(x, y);
      if (hit === null) store.set({ selection: [] });
      else if (hit.isWait) {
        select(store, causeOf(store.current, hit.track.side, hit.bar), event.shiftKey);
        head.say(waitText(store.current, hit, layout.unit));
      } else select(store, refOfBar(store.current, hit), event.shiftKey);
    },
    doubleClick(x, y) {
      if (hitAt(x, y) === null) zoomAt(2, timeOfX(scaleNow(), x));
      else actions.fitSelection();
    },
    dragStart(x, y, event) {
      dragged = event.shiftKey ? { boxFrom: [timeOfX(scaleNow(), x), y + scrollY] } : probe !== null && !probe.isSet ? { gapFrom: edgeAt(x, y) } : null;
    },
    drag(fromX, fromY, x, y) {
      if (dragged?.boxFrom !== undefined) {
        const [time, row] = dragged.boxFrom;
        return probeTo(boxed(time, Math.max(0, Math.min(layout.end, timeOfX(scaleNow(), x))), [row, y + scrollY]));
      }
      if (dragged?.gapFrom !== undefined && probe !== null) return probeTo({ ...probe, from: probe.from ?? dragged.gapFrom, cursor: edgeAt(x, y) });
      const moved = timeOfX(scaleNow(), fromX) - timeOfX(scaleNow(), x);
      scrollTo(scrollY + fromY - y);
      show(from + moved, to + moved);
    },
    dragEnd() {
      if (dragged !== null && probe !== null) probeTo(setEnd(probe));
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
      show(...around(first, from, to));
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

// A window as wide as the one from `from` to `to`, in whose middle a bar lies.
function around({ start, end }: Pick<Bar, "start" | "end">, from: number, to: number): [number, number] {
  const left = (start + end - (to - from)) / 2;
  return [left, left + to - from];
}

function titleOf(view: View, hit: TimelineHit, unit: "node" | "s"): string {
  if (hit.isWait) return waitText(view, hit, unit);
  const { label, kind, start, end, measured } = hit.bar;
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
