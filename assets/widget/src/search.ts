// The query language of the search box: `text`, `/regex/`, `op:all_gather`, `group:1`, `bytes>16M`, `why:depends`.
// Terms stand side by side and must all hold; "two words" in quotes are one term.

import type { View } from "./types";

export interface Subject {
  text: string; // names, module, source
  op: string; // kind and target
  group: string;
  bytes: number | null;
  why: string; // outcome, reason, sentence, what Inductor does differently
}

export interface Query {
  isEmpty: boolean;
  problem: string; // what cannot be read; such a query matches nothing
  test: (subject: Subject) => boolean;
}

type Term = (subject: Subject) => boolean;

const TOKEN = /\/(?:\\.|[^/\\])*\/|(?:\w+:)?"[^"]*"|\S+/g;
const COMPARISON = /^bytes\s*(<=|>=|<|>|=|:)\s*([\d.]+)\s*([kmg]?)(?:i?b)?$/i;
const FACTORS: Record<string, number> = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

export function parseQuery(text: string): Query {
  const terms: Term[] = [];
  try {
    for (const [token] of text.matchAll(TOKEN)) terms.push(parseTerm(token));
  } catch (error) {
    return { isEmpty: false, problem: error instanceof Error ? error.message : String(error), test: () => false };
  }
  return { isEmpty: terms.length === 0, problem: "", test: (subject) => terms.every((term) => term(subject)) };
}

// Indices in `before`, in program order; [] for an empty query.
export function searchNodes(view: View, query: Query): number[] {
  if (query.isEmpty || query.problem !== "") return [];
  const subjects = subjectsOf(view);
  return view.before.name.flatMap((_, node) => (query.test(subjects(node)) ? [node] : []));
}

export function subjectsOf(view: View): (node: number) => Subject {
  const decisions = new Map(view.decisions.map((decision) => [decision.node, decision]));
  const graph = view.before;
  return (node) => {
    const isWait = graph.role[node] === "wait";
    const decision = decisions.get(isWait ? (graph.pair[node] ?? -1) : node);
    const differs = decision?.differs ?? "";
    const key = decision?.evidence.find(([label]) => label === "key")?.[1] ?? "";
    return {
      text: [graph.name[node], graph.module[node], graph.source[node], decision?.label].join(" ").toLowerCase(),
      op: `${graph.kind[node]} ${graph.target[node]}`.toLowerCase(),
      group: /group '([^']*)'/.exec(key)?.[1] ?? "",
      bytes: graph.bytes[node] ?? null,
      why: [decision?.outcome, decision?.code, decision?.reason, decision?.why, differs === "" ? "" : `inductor: ${differs}`].join(" ").toLowerCase(),
    };
  };
}

function parseTerm(token: string): Term {
  if (token.startsWith("/")) return parsePattern(token);
  const comparison = COMPARISON.exec(token);
  if (comparison !== null) return parseComparison(comparison);
  if (/^bytes\s*[<>=:]/i.test(token)) throw new Error(`"${token}" is not a size; write for example bytes>16M`);
  const [, field = "", rest = ""] = /^(op|group|why):(.*)$/i.exec(token) ?? [];
  const wanted = unquoted(field === "" ? token : rest).toLowerCase();
  if (field === "") return (subject) => subject.text.includes(wanted) || subject.op.includes(wanted);
  if (field.toLowerCase() === "group") return (subject) => wanted === "" || subject.group.toLowerCase() === wanted;
  const name = field.toLowerCase() as "op" | "why";
  return (subject) => subject[name].includes(wanted);
}

function parsePattern(token: string): Term {
  if (token.length < 2 || !token.endsWith("/")) throw new Error(`${token} has no closing slash; write /…/`);
  const source = token.slice(1, -1);
  try {
    const pattern = new RegExp(source, "i");
    return (subject) => pattern.test(subject.text) || pattern.test(subject.op);
  } catch (error) {
    throw new Error(`/${source}/ is not a regular expression`, { cause: error });
  }
}

function parseComparison([, operator, digits, suffix]: RegExpExecArray): Term {
  const limit = Number(digits) * (FACTORS[(suffix ?? "").toLowerCase()] ?? 1);
  if (Number.isNaN(limit)) throw new Error(`${digits} is not a number`);
  const holds = (bytes: number): boolean => {
    if (operator === ">") return bytes > limit;
    if (operator === ">=") return bytes >= limit;
    if (operator === "<") return bytes < limit;
    if (operator === "<=") return bytes <= limit;
    return bytes === limit;
  };
  return ({ bytes }) => bytes !== null && holds(bytes);
}

function unquoted(text: string): string {
  return text.replace(/^"(.*)"$/, "$1");
}
