// Where something stands in a list in order.

// Index of the first item that `isPast` holds for; it holds for all that follow. The length where it holds for none.
export function firstPast<T>(items: readonly T[], isPast: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
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
