// A table whose cells stay as long as they say the same: a hundred rows that did not change cost nobody a layout.

import { h } from "../../dom";

export class KeptTable {
  private readonly caption = h("caption");
  private readonly head = h("tr");
  private readonly body = h("tbody");
  readonly element = h("table", {}, this.caption, h("thead", {}, this.head), this.body);
  private titles: readonly string[] = [];
  private rows: readonly (readonly string[])[] = [];

  show(caption: string, titles: readonly string[], rows: readonly (readonly string[])[]): void {
    if (this.caption.textContent !== caption) this.caption.textContent = caption;
    if (!isSame(this.titles, titles)) this.head.replaceChildren(...titles.map((title) => h("th", { scope: "col" }, title)));
    while (this.body.childElementCount > rows.length) this.body.lastElementChild!.remove();
    rows.forEach((cells, place) => this.showRow(place, cells));
    [this.titles, this.rows] = [titles, rows];
  }

  private showRow(place: number, cells: readonly string[]): void {
    const known = this.rows[place];
    if (known === undefined) return this.body.append(rowOf(cells));
    if (isSame(known, cells)) return;
    const row = this.body.children[place]!;
    if (known.length !== cells.length) return row.replaceWith(rowOf(cells));
    cells.forEach((cell, column) => {
      if (known[column] !== cell) row.children[column]!.textContent = cell;
    });
  }
}

function rowOf(cells: readonly string[]): HTMLTableRowElement {
  return h("tr", {}, ...cells.map((cell) => h("td", {}, cell)));
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((cell, place) => cell === other[place]);
}
