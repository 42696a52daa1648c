// Keys of the graph pane, while the focus is in it.

import type { Placed } from "./layout";
import type { GraphModel } from "./model";

export interface GraphKeyActions {
  moveCursor: (placed: Placed | null) => void;
  refresh: () => void;
  zoom: (factor: number) => void;
  unfold: () => void;
  unfoldAll: () => void;
  selected: () => Placed | null; // where the keyboard is on no row
  say: (text: string) => void;
}

export function graphKeys(event: KeyboardEvent, current: () => GraphModel, actions: GraphKeyActions): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const model = current();
  const at = model.cursorRow();
  const inView = model.rowAt(Math.floor(model.scrollY / model.rowHeight));
  const step = (direction: 1 | -1) => (): void => actions.moveCursor(at === null ? inView : model.neighbour(at, direction));
  const from = at ?? actions.selected();
  const cross = (side: "before" | "after") => (): void => {
    if (from !== null && from.row.side !== side) actions.moveCursor(model.across(from));
  };
  const follow = (end: "producer" | "consumer") => (): void => {
    if (from === null) return actions.moveCursor(inView);
    const next = model[end](from);
    if (next === null) return actions.say(`${from.row.label} has no ${end}`);
    actions.moveCursor(next);
  };
  const page = (direction: 1 | -1) => (): void => {
    const numLines = Math.max(1, Math.floor(model.height / model.rowHeight) - 2);
    let target = at ?? inView;
    for (let moved = 0; target !== null && moved < numLines; moved++) target = model.neighbour(target, direction) ?? target;
    actions.moveCursor(target);
  };
  const change = (action: () => void) => (): void => {
    action();
    actions.refresh();
  };
  const { numLines } = model.layout;
  const keys: Record<string, () => void> = {
    ArrowDown: step(1), ArrowUp: step(-1), j: step(1), k: step(-1),
    ArrowLeft: cross("before"), ArrowRight: cross("after"), h: follow("producer"), l: follow("consumer"),
    PageDown: page(1), PageUp: page(-1),
    Home: () => actions.moveCursor(model.rowAt(0)), End: () => actions.moveCursor(model.rowAt(numLines - 1)),
    e: change(() => actions.unfold()), "*": change(() => actions.unfoldAll()), c: change(() => model.fold()), r: change(() => model.toggleRepeats()),
    "+": change(() => actions.zoom(1.25)), "-": change(() => actions.zoom(1 / 1.25)),
  };
  const action = keys[event.key];
  if (action === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}
