// Lines of text and of signs that are set into a width and drawn later: what has no room on a line goes to the next.

import { sansFont, writeText, type Pen, type TextStyle } from "../canvas/pen";
import type { TextFitter } from "../canvas/textFit";
import type { Tokens } from "../theme";
import { SWATCH, type LegendEntry } from "./swatch";

export const MARGIN = 14;
export const GAP = 14;
export const SWATCH_GAP = 5;
const LINE_HEIGHT = 20;

type Drawing = (pen: Pen) => void;

export class Lines {
  readonly plain: TextStyle;
  readonly left = MARGIN;
  readonly right: number;
  private readonly drawings: Drawing[] = [];

  // `middle`: of the line that is written on.
  constructor(private readonly text: TextFitter, tokens: Tokens, width: number, public middle: number) {
    this.plain = { font: sansFont(tokens, 11.5), color: tokens.dim };
    this.right = width - MARGIN;
  }

  get room(): number {
    return this.right - this.left;
  }

  draw(pen: Pen): void {
    for (const draw of this.drawings) draw(pen);
  }

  widthOf(text: string, { font } = this.plain): number {
    return this.text.widthOf(text, font);
  }

  legendWidth(legend: readonly LegendEntry[]): number {
    return legend.reduce((sum, entry) => sum + this.entryWidth(entry), 0) + GAP * Math.max(0, legend.length - 1);
  }

  nextLine(height = LINE_HEIGHT): void {
    this.middle += height;
  }

  // On this line; the middle of what is too long gives way.
  write(text: string, x: number, width: number, style = this.plain): void {
    const { middle } = this;
    this.drawings.push((pen) => void writeText(pen, text, x, middle, width, style));
  }

  writeAtRight(text: string, style = this.plain): void {
    this.write(text, this.right, this.room, { ...style, align: "right" });
  }

  // From this line on, between parts of the text.
  writeBroken(parts: readonly string[], joint: string, style = this.plain): void {
    const lines = broken(parts, (part) => this.widthOf(part, style), this.widthOf(joint, style), this.room);
    lines.forEach((line, place) => {
      if (place > 0) this.nextLine();
      this.write(line.join(joint), this.left, this.room, style);
    });
  }

  // From this line and from `left` on.
  writeLegend(legend: readonly LegendEntry[], left = this.left): void {
    broken(legend, (entry) => this.entryWidth(entry), GAP, this.right - left).forEach((line, place) => {
      if (place > 0) this.nextLine();
      const { middle } = this;
      let x = left;
      for (const entry of line) {
        const at = x;
        this.drawings.push((pen) => entry.draw(pen, at, middle));
        this.write(entry.text, x + SWATCH.width + SWATCH_GAP, this.right - x);
        x += this.entryWidth(entry) + GAP;
      }
    });
  }

  private entryWidth({ text }: LegendEntry): number {
    return SWATCH.width + SWATCH_GAP + this.widthOf(text);
  }
}

// As many of the items on a line as `room` holds, and at least one.
function broken<Item>(items: readonly Item[], widthOf: (item: Item) => number, gap: number, room: number): Item[][] {
  const lines: Item[][] = [];
  let used = Infinity;
  for (const item of items) {
    const width = widthOf(item);
    if (used + gap + width > room + 0.5) {
      lines.push([]);
      used = -gap;
    }
    lines[lines.length - 1]!.push(item);
    used += gap + width;
  }
  return lines;
}
