// A canvas that fills its parent at the device's resolution and draws at most once a frame.

import { h } from "../dom";
import { onThemeChange, readTokens } from "../theme";
import type { Pen } from "./pen";
import { Stamp } from "./stamp";
import { TextFitter } from "./textFit";

export interface CanvasHost {
  canvas: HTMLCanvasElement;
  redraw: () => void;
  unmount: () => void;
}

export function hostCanvas(parent: HTMLElement, draw: (pen: Pen) => void, resized: (width: number, height: number) => void): CanvasHost {
  const canvas = h("canvas", { role: "img" });
  parent.append(canvas);
  const context = canvas.getContext("2d");
  const text = context === null ? null : new TextFitter(context);
  const stamp = new Stamp();
  let [width, height, frame] = [0, 0, 0];
  let tokens = readTokens(parent); // none yet where the host attaches us later

  const paint = (): void => {
    frame = 0;
    if (context === null || text === null || width === 0 || height === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const [pixelsAcross, pixelsDown] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== pixelsAcross) canvas.width = pixelsAcross;
    if (canvas.height !== pixelsDown) canvas.height = pixelsDown;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    draw({ context, tokens, text, stamp });
  };
  const redraw = (): void => {
    if (frame === 0) frame = requestAnimationFrame(paint);
  };
  const measure = (): void => {
    width = parent.clientWidth;
    height = parent.clientHeight;
    tokens = readTokens(parent);
    resized(width, height);
    redraw();
  };
  const observer = new ResizeObserver(measure);
  observer.observe(parent);
  const unwatch = onThemeChange(parent, () => {
    tokens = readTokens(parent);
    redraw();
  });
  measure();
  return {
    canvas,
    redraw,
    unmount() {
      cancelAnimationFrame(frame);
      observer.disconnect();
      unwatch();
      canvas.remove();
    },
  };
}
