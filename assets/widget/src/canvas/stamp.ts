// A part of a picture that stays as it is from frame to frame: painted once, then copied, until one of `keys` is another.

import type { Box } from "./geometry";
import type { Pen } from "./pen";

export class Stamp {
  private readonly canvas = document.createElement("canvas");
  private keys: readonly unknown[] = [];

  // `draw` stays within `box`, whose size is in CSS pixels. What is drawn by itself lies on whole pixels of the device.
  draw(pen: Pen, { x, y, width, height }: Box, keys: readonly unknown[], draw: (pen: Pen) => void): void {
    const ratio = pen.context.getTransform().a;
    const [left, top] = [Math.floor(x * ratio) / ratio, Math.floor(y * ratio) / ratio];
    const [across, down] = [Math.ceil((x + width - left) * ratio), Math.ceil((y + height - top) * ratio)];
    const all = [...keys, pen.tokens, ratio, left, top, across, down];
    if (all.length !== this.keys.length || all.some((key, place) => key !== this.keys[place])) {
      const context = this.canvas.getContext("2d");
      if (context === null) return draw(pen);
      [this.canvas.width, this.canvas.height] = [across, down];
      context.setTransform(ratio, 0, 0, ratio, -left * ratio, -top * ratio);
      draw({ ...pen, context });
      this.keys = all;
    }
    pen.context.drawImage(this.canvas, left, top, across / ratio, down / ratio);
  }
}
