// Module paths: "layers.0.attention.wq" belongs to the block "layers.0" and goes by the short name "layers.0.wq".

import { remember } from "../remembered";

const blocksOfPaths = new Map<string, string>(); // a page asks for each path many times, once a node

export function blockOf(path: string): string {
  return blocksOfPaths.get(path) ?? remember(blocksOfPaths, path, blockOnce(path));
}

function blockOnce(path: string): string {
  const parts = path.split(".");
  const numbered = parts.findIndex((part) => /^\d+$/.test(part));
  return parts.slice(0, numbered < 0 ? 1 : numbered + 1).join(".");
}

function shortName(path: string): string {
  const block = blockOf(path);
  const rest = path.slice(block.length + 1).split(".");
  return rest.length < 2 ? path : `${block}.${rest[rest.length - 1]}`;
}

// Short names for a graph's modules; where two of them would be called the same, both keep their whole path.
export function shortNames(paths: Iterable<string>): (path: string) => string {
  const owners = new Map<string, string | null>();
  for (const path of new Set(paths)) {
    const short = shortName(path);
    const owner = owners.get(short);
    owners.set(short, owner === undefined ? path : null);
  }
  return (path) => (owners.get(shortName(path)) === path ? shortName(path) : path);
}

const namesOfModules = new WeakMap<readonly string[], (path: string) => string>();

export function shortNamesOf({ module }: { module: readonly string[] }): (path: string) => string {
  const known = namesOfModules.get(module) ?? shortNames(module);
  namesOfModules.set(module, known);
  return known;
}

// The longest path that both start with; an empty path is an unknown one and does not shorten the other.
export function commonPrefix(a: string, b: string): string {
  if (a === "" || b === "" || a === b) return a || b;
  const [left, right] = [a.split("."), b.split(".")];
  let shared = 0;
  while (shared < left.length && left[shared] === right[shared]) shared++;
  return left.slice(0, shared).join(".");
}

// The first part of `path` below `prefix`: childOf("layers.0.attention.wq", "layers.0") is "attention".
export function childOf(path: string, prefix: string): string {
  const rest = prefix === "" ? path : path.slice(prefix.length + 1);
  return rest.split(".")[0] ?? "";
}
