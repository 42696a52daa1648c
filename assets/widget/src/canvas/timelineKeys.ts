// Keys of the timeline, while the focus is in it.

export interface TimelineActions {
  zoom: (factor: number) => void;
  pan: (share: number) => void; // of the window in view
  fitSelection: () => void;
  fitAll: () => void;
  step: (offset: 1 | -1) => void; // to the slice before or after
  switchAxis: () => void;
}

export function timelineKeys(event: KeyboardEvent, actions: TimelineActions): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const keys: Record<string, () => void> = {
    w: () => actions.zoom(1.5), s: () => actions.zoom(1 / 1.5),
    a: () => actions.pan(-0.2), d: () => actions.pan(0.2),
    f: actions.fitSelection, F: actions.fitAll, x: actions.switchAxis,
    h: () => actions.step(-1), l: () => actions.step(1), ArrowLeft: () => actions.step(-1), ArrowRight: () => actions.step(1),
  };
  const action = keys[event.key];
  if (action === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}
