// Where something stands in a list in order.

// Index of the first item that `isPast` holds for; it holds for all that follow. The length where it holds for none.
export function firstPast<T>(items: ArrayLike<T>, isPast: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isPast(items[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Index of the first of numbers in order, from `low` on, that is at least `value`; found in steps that double, at once
// where it is near.
export function firstFrom(numbers: ArrayLike<number>, value: number, low: number): number {
  let step = 1;
  while (low + step < numbers.length && numbers[low + step]! < value) step *= 2;
  let from = low;
  let to = Math.min(numbers.length, low + step);
  while (from < to) {
    const middle = (from + to) >> 1;
    if (numbers[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

// Those from `first` to one ahead of `end`, of numbers in order.
export function inRange(numbers: readonly number[], first: number, end: number): readonly number[] {
  return numbers.slice(firstPast(numbers, (each) => each >= first), firstPast(numbers, (each) => each >= end));
}
