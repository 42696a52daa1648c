// The order of a graph in which some nodes stand together.

// `keyOf`: for every node the one where it stands, with itself for most. Of the keys that have all they read, the one that
// stood first comes next, as in the rewrite. Keys are met in order; only those that had to wait go through the heap.
export function orderOf(inputs: readonly (readonly number[])[], keyOf: Int32Array): Int32Array {
  const order = new Order(inputs, keyOf);
  for (let key = 0; key < keyOf.length; key++) if (keyOf[key] === key && order.hasAll(key)) order.place(key);
  return order.closed();
}

class Order {
  private readonly keys: Int32Array;
  private numPlaced = 0;
  private readonly isPlaced: Uint8Array;
  private readonly missing: Int32Array; // how much each key reads that is not placed yet
  private readonly withSame: Int32Array; // the next node that stands where this one does, -1 for none
  private numReaders = 0;
  private readonly readers: Int32Array; // of what is not placed yet, in one list each
  private readonly nextOf: Int32Array; // for each entry in `readers` the next of the same list, -1 for none
  private readonly firstOf: Int32Array; // where the list of a key begins
  private readonly ready = new Heap(); // what waited and has all now

  constructor(private readonly inputs: readonly (readonly number[])[], private readonly keyOf: Int32Array) {
    const numNodes = keyOf.length;
    let numEdges = 0;
    for (let node = 0; node < numNodes; node++) numEdges += inputs[node]!.length;
    this.readers = new Int32Array(numEdges);
    this.nextOf = new Int32Array(numEdges);
    this.keys = new Int32Array(numNodes);
    this.isPlaced = new Uint8Array(numNodes);
    this.missing = new Int32Array(numNodes);
    this.firstOf = new Int32Array(numNodes).fill(-1);
    this.withSame = new Int32Array(numNodes).fill(-1);
    for (let node = 0; node < numNodes; node++) {
      const key = keyOf[node]!;
      if (key === node) continue;
      this.withSame[node] = this.withSame[key]!;
      this.withSame[key] = node;
    }
  }

  // Whether nothing is missing that a key reads; it waits for what is.
  hasAll(key: number): boolean {
    const { inputs, keyOf, isPlaced, readers, nextOf, firstOf } = this;
    const known = this.numReaders;
    for (let node = key; node >= 0; node = this.withSame[node]!) {
      const own = inputs[node]!;
      for (let at = 0; at < own.length; at++) {
        const source = keyOf[own[at]!]!;
        if (source === key || isPlaced[source] === 1) continue;
        const entry = this.numReaders++;
        readers[entry] = key;
        nextOf[entry] = firstOf[source]!;
        firstOf[source] = entry;
      }
    }
    this.missing[key] = this.numReaders - known;
    return this.numReaders === known;
  }

  // With all that waited for nothing else, the least first: it stood ahead of whatever comes.
  place(key: number): void {
    const { keys, isPlaced, firstOf, nextOf, readers, missing, ready } = this;
    for (let next: number | undefined = key; next !== undefined; next = ready.pop()) {
      keys[this.numPlaced++] = next;
      isPlaced[next] = 1;
      for (let at = firstOf[next]!; at >= 0; at = nextOf[at]!) if (--missing[readers[at]!]! === 0) ready.push(readers[at]!);
    }
  }

  // A plan that obeys torch to the letter may close a cycle, which the rewrite refuses: what is in it stays in place.
  closed(): Int32Array {
    const { keys, keyOf, isPlaced } = this;
    for (let node = 0; node < keyOf.length; node++) if (keyOf[node] === node && isPlaced[node] === 0) keys[this.numPlaced++] = node;
    return keys.subarray(0, this.numPlaced);
  }
}

// The least of some numbers first.
class Heap {
  private readonly items: number[] = [];

  push(item: number): void {
    const { items } = this;
    let at = items.length;
    while (at > 0 && items[(at - 1) >> 1]! > item) {
      items[at] = items[(at - 1) >> 1]!;
      at = (at - 1) >> 1;
    }
    items[at] = item;
  }

  pop(): number | undefined {
    const { items } = this;
    const least = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return least;
    let at = 0;
    for (let child = 1; child < items.length; child = 2 * at + 1) {
      if (child + 1 < items.length && items[child + 1]! < items[child]!) child++;
      if (items[child]! >= last) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = last;
    return least;
  }
}
