// Where compute waits, and which decision made it wait.

import { refOfBucket, refOfNode, type Side } from "../../refs";
import type { Ref, View } from "../../types";
import { spanText } from "./totals";
import type { PlacedTrack, TimelineLayout } from "./layout";
import { durationOf, type Bar } from "./tracks";

export interface Wait {
  track: PlacedTrack;
  bar: Bar; // from where compute stands still to where it goes on
}

// The longest first, of the graph after where it waits at all.
export function longestWaits({ tracks }: TimelineLayout): Wait[] {
  const waits = (side: Side): Wait[] => tracks.filter((track) => track.side === side)
    .flatMap((track) => track.exposed.map((bar) => ({ track, bar })));
  const found = waits("after");
  return (found.length > 0 ? found : waits("before")).sort((one, other) => durationOf(other.bar) - durationOf(one.bar));
}

// A bucket starts where its last member stood and is as long as all of them: the last to join made it so.
export function causeOf(view: View, side: Side, { node, bucket }: Bar): Ref {
  const last = view.buckets[bucket]?.members.at(-1);
  return last === undefined ? refOfNode(view, side, node) : refOfNode(view, "before", last);
}

export function waitText(view: View, { track: { side }, bar }: Wait, unit: TimelineLayout["unit"]): string {
  const waits = `Compute waits ${spanText(durationOf(bar), unit)} for ${bar.label}`;
  const decision = view.decisions.find(({ node }) => node === view.buckets[bar.bucket]?.members.at(-1));
  if (decision === undefined) return `${waits} (${side})`;
  return `${waits}; ${decision.label} was the last to join ${refOfBucket(view, bar.bucket)}`;
}
