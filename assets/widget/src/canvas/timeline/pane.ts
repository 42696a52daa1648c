// The timeline of both graphs on one scale: what its keys, buttons and gestures do, and a text twin.

import { select } from "../../actions";
import { h } from "../../dom";
import type { Picture } from "../../exports/picture";
import { refOfBucket, refOfNode } from "../../refs";
import { readTokens } from "../../theme";
import type { Ref, State, Store, View } from "../../types";
import type { Planner } from "../../whatif/planner";
import { hostCanvas } from "../canvasHost";
import { listenToPointer } from "../pointer";
import { causeOf, waitText } from "./causes";
import { drawTimeline } from "./draw";
import type { Edge } from "./edges";
import { timelineHead } from "./head";
import type { TimelineHit } from "./hit";
import { timelineKeys, type TimelineActions } from "./keys";
import { wantedHeight, type TimelineLayout } from "./layout";
import { TimelineModel } from "./model";
import { pictureOf } from "./picture";
import { probeText } from "./probe";
import { timelineTables, timeText } from "./twin";
import { axesOf } from "./tracks";

const RESTARTS: readonly (keyof State)[] = ["view", "axis"];
const STAGE_LABEL = "Timeline. w and s zoom, a and d pan, f fits the selection, F fits all, left and right go from slice to slice, " +
  "m measures, M sums a box, an exclamation mark goes to where compute waits longest.";

type Drag = { boxFrom: [time: number, y: number] } | { gapFrom: Edge };

export interface TimelinePane {
  picture: () => Picture; // of what is shown
  anticipateStep: () => boolean; // makes a bit of what the first step needs; true when nothing is left to make
  unmount: () => void;
}

