// Shows what Python says of new plans and of the pinned one.

import type { Estimated, Ref, Store, View } from "../types";
import { readColumnar } from "./columnar";
import type { Planner } from "./planner";
import type { Merged } from "./sketch";
import { awaited, changedView, viewAhead, comparedView, lacksRest, type WireChange, type WireDifference } from "./wire";

export interface Said {
  changes: Record<string, string>;
  differences: Record<string, string>;
  estimates: Record<string, string>;
  answer: { id?: string; problem?: string };
  selection: Ref[];
  step: number;
}

export interface Follower {
  adopt: () => void; // all that is new; it may be called as often as anybody likes
  prepare: (view: number, buckets: string) => View | null; // as far as the buckets of the plan that comes settle it
}

export function followChanges(store: Store, planner: Planner, listen: () => Said): Follower {
  const shown = store.payload.views.map((first) => new Shown(first));
  const prepare = (view: number, buckets: string): View | null => shown[view]?.prepare(readColumnar(buckets) as Merged[]) ?? null;
  const adopt = (): void => {
    const { changes, differences, estimates, answer, selection, step } = listen();
    shown.forEach((each, index) => {
      if (!each.adopt(changes[index] ?? "", differences[index] ?? "", estimates[index] ?? "")) return;
      store.replace(index, each.view, { selection, step, movesOnly: store.state.movesOnly && each.view.difference !== null });
    });
    planner.needRest(lacking(store));
    planner.answered(answer.id ?? "", answer.problem ?? "");
  };
  return { adopt, prepare };
}

// What Python has not said yet of the view that is shown, null when it has said all.
export function lacking(store: Store): View | null {
  return lacksRest(store.truth) ? store.truth : null;
}

class Shown {
  view: View;
  private planned: View;
  private estimated: Estimated | null;
  private change = "";
  private difference = "";
  private estimate = "";
  private ahead: View | null = null;

  constructor(private readonly first: View) {
    this.view = this.planned = first;
    this.estimated = first.estimated;
  }

  prepare(buckets: readonly Merged[]): View {
    return (this.ahead = viewAhead(this.first, buckets));
  }

  adopt(change: string, difference: string, estimate: string): boolean {
    if (change === this.change && difference === this.difference && estimate === this.estimate) return false;
    if (change !== this.change) this.planned = change === "" ? this.first : changedView(this.first, readColumnar(change) as WireChange, this.ahead);
    this.ahead = null;
    if (change !== this.change || estimate !== this.estimate) this.estimated = this.estimatedNow(change, estimate);
    [this.change, this.difference, this.estimate] = [change, difference, estimate];
    const view = { ...this.planned, estimated: this.estimated };
    this.view = difference === "" ? view : comparedView(view, readColumnar(difference) as WireDifference);
    return true;
  }

  private estimatedNow(change: string, estimate: string): Estimated | null {
    if (estimate !== "") return readColumnar(estimate) as Estimated;
    return change === "" ? this.first.estimated : awaited(this.estimated);
  }
}
