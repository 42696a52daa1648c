// Which of some items stand in so many lines; what does not fit goes behind a button at the end.

export interface Fitted {
  width: number;
  isKept: boolean; // shown whatever happens
}

export interface Room {
  line: number; // width
  lines: number;
  gap: number;
}

// `last` stands at the end of the last line; the items that are left out are the last ones, and cost a button.
export function fitting(items: readonly Fitted[], last: number, more: number, room: Room): boolean[] {
  const shown = items.map(() => true);
  for (let index = items.length - 1; index >= 0 && !fits(items, shown, last, more, room); index--) {
    if (!items[index]!.isKept) shown[index] = false;
  }
  return shown;
}

function fits(items: readonly Fitted[], shown: readonly boolean[], last: number, more: number, room: Room): boolean {
  const widths = items.filter((_, index) => shown[index]).map(({ width }) => width);
  if (shown.includes(false)) widths.push(more);
  let [lines, used] = [1, 0];
  for (const width of [...widths, last]) {
    if (used > 0 && used + room.gap + width > room.line) [lines, used] = [lines + 1, 0];
    used += (used > 0 ? room.gap : 0) + width;
  }
  return lines <= room.lines;
}
