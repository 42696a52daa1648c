// Where something stands in a list in order.

// Index of the first item that `isPast` holds for; it holds for all that follow. The length where it holds for none.
export function firstPast<T>(items: ArrayLike<T>, isPast: (item: T) => boolean): number {
  return firstPastIn(items, 0, items.length, isPast);
}

// The same from `low` on, found in steps that double: at once where it is near.
export function firstPastFrom<T>(items: ArrayLike<T>, low: number, isPast: (item: T) => boolean): number {
  let step = 1;
  while (low + step < items.length && !isPast(items[low + step]!)) step *= 2;
  return firstPastIn(items, low, Math.min(items.length, low + step), isPast);
}

function firstPastIn<T>(items: ArrayLike<T>, from: number, to: number, isPast: (item: T) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isPast(items[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Those from `first` to one ahead of `end`, of numbers in order.
export function inRange(numbers: readonly number[], first: number, end: number): readonly number[] {
  return numbers.slice(firstPast(numbers, (each) => each >= first), firstPast(numbers, (each) => each >= end));
}
