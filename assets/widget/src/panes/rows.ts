// A list of equal rows of which only those in sight exist, so that two thousand cost as much as forty.

import { h } from "../dom";

const SPARE_ROWS = 6;

export interface Rows {
  element: HTMLElement;
  show: (numRows: number) => void; // draws anew, the number of rows may have changed
  reveal: (row: number) => void;
  at: (row: number) => HTMLElement | undefined;
  drawn: ReadonlyMap<number, HTMLElement>;
}

// `keep` is a row that exists even out of sight: the one that holds the focus.
export function virtualRows(rowHeight: number, draw: (row: number) => HTMLElement, keep: () => number): Rows {
  const spacer = h("div", { class: "bv-rows", role: "rowgroup" });
  const element = h("div", { class: "bv-scroll", onscroll: () => update() }, spacer);
  const drawn = new Map<number, HTMLElement>();
  let numRows = 0;

  const update = (): void => {
    const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - SPARE_ROWS);
    const last = Math.min(numRows, Math.ceil((element.scrollTop + (element.clientHeight || 600)) / rowHeight) + SPARE_ROWS);
    const kept = keep();
    for (const [row, line] of drawn) {
      if ((row >= first && row < last) || row === kept) continue;
      line.remove();
      drawn.delete(row);
    }
    for (let row = first; row < last; row++) place(row);
    if (kept >= 0 && kept < numRows) place(kept);
  };

  const place = (row: number): void => {
    if (drawn.has(row)) return;
    const line = draw(row);
    line.style.top = `${row * rowHeight}px`;
    drawn.set(row, line);
    spacer.append(line);
  };

  return {
    element,
    show(count) {
      numRows = count;
      spacer.style.height = `${numRows * rowHeight}px`;
      spacer.replaceChildren();
      drawn.clear();
      update();
    },
    reveal(row) {
      const top = row * rowHeight;
      const room = element.clientHeight - rowHeight;
      if (top < element.scrollTop) element.scrollTop = Math.max(0, top - room / 3);
      else if (top > element.scrollTop + room) element.scrollTop = top - room * (2 / 3);
      update();
    },
    at: (row) => drawn.get(row),
    drawn,
  };
}