// Without a planner nobody estimates anew, as on the offline page.
export function mountTimeline(root: HTMLElement, store: Store, planner: Planner | null): TimelinePane {
  const model = new TimelineModel(store.current, store.state);
  const stage = h("div", { class: "bv-stage", tabindex: 0, role: "group", "aria-label": STAGE_LABEL });
  const act = <Args extends unknown[]>(action: (...args: Args) => void) => (...args: Args): void => {
    action(...args);
    host.redraw();
  };
  // Changes what is measured, where `isThere` something that can be.
  const probing = (isThere: boolean, change: () => void): boolean => {
    if (!isThere) return false;
    change();
    sayProbe();
    return true;
  };
  const actions: TimelineActions = {
    zoom: act((factor) => model.zoom(factor)),
    pan: act((share) => model.pan(share)),
    fitSelection: act(() => model.fitSelection()),
    fitAll: act(() => model.fitAll()),
    switchAxis() {
      const there = axesOf(store.current);
      store.set({ axis: there[(there.indexOf(model.layout.axis) + 1) % there.length]! });
    },
    toggleGhost() {
      model.hasGhosts = !model.hasGhosts;
      drawModes();
    },
    nextWait() {
      const { unit } = model.layout;
      const next = model.nextWait();
      if (next === null) return head.say(unit === "s" ? "Compute waits nowhere" : "Program order does not know where compute waits");
      host.redraw();
      select(store, causeOf(store.current, next.wait.track.side, next.wait.bar));
      head.say(`${next.place + 1} of ${next.count}: ${waitText(store.current, next.wait, unit)}`);
    },
    probe(kind) {
      stage.focus({ preventScroll: true });
      model.measure(kind);
      sayProbe();
    },
    moveProbe: (offset) => probing(model.openProbe !== null, () => model.stepProbe(offset)),
    turnRows: () => probing(model.probe?.kind === "box", () => model.turnRows()),
    setProbe: () => probing(model.openProbe !== null, () => model.setProbe()),
    dropProbe: () => probing(model.probe !== null, () => model.probeTo(null)),
    step(offset) {
      const next = model.neighbour(offset);
      if (next !== undefined) select(store, refOfBar(store.current, next));
    },
  };
  const head = timelineHead(store, planner, actions);
  const twin = timelineTables();
  root.style.setProperty("--bv-timeline-wanted", `${wantedHeight(store.payload.views)}px`);
  root.append(head.element, h("div", { class: "bv-body" }, stage, twin.element));
  const host = hostCanvas(stage, (pen) => drawTimeline(pen, model.scene), (width, height) => model.resize(width, height, store.state));

  function drawModes(): void {
    const { probe, hasGhosts } = model;
    head.press({ gap: probe?.kind === "gap", box: probe?.kind === "box", ghost: hasGhosts });
    host.redraw();
  }

  function sayProbe(): void {
    head.say(model.probe === null ? "" : probeText(model.probe, store.current, model.layout));
    drawModes();
  }

  function drawAll(): void {
    head.draw();
    sayProbe();
    twin.show(model.layout);
    host.canvas.setAttribute("aria-label", describe(model.layout));
  }

  let dragged: Drag | null = null;
  const unlisten = listenToPointer(host.canvas, {
    move(x, y) {
      if (probing(model.openProbe !== null, () => model.pointAt(model.edgeAt(x, y)))) return;
      const hit = model.hitAt(x, y);
      store.set({ hover: hit === null ? null : refOfBar(store.current, hit) });
      host.canvas.style.cursor = hit === null ? "default" : "pointer";
      host.canvas.title = hit === null ? "" : titleOf(store.current, hit, model.layout.unit);
    },
    leave: () => store.set({ hover: null }),
    click(x, y, event) {
      const setsEnd = probing(model.openProbe !== null, () => {
        model.pointAt(model.edgeAt(x, y));
        model.setProbe();
      });
      if (setsEnd) return;
      const hit = model.hitAt(x, y);
      if (hit === null) store.set({ selection: [] });
      else if (hit.isWait) {
        select(store, causeOf(store.current, hit.track.side, hit.bar), event.shiftKey);
        head.say(waitText(store.current, hit, model.layout.unit));
      } else select(store, refOfBar(store.current, hit), event.shiftKey);
    },
    doubleClick: act((x, y) => {
      if (model.hitAt(x, y) === null) model.zoomAt(2, model.timeAt(x));
      else model.fitSelection();
    }),
    dragStart(x, y, event) {
      if (event.shiftKey) dragged = { boxFrom: [model.timeAt(x), y + model.scrollY] };
      else dragged = model.openProbe === null ? null : { gapFrom: model.edgeAt(x, y) };
    },
    drag(fromX, fromY, x, y) {
      if (dragged !== null && "boxFrom" in dragged) {
        model.boxFrom(dragged.boxFrom, x, y);
        return sayProbe();
      }
      if (dragged !== null && model.probe !== null) {
        model.stretchFrom(dragged.gapFrom, model.edgeAt(x, y));
        return sayProbe();
      }
      model.scrollTo(model.scrollY + fromY - y);
      model.panBy(model.timeAt(fromX) - model.timeAt(x));
      host.redraw();
    },
    dragEnd() {
      if (dragged !== null) probing(model.openProbe !== null, () => model.setProbe());
    },
    wheel(x, _, event) {
      const { from, to, scrollY } = model;
      if (event.ctrlKey) model.zoomAt(Math.exp(-event.deltaY / 250), model.timeAt(x));
      else {
        if (!event.shiftKey) model.scrollTo(model.scrollY + event.deltaY);
        model.panBy(model.timeAt(event.deltaX + (event.shiftKey ? event.deltaY : 0)) - model.timeAt(0));
      }
      host.redraw();
      if (event.ctrlKey || model.from !== from || model.to !== to || model.scrollY !== scrollY) event.preventDefault();
    },
  });
  stage.addEventListener("keydown", (event) => timelineKeys(event, actions));

  const unsubscribe = store.subscribe((state, changed) => {
    const isOther = RESTARTS.some((key) => changed.has(key));
    if (isOther) model.startOver(store.current, state);
    else if (changed.has("revision")) model.showPlan(store.current, state);
    else model.mark(state);
    if (isOther || changed.has("revision")) drawAll();
    if (changed.has("selection")) model.reveal();
    host.redraw();
  });
  drawAll();
  return {
    picture: () => pictureOf(store, model, readTokens(root), head.said),
    anticipateStep: () => model.anticipateStep(),
    unmount() {
      unlisten();
      unsubscribe();
      host.unmount();
      root.replaceChildren();
    },
  };
}

function refOfBar(view: View, { track, bar }: TimelineHit): Ref {
  return bar.bucket >= 0 ? refOfBucket(view, bar.bucket) : refOfNode(view, track.side, bar.node);
}

function titleOf(view: View, hit: TimelineHit, unit: TimelineLayout["unit"]): string {
  if (hit.isWait) return waitText(view, hit, unit);
  const { label, kind, start, end, measured } = hit.bar;
  const rows = (measured?.details ?? []).map(([name, value]) => `${name}: ${value}`);
  return [label, kind, `${timeText(start, unit)} to ${timeText(end, unit)}`, ...rows].filter((part) => part !== "").join("\n");
}

function describe({ tracks, end, unit }: TimelineLayout): string {
  return `Timeline of both graphs on one scale, ${tracks.length} rows, up to ${timeText(end, unit)}.`;
}
