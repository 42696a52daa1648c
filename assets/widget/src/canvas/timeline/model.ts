// What the timeline knows besides the store: which time is in view, what is measured, which wait was shown last.

import { Gradual, type Making } from "../../gradual";
import type { State, View } from "../../types";
import { longestWaits, type Wait } from "./causes";
import type { TimelineScene } from "./draw";
import { edgesOf, snapped, type Edge } from "./edges";
import { hitTimeline, type TimelineHit } from "./hit";
import { AXIS_HEIGHT, clampWindow, LABELS_WIDTH, layoutTimeline, timeOfX, wantedHeight, type TimelineLayout, type TimeScale } from "./layout";
import { timelineMarksOf, type TimelineMarks } from "./marks";
import { boxed, movedTo, otherRows, setEnd, started, steppedBy, type Kind, type Probe } from "./probe";
import { COMPUTE, type Bar, type Track } from "./tracks";

const WIDTH = 1200; // until it is shown
const RIGHT_MARGIN = 16;
const LEAST_PLOT_WIDTH = 40;
const FIT_MARGIN = 0.15;

type Span = Pick<Bar, "start" | "end">;
type Shown = Pick<State, "axis" | "selection" | "hover" | "step" | "kinds">;

export class TimelineModel {
  layout: TimelineLayout;
  probe: Probe | null = null;
  hasGhosts = false;
  from = 0; // the window
  to: number;
  scrollY = 0;
  private marks: TimelineMarks;
  width = WIDTH; // as last shown: a pane that is hidden has no size
  private height: number;
  private numWaitsShown = 0;
  private readonly ahead = new Gradual((layout: TimelineLayout) => this.marksOfFirstStep(layout));

  constructor(private view: View, state: Shown) {
    this.height = wantedHeight([view]);
    this.layout = layoutTimeline(view, this.height, state.axis);
    this.to = this.layout.end;
    this.marks = timelineMarksOf(view, state);
  }

  get scale(): TimeScale {
    return this.scaleIn(this.width);
  }

  scaleIn(width: number): TimeScale {
    const right = Math.max(LABELS_WIDTH + LEAST_PLOT_WIDTH, width - RIGHT_MARGIN);
    return { from: this.from, to: this.to, left: LABELS_WIDTH, right };
  }

  get scene(): TimelineScene {
    const { layout, scale, scrollY, height, marks, hasGhosts, probe } = this;
    return { layout, scale, scrollY, height, marks, hasGhosts, probe };
  }

  resize(width: number, height: number, { axis }: Shown): void {
    if (width === 0 || height === 0) return;
    [this.width, this.height] = [width, height];
    this.layout = layoutTimeline(this.view, height, axis);
    this.scrollTo(this.scrollY);
  }

  mark(state: Shown): void {
    this.marks = timelineMarksOf(this.view, state);
  }

  // Makes a bit of what marks of the first step need, and changes nothing in view; true when nothing is left to make.
  anticipateStep(): boolean {
    return this.ahead.goOn(this.layout) !== undefined;
  }

  private *marksOfFirstStep({ tracks }: TimelineLayout): Making<TimelineMarks> {
    const selection = this.view.decisions.slice(0, 1).map(({ name }) => name);
    const marks = timelineMarksOf(this.view, { selection, hover: null, step: 0, kinds: [] });
    for (const track of tracks) {
      for (const lane of [...track.lanes, track.exposed]) {
        yield;
        marks.selectedIn(track, lane);
        marks.strataIn(track, lane);
      }
    }
    return marks;
  }

  // Another view or axis, from its beginning to its end.
  startOver(view: View, state: Shown): void {
    this.view = view;
    this.layout = layoutTimeline(view, this.height, state.axis);
    this.mark(state);
    [this.from, this.to] = [0, this.layout.end];
    this.scrollTo(0);
    this.numWaitsShown = 0;
    this.probe = null;
  }

  // Another plan of the same graph: the part in view stays in view.
  showPlan(view: View, state: Shown): void {
    const { from, to, scrollY, layout } = this;
    this.startOver(view, state);
    if (this.layout.axis === layout.axis && (from > 0 || to < layout.end)) this.show(from, to);
    this.scrollTo(scrollY);
  }

  show(from: number, to: number): void {
    [this.from, this.to] = clampWindow(from, to, this.layout);
  }

  // As wide as it is, with `span` in its middle.
  center({ start, end }: Span): void {
    const width = this.to - this.from;
    const left = (start + end - width) / 2;
    this.show(left, left + width);
  }

  zoomAt(factor: number, time: number): void {
    const width = (this.to - this.from) / factor;
    const share = (time - this.from) / (this.to - this.from);
    this.show(time - width * share, time + width * (1 - share));
  }

  // Around what is selected and in view, else around the middle.
  zoom(factor: number): void {
    this.zoomAt(factor, this.middle());
  }

  pan(share: number): void {
    this.panBy((this.to - this.from) * share);
  }

