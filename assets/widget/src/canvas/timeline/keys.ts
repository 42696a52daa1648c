// Keys of the timeline, while the focus is in it.

import type { Kind } from "./probe";

export interface TimelineActions {
  zoom: (factor: number) => void;
  pan: (share: number) => void; // of the window in view
  fitSelection: () => void;
  fitAll: () => void;
  step: (offset: 1 | -1) => void; // to the slice before or after
  switchAxis: () => void;
  toggleGhost: () => void;
  nextWait: () => void;
  probe: (kind: Kind) => void; // begins, or sets the end that is open, or ends what is set
  moveProbe: (offset: 1 | -1) => boolean; // to the next edge; false where no end is open
  turnRows: () => boolean; // of a box to the other graph's rows
  setProbe: () => boolean;
  dropProbe: () => boolean; // false where nothing was measured
}

type Action = () => boolean | void; // false: nothing was done, the key may go on

export function timelineKeys(event: KeyboardEvent, actions: TimelineActions): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const go = (offset: 1 | -1): void => void (actions.moveProbe(offset) || actions.step(offset));
  const keys: Record<string, Action> = {
    w: () => actions.zoom(1.5), s: () => actions.zoom(1 / 1.5),
    a: () => actions.pan(-0.2), d: () => actions.pan(0.2),
    f: actions.fitSelection, F: actions.fitAll, x: actions.switchAxis, o: actions.toggleGhost, "!": actions.nextWait,
    m: () => actions.probe("gap"), M: () => actions.probe("box"),
    h: () => go(-1), l: () => go(1), ArrowLeft: () => go(-1), ArrowRight: () => go(1),
    ArrowUp: actions.turnRows, ArrowDown: actions.turnRows,
    Enter: actions.setProbe, Escape: actions.dropProbe,
  };
  const action = keys[event.key];
  if (action === undefined || action() === false) return;
  event.preventDefault();
  event.stopPropagation();
}
