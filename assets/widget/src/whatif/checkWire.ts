// Whether what came can be shown at all: a file that was cut off or written by another version is named as such, with
// what is wrong with it, before any pane stumbles over it. Linear.

import { PayloadError } from "../errors";

const LISTS = ["summary", "policy", "buckets", "reasons", "decisions", "machines"];
const COLUMNS = ["name", "target", "role", "kind", "inputs", "tensor", "bytes", "size", "module", "source", "stack", "pair"];
const REMEDY = "write the page again with the bucketviz that you have installed";

type Fields = Record<string, unknown>;

export function checkWire(payload: unknown, schema: string): void {
  checkEnvelope(payload, schema).forEach(checkView);
}

// The views of a payload that this explorer reads.
export function checkEnvelope(payload: unknown, schema: string): unknown[] {
  if (!isObject(payload) || payload.schema !== schema) {
    const said = isObject(payload) ? String(payload.schema) : `nothing (it is ${kindOf(payload)})`;
    throw new PayloadError(`This explorer reads ${schema}, the payload says ${said}; ${REMEDY}.`);
  }
  const { views } = payload;
  if (!Array.isArray(views) || views.length === 0) throw new PayloadError("The payload has no graph to show; give at least one.");
  return views;
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
}

function checkView(view: unknown, index: number): void {
  const at = `views[${index}]`;
  if (!isObject(view)) throw broken(at, "it is no object");
  for (const name of LISTS) if (!Array.isArray(view[name])) throw broken(`${at}.${name}`, "it is no list");
  const numNodes = checkColumns(view.before, `${at}.before`);
  if (!isObject(view.timeline) || !Array.isArray(view.timeline.slices)) throw broken(`${at}.timeline`, "it has no slices");
  checkNodes((view.decisions as Fields[]).map(({ node }) => node), numNodes, `${at}.decisions`);
  checkNodes((view.buckets as Fields[]).flatMap(({ members }) => members), numNodes, `${at}.buckets`);
  if (view.rewritten === null) return;
  if (!isObject(view.rewritten)) throw broken(`${at}.rewritten`, "it is no object");
  const numAfter = checkColumns(view.rewritten.after, `${at}.rewritten.after`);
  const { carriedTo } = view.rewritten;
  if (!Array.isArray(carriedTo) || carriedTo.length !== numNodes) throw broken(`${at}.rewritten.carriedTo`, `it has no entry for each of ${numNodes} nodes`);
  checkNodes(carriedTo.filter((node) => node !== -1), numAfter, `${at}.rewritten.carriedTo`);
}

// The number of nodes, which every column has an entry for.
function checkColumns(graph: unknown, at: string): number {
  if (!isObject(graph)) throw broken(at, "it is no object");
  const lengths = COLUMNS.map((column) => (Array.isArray(graph[column]) ? (graph[column] as unknown[]).length : -1));
  const odd = lengths.findIndex((length) => length !== lengths[0] || length < 0);
  if (odd >= 0) throw broken(`${at}.${COLUMNS[odd]}`, lengths[odd]! < 0 ? "it is missing" : `it has ${lengths[odd]} entries, not ${lengths[0]}`);
  return lengths[0]!;
}

function checkNodes(nodes: readonly unknown[], numNodes: number, at: string): void {
  const stranger = nodes.find((node) => !Number.isInteger(node) || (node as number) < 0 || (node as number) >= numNodes);
  if (stranger !== undefined || nodes.includes(undefined)) throw broken(at, `it names node ${String(stranger)} of ${numNodes}`);
}

function broken(at: string, why: string): PayloadError {
  return new PayloadError(`The payload cannot be shown: ${at} is broken, ${why}; ${REMEDY}.`);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