  panBy(time: number): void {
    this.show(this.from + time, this.to + time);
  }

  scrollTo(scrollY: number): void {
    this.scrollY = Math.max(0, Math.min(scrollY, this.layout.contentHeight - this.height));
  }

  fitAll(): void {
    this.show(0, this.layout.end);
  }

  fitSelection(): void {
    const bars = this.barsOf((track, lane) => [...this.marks.selectedIn(track, lane), ...this.marks.litIn(track, lane)]);
    if (bars.length === 0) return;
    const start = Math.min(...bars.map((bar) => bar.start));
    const end = Math.max(...bars.map((bar) => bar.end));
    const margin = (end - start) * FIT_MARGIN;
    this.show(start - margin, end + margin);
  }

  // What was selected comes into view where it is not.
  reveal(): void {
    const [bar] = this.selected();
    if (bar !== undefined && (bar.end < this.from || bar.start > this.to)) this.center(bar);
  }

  // The slice after (1) or before (-1) the selected one in its row; the first one where none is selected.
  neighbour(offset: 1 | -1): TimelineHit | undefined {
    const rows = this.layout.tracks.filter(({ name }) => name !== COMPUTE);
    const at = rows.flatMap((track) => track.lanes.flatMap((lane) => this.marks.selectedIn(track, lane)).map((bar) => ({ track, bar })))[0];
    const track = at?.track ?? rows.find(({ lanes }) => lanes.some((lane) => lane.length > 0));
    if (track === undefined) return undefined;
    const bars = track.lanes.flat().sort((one, other) => one.start - other.start);
    const bar = at === undefined ? bars[0] : bars[bars.indexOf(at.bar) + offset];
    return bar && { track, bar, isWait: false };
  }

  // Shows the longest wait, and each time that it is asked again the next one.
  nextWait(): { wait: Wait; place: number; count: number } | null {
    const waits = longestWaits(this.layout);
    const place = this.numWaitsShown % waits.length;
    const wait = waits[place];
    if (wait === undefined) return null;
    this.numWaitsShown = place + 1;
    this.center(wait.bar);
    return { wait, place, count: waits.length };
  }

  hitAt(x: number, y: number): TimelineHit | null {
    return y < AXIS_HEIGHT ? null : hitTimeline(this.layout, this.scale, this.scrollY, x, y);
  }

  edgeAt(x: number, y: number): Edge {
    return snapped(edgesOf(this.layout), this.layout, this.scale, x, y + this.scrollY);
  }

  timeAt(x: number): number {
    return timeOfX(this.scale, x);
  }

  // One whose end is not set.
  get openProbe(): Probe | null {
    return this.probe === null || this.probe.isSet ? null : this.probe;
  }

  // An end that leaves the window takes it along.
  probeTo(probe: Probe | null): void {
    this.probe = probe;
    const time = probe?.cursor.time ?? this.from;
    if (time < this.from || time > this.to) this.center({ start: time, end: time });
  }

  // Begins, sets the end that is open, ends what is set, or turns a measure into a box and back.
  measure(kind: Kind): void {
    const { probe } = this;
    if (probe === null) this.probeTo(started(kind, this.layout, this.middle()));
    else if (probe.kind !== kind) this.probeTo({ ...probe, kind });
    else this.probeTo(probe.isSet ? null : setEnd(probe));
  }

  pointAt(edge: Edge): void {
    if (this.openProbe !== null) this.probeTo(movedTo(this.openProbe, edge));
  }

  stepProbe(offset: 1 | -1): void {
    if (this.openProbe !== null) this.probeTo(steppedBy(this.openProbe, this.layout, offset));
  }

  setProbe(): void {
    if (this.openProbe !== null) this.probeTo(setEnd(this.openProbe));
  }

  turnRows(): void {
    if (this.probe?.kind === "box") this.probeTo({ ...this.probe, rows: otherRows(this.probe, this.layout) });
  }

  // A drag: from its first edge to the one under the pointer, and with Shift a box from its first corner.
  stretchFrom(from: Edge, to: Edge): void {
    if (this.probe !== null) this.probeTo({ ...this.probe, from: this.probe.from ?? from, cursor: to });
  }

  boxFrom([time, y]: readonly [time: number, y: number], x: number, toY: number): void {
    this.probeTo(boxed(time, Math.max(0, Math.min(this.layout.end, this.timeAt(x))), [y, toY + this.scrollY]));
  }

  private barsOf(find: (track: Track, lane: readonly Bar[]) => readonly Bar[]): Bar[] {
    return this.layout.tracks.flatMap((track) => track.lanes.flatMap((lane) => find(track, lane)));
  }

  private selected(): Bar[] {
    return this.barsOf((track, lane) => this.marks.selectedIn(track, lane));
  }

  private middle(): number {
    const { from, to } = this;
    const selected = this.selected().find((bar) => bar.end > from && bar.start < to);
    return selected === undefined ? (from + to) / 2 : Math.max(from, Math.min(to, (selected.start + selected.end) / 2));
  }
}
