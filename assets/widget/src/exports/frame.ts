// What stands around a picture, in as many lines as its width asks for: heading, policy, labels and what signs of all
// parts mean above it; kinds, the other signs and the caption below.

import { sansFont, type Pen } from "../canvas/pen";
import type { TextFitter } from "../canvas/textFit";
import { GAP, Lines, SWATCH_GAP } from "./lines";
import type { Picture } from "./picture";

export interface Frame {
  top: number; // height above the picture
  bottom: number; // height below it
  draw: (pen: Pen) => void;
}

const HEADING_MIDDLE = 17;
const LABELS_BELOW = 26; // from the middle of the line above
const PICTURE_BELOW = 15; // from the middle of the last line
const FOOTER_MARGIN = 15; // above the middle of its first line, and below that of its last
const BETWEEN_TERMS = " · ";

export function frameOf(text: TextFitter, picture: Picture): Frame {
  const { tokens, width, height } = picture;
  const head = new Lines(text, tokens, width, HEADING_MIDDLE);
  writeHeading(head, picture);
  head.nextLine(LABELS_BELOW);
  writeLabels(head, picture);
  const top = head.middle + PICTURE_BELOW;
  const foot = new Lines(text, tokens, width, top + height + FOOTER_MARGIN);
  writeFooter(foot, picture);
  return {
    top, bottom: foot.middle + FOOTER_MARGIN - top - height,
    draw(pen) {
      head.draw(pen);
      foot.draw(pen);
    },
  };
}

// The policy stands beside the heading, or below it.
function writeHeading(lines: Lines, { heading, terms, tokens }: Picture): void {
  const style = { font: sansFont(tokens, 13, 600), color: tokens.ink };
  const policy = terms.join(BETWEEN_TERMS);
  lines.writeBroken(heading.split(" "), " ", style);
  if (policy === "") return;
  if (lines.widthOf(heading, style) + 2 * GAP + lines.widthOf(policy) <= lines.room) return lines.writeAtRight(policy);
  lines.nextLine();
  lines.writeBroken(terms, BETWEEN_TERMS);
}

// The legend stands at their right, or below them.
function writeLabels(lines: Lines, { labels, legend, tokens }: Picture): void {
  const style = { font: sansFont(tokens, 11.5, 600), color: tokens.dim };
  const placed = labels.map(({ text, note, x }) => {
    const title = text.toUpperCase();
    return { title, note: note && `· ${note}`, x, noteX: x + lines.widthOf(title, style) + SWATCH_GAP };
  });
  const last = placed[placed.length - 1];
  const legendX = lines.right - lines.legendWidth(legend);
  const isBeside = last === undefined || last.noteX + lines.widthOf(last.note) + GAP <= legendX;
  const end = isBeside && legend.length > 0 ? legendX : lines.right + GAP;
  placed.forEach(({ title, note, x, noteX }, place) => {
    const next = (placed[place + 1]?.x ?? end) - GAP;
    lines.write(title, x, next - x, style);
    lines.write(note, noteX, next - noteX);
  });
  if (isBeside) return lines.writeLegend(legend, legendX);
  lines.nextLine();
  lines.writeLegend(legend);
}

// The caption stands at the right of the signs, or below them.
function writeFooter(lines: Lines, { signs, caption, tokens }: Picture): void {
  const style = { font: sansFont(tokens, 11.5), color: tokens.ink };
  lines.writeLegend(signs);
  if (caption === "") return;
  if (lines.legendWidth(signs) + GAP + lines.widthOf(caption, style) <= lines.room) return lines.writeAtRight(caption, style);
  if (signs.length > 0) lines.nextLine();
  lines.writeBroken(caption.split(" "), " ", style);
}
