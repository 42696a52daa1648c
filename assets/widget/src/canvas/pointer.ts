// Pointer gestures that both canvases share: move, click, double click, drag.

export interface Gestures {
  move: (x: number, y: number) => void;
  leave: () => void;
  click: (x: number, y: number, event: MouseEvent) => void;
  doubleClick: (x: number, y: number) => void;
  dragStart: (x: number, y: number, event: MouseEvent) => void; // a button goes down; whether it is dragged shows later
  drag: (fromX: number, fromY: number, x: number, y: number) => void; // from the previous point of the drag
  dragEnd?: () => void;
  wheel: (x: number, y: number, event: WheelEvent) => void;
}

const DRAG_THRESHOLD_PX = 4;

export function listenToPointer(canvas: HTMLCanvasElement, gestures: Gestures): () => void {
  const aborter = new AbortController();
  const { signal } = aborter;
  let last: [number, number] | null = null; // while a button is down
  let isDragging = false;
  const at = (event: MouseEvent): [number, number] => [event.offsetX, event.offsetY];

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    last = at(event);
    isDragging = false;
    gestures.dragStart(...last, event);
  }, { signal });
  canvas.addEventListener("pointermove", (event) => {
    const point = at(event);
    if (last === null) return gestures.move(...point);
    const distance = Math.hypot(point[0] - last[0], point[1] - last[1]);
    if (!isDragging && distance < DRAG_THRESHOLD_PX) return;
    if (!isDragging) canvas.setPointerCapture(event.pointerId);
    isDragging = true;
    gestures.drag(...last, ...point);
    last = point;
  }, { signal });
  const release = (): void => {
    if (last !== null && isDragging) gestures.dragEnd?.();
    last = null;
  };
  canvas.addEventListener("pointerup", release, { signal });
  canvas.addEventListener("pointercancel", release, { signal });
  canvas.addEventListener("pointerleave", () => { if (last === null) gestures.leave(); }, { signal });
  canvas.addEventListener("click", (event) => { if (!isDragging) gestures.click(...at(event), event); }, { signal });
  canvas.addEventListener("dblclick", (event) => gestures.doubleClick(...at(event)), { signal });
  canvas.addEventListener("wheel", (event) => gestures.wheel(...at(event), event), { signal, passive: false });
  return () => aborter.abort();
}
