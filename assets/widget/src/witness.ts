// The ways by which a collective depends on a bucket: the one that Python found, and further disjoint ones.

import { disjointPaths } from "./edges";
import type { Decision, Store, View } from "./types";

const pathsOfFirst = new WeakMap<readonly number[], number[][]>();

export function witnessPaths({ before }: View, { path }: Decision): number[][] {
  let paths = pathsOfFirst.get(path);
  if (paths === undefined) pathsOfFirst.set(path, (paths = disjointPaths(before, path)));
  return paths;
}

// The path that is shown, [] where nothing depends.
export function shownPath(view: View, decision: Decision | null, index: number): number[] {
  if (decision === null || decision.path.length === 0) return [];
  const paths = witnessPaths(view, decision);
  return paths[index % paths.length] ?? [];
}

export function nextPath(store: Store, decision: Decision | null): void {
  if (decision === null || decision.path.length === 0) return;
  store.set({ path: (store.state.path + 1) % witnessPaths(store.current, decision).length });
}
