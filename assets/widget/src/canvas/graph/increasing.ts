// The longest run of matches that keeps both orders: values increase, entries of -1 take no part.
// A sequence already in order costs one comparison an entry; an inversion costs a binary search.

export function longestIncreasing(values: ArrayLike<number>): Uint8Array {
  const kept = new Uint8Array(values.length);
  const tails: number[] = []; // tails[k] = index of the smallest value that ends a run of length k + 1
  const previous = new Int32Array(values.length).fill(-1);
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!;
    if (value < 0) continue;
    const last = tails.length - 1;
    const place = last < 0 || values[tails[last]!]! < value ? tails.length : firstNotBelow(values, tails, value);
    previous[index] = place > 0 ? tails[place - 1]! : -1;
    tails[place] = index;
  }
  for (let index = tails[tails.length - 1] ?? -1; index >= 0; index = previous[index]!) kept[index] = 1;
  return kept;
}

function firstNotBelow(values: ArrayLike<number>, tails: readonly number[], value: number): number {
  let [low, high] = [0, tails.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[tails[middle]!]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
