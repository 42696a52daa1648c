// The cap on a logarithmic slider: equal ways are equal factors, and the stops are numbers that one would write.

export const MIB = 2 ** 20;
const STEPS_PER_DOUBLING = 8;
const DIGITS = 3;

export function positionOfMib(mib: number, [low, high]: readonly [number, number]): number {
  const within = Math.max(Math.min(low, high), Math.min(mib, Math.max(low, high)));
  return Math.round(Math.log2(within) * STEPS_PER_DOUBLING);
}

// At the upper end everything fits, so that it is never rounded down.
export function mibOfPosition(position: number, range: readonly [number, number]): number {
  if (position >= positionOfMib(range[1], range)) return Math.max(...range);
  return Number((2 ** (position / STEPS_PER_DOUBLING)).toPrecision(DIGITS));
}

// As many digits as a person would read; the exact number stays the policy's.
export function writtenMib(mib: number): string {
  return String(Number(mib.toPrecision(5)));
}
