// Quantities as text, in the words that Python uses too.

const UNITS: readonly [string, number][] = [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]];

export function formatBytes(bytes: number | null): string {
  if (bytes === null) return "?";
  const [unit, factor] = UNITS.find(([, size]) => bytes >= size) ?? ["B", 1];
  const value = bytes / factor;
  return `${Number(value.toFixed(2))} ${unit}`;
}

export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
