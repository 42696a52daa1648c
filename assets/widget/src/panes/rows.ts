// A list of equal rows of which only those in sight exist, so that two thousand cost as much as forty.

import { h, renew } from "../dom";

const SPARE_ROWS = 6;
const UNMEASURED_HEIGHT = 600;

export interface Rows {
  element: HTMLElement;
  show: (numRows: number) => void; // draws anew, the number of rows may have changed
  reveal: (row: number) => void;
  measure: () => void; // when its element got another size
  at: (row: number) => HTMLElement | undefined;
  drawn: ReadonlyMap<number, HTMLElement>;
}

// `keep` is a row that exists even out of sight: the one that holds the focus. What listens to a row that `draw` made
// may later be told of another one in its place.
export function virtualRows(rowHeight: number, draw: (row: number) => HTMLElement, keep: () => number): Rows {
  const spacer = h("div", { class: "bv-rows", role: "rowgroup" });
  const element = h("div", { class: "bv-scroll", onscroll: () => scrolled() }, spacer);
  const drawn = new Map<number, HTMLElement>();
  let numRows = 0;
  let [top, height] = [0, UNMEASURED_HEIGHT]; // kept, since to ask the page is to lay it out

  const scrolled = (): void => {
    top = element.scrollTop;
    update();
  };

  const update = (): void => {
    const first = Math.max(0, Math.floor(top / rowHeight) - SPARE_ROWS);
    const last = Math.min(numRows, Math.ceil((top + height) / rowHeight) + SPARE_ROWS);
    const kept = keep();
    for (const [row, line] of drawn) {
      if ((row >= first && row < last) || (row === kept && row < numRows)) continue;
      line.remove();
      drawn.delete(row);
    }
    for (let row = first; row < last; row++) place(row);
    if (kept >= 0 && kept < numRows) place(kept);
  };

  const scrollTo = (wanted: number): void => {
    element.scrollTop = wanted;
    top = element.scrollTop;
  };

  const made = (row: number): HTMLElement => {
    const line = draw(row);
    line.style.top = `${row * rowHeight}px`;
    return line;
  };

  const place = (row: number): void => {
    if (drawn.has(row)) return;
    const line = made(row);
    drawn.set(row, line);
    spacer.append(line);
  };

  // A row of another class is another element: others listen to it.
  const drawAnew = (row: number, line: HTMLElement): void => {
    const next = made(row);
    if (next.className === line.className) return renew(line, next);
    line.replaceWith(next);
    drawn.set(row, next);
  };

  return {
    element,
    show(count) {
      numRows = count;
      top = Math.min(top, Math.max(0, numRows * rowHeight - height));
      spacer.style.height = `${numRows * rowHeight}px`;
      const held = [...drawn];
      update();
      for (const [row, line] of held) if (drawn.get(row) === line) drawAnew(row, line);
    },
    reveal(row) {
      const rowTop = row * rowHeight;
      const room = height - rowHeight;
      if (rowTop < top) scrollTo(Math.max(0, rowTop - room / 3));
      else if (rowTop > top + room) scrollTo(rowTop - room * (2 / 3));
      update();
    },
    measure() {
      height = element.clientHeight || UNMEASURED_HEIGHT;
      top = element.scrollTop;
    },
    at: (row) => drawn.get(row),
    drawn,
  };
}
