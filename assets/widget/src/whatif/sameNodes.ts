// The graph after a rewrite says of a node that stayed as it was only which it was before (bucketviz/explorer/wire.py).

type Columns = Record<string, unknown>;

interface Referring extends Columns {
  same: number[]; // for node i of `after` the index in `before`, -1 for one that `own` tells of
  own: Record<string, unknown[]>;
}

// Puts whole columns in place of the references; a view that has none, or is broken, stays as it is.
export function tellNodes(view: unknown): void {
  const { before, rewritten } = (view ?? {}) as { before?: Columns; rewritten?: { after?: unknown } | null };
  if (!isObject(before) || !isObject(rewritten) || !isReferring(rewritten.after)) return;
  const { same, own, ...rest } = rewritten.after;
  const columns: Columns = {};
  for (const [name, told] of Object.entries(own)) {
    const values = before[name];
    if (Array.isArray(values)) columns[name] = whole(values, same, told);
  }
  rewritten.after = { ...columns, ...rest };
}

function whole(before: readonly unknown[], same: readonly number[], own: readonly unknown[]): unknown[] {
  let next = 0;
  return same.map((at) => (at < 0 ? own[next++] : before[at]));
}

function isReferring(after: unknown): after is Referring {
  return isObject(after) && Array.isArray(after.same) && isObject(after.own);
}

function isObject(value: unknown): value is Columns {
  return typeof value === "object" && value !== null;
}
