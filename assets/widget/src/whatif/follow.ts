// Shows what Python says of new plans and of the pinned one.

import type { Ref, Store, View } from "../types";
import type { Planner } from "./planner";
import { changedView, comparedView, type WireChange, type WireDifference } from "./wire";

export interface Said {
  changes: Record<string, string>;
  differences: Record<string, string>;
  answer: { id?: string; problem?: string };
  selection: Ref[];
  step: number;
}

// Gives what adopts all that is new; it may be called as often as anybody likes.
export function followChanges(store: Store, planner: Planner, listen: () => Said): () => void {
  const shown = store.payload.views.map((first) => new Shown(first));
  return () => {
    const { changes, differences, answer, selection, step } = listen();
    shown.forEach((each, index) => {
      if (!each.adopt(changes[index] ?? "", differences[index] ?? "")) return;
      store.replace(index, each.view, { selection, step, movesOnly: store.state.movesOnly && each.view.difference !== null });
    });
    planner.needRest(!store.current.isComplete);
    planner.answered(answer.id ?? "", answer.problem ?? "");
  };
}

class Shown {
  view: View;
  private planned: View;
  private change = "";
  private difference = "";

  constructor(private readonly first: View) {
    this.view = this.planned = first;
  }

  adopt(change: string, difference: string): boolean {
    if (change === this.change && difference === this.difference) return false;
    if (change !== this.change) this.planned = change === "" ? this.first : changedView(this.first, JSON.parse(change) as WireChange);
    [this.change, this.difference] = [change, difference];
    this.view = difference === "" ? this.planned : comparedView(this.planned, JSON.parse(difference) as WireDifference);
    return true;
  }
}
