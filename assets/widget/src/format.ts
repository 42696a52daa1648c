// Quantities as text, in the words that Python uses too.

const UNITS: readonly [string, number][] = [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]];

const DIGITS = 2;
const MOST_DIGITS = 12; // a byte of a tebibyte shows

export function formatBytes(bytes: number | null, digits = DIGITS): string {
  if (bytes === null) return "?";
  const [unit, factor] = UNITS.find(([, size]) => bytes >= size) ?? ["B", 1];
  const value = bytes / factor;
  return `${Number(value.toFixed(digits))} ${unit}`;
}

// Bytes held against a limit: as many digits as it takes to tell the two apart.
export function formatBytesBeside(bytes: number, limit: number): string {
  let digits = DIGITS;
  while (bytes !== limit && digits < MOST_DIGITS && formatBytes(bytes, digits) === formatBytes(limit, digits)) digits += 1;
  return formatBytes(bytes, digits);
}

const TIME_UNITS: readonly [string, number][] = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]];

// The unit that seconds are written in, and how many seconds it has: the largest of which there is one after rounding.
export function unitOfSeconds(seconds: number): readonly [string, number] {
  if (seconds === 0) return ["s", 1];
  const rounded = Math.abs(Number(seconds.toPrecision(3)));
  return TIME_UNITS.find(([, size]) => rounded >= size) ?? ["ns", 1e-9];
}

export function formatSeconds(seconds: number): string {
  const [unit, factor] = unitOfSeconds(seconds);
  return `${Number((seconds / factor).toPrecision(3))} ${unit}`;
}

const NUMBERS = new Intl.NumberFormat("en"); // made once: to make one takes as long as to use it a thousand times

export function formatNumber(value: number): string {
  return NUMBERS.format(value);
}

export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}
