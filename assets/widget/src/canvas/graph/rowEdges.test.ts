import { beforeEach, describe, expect, test } from "vitest";
import { samplePayload } from "../../testing/samplePayload";
import { emphasisOf } from "../emphasis";
import { GraphModel } from "./model";
import { rowEdges } from "./rowEdges";
import type { Scene } from "./scene";

const view = samplePayload().views[0]!;
const decision = view.decisions.find(({ path }) => path.length > 0)!;
let model: GraphModel;

beforeEach(() => {
  model = new GraphModel(view, "split");
  model.resize(800, 4000);
});

function scene(selection: string[] = []): Scene {
  const { layout, geometry, cursor, revealed } = model;
  const emphasis = emphasisOf(view, { selection, hover: null, step: -1, kinds: [], path: 0, matches: [] }, model.segments.originOf);
  return { view, layout, geometry, cursor, revealed, emphasis };
}

const said = ({ edges }: ReturnType<typeof rowEdges>): string[] => edges.map(({ from, to }) => `${from.row.label} -> ${to.row.label}`);

describe("the edges in view", () => {
  test("are those of ops that are unfolded; a folded run shows none", () => {
    expect(said(rowEdges(scene())).filter((edge) => edge.includes("permute"))).toEqual([]);
    model.toggle(model.layout.before.find(({ row }) => row.type === "fold" && row.label.startsWith("layers.0"))!);
    for (let level = 0; level < 3; level++) model.unfold();
    const edges = rowEdges(scene()).edges.filter(({ to }) => to.row.side === "before" && to.row.type === "op");
    expect(edges.length).toBeGreaterThan(5);
    for (const { from, to } of edges) {
      const { inputs } = view.before;
      const isRead = inputs[to.row.node]!.some((node) => from.row.first <= node && node < from.row.end);
      const feeds = Array.from({ length: to.row.end - to.row.first }, (_, index) => inputs[to.row.first + index]!).flat().includes(from.row.node);
      expect(isRead || feeds).toBe(true);
      expect(to.line - from.line).toBeLessThanOrEqual(12);
    }
  });

  test("of a collective are shown while it is looked at, with stubs that name what lies far", () => {
    expect(rowEdges(scene()).stubbed.some(({ placed }) => placed.row.label === model.rowOfRef(decision.name)!.row.label)).toBe(false);
    const { stubbed, edges } = rowEdges(scene([decision.name]));
    const wait = view.before.pair[decision.node]!;
    const row = model.rowOfRef(view.before.name[wait]!)!;
    expect(edges.some(({ from, to, isLit }) => isLit && from.row.node === decision.node && to === row)).toBe(true);
    for (const { placed, stubs } of stubbed.filter(({ isLit }) => isLit)) {
      for (const { node, label } of stubs) {
        expect(label.endsWith(view[placed.row.side].name[node]!)).toBe(true);
        expect(label.startsWith(node < placed.row.node ? "↑" : "↓")).toBe(true);
      }
    }
  });

  test("that are long are stubs until they are asked for", () => {
    const [primal] = view.before.inputs.flatMap((inputs, node) => (view.before.role[node] === "compute" && view.before.role[inputs[0] ?? 0] === "input" && node > 300 ? [[inputs[0]!, node] as const] : []));
    const [from, to] = primal!.map((node) => view.before.name[node]!);
    model.revealEdge(to!, to!);
    const before = rowEdges(scene([to!])).stubbed.flatMap(({ stubs }) => stubs.map(({ ref }) => ref));
    expect(before).toContain(from);
    model.revealEdge(to!, from!);
    const after = rowEdges(scene([to!]));
    expect(after.stubbed.flatMap(({ stubs }) => stubs.map(({ ref }) => ref))).not.toContain(from);
    expect(said(after)).toContain(`${from} -> ${to}`);
  });
});

describe("a ring of neighbours", () => {
  test("parts the runs that hold them, grows and shrinks back", () => {
    const rows = (): string[] => [...model.layout.before, ...model.layout.after].map(({ row }) => `${row.side} ${row.id}`);
    const closed = rows();
    const wait = view.before.name[view.before.pair[decision.node]!]!;
    expect(model.rowOfRef(wait)!.row.type).toBe("fold");
    model.unfold([decision.name]);
    expect(model.unfolded.hops).toBe(1);
    expect(model.rowOfRef(wait)!.row).toMatchObject({ type: "op", label: wait });
    const one = rows();
    model.unfold([decision.name]);
    expect(rows().length).toBeGreaterThan(one.length);
    model.fold();
    expect(rows()).toEqual(one);
    model.fold();
    expect(rows()).toEqual(closed);
  });

  test("keeps what is selected where it was", () => {
    model.resize(800, 500);
    model.scrollTo(model.scrollToReveal(model.rowOfRef(decision.name)!)!);
    const y = (): number => model.rowOfRef(decision.name)!.line * model.rowHeight - model.scrollY;
    const before = y();
    model.unfold([decision.name]);
    expect(y()).toBeCloseTo(before);
  });

  test("leaves every node in exactly one closed row, with ids of its own", () => {
    model.unfold([decision.name]);
    model.unfold([decision.name]);
    for (const side of ["before", "after"] as const) {
      const covered = view[side].name.map(() => 0);
      for (const { row } of model.layout[side]) if (!row.isOpen) for (let node = row.first; node < row.end; node++) covered[node]!++;
      expect(covered.every((count) => count === 1)).toBe(true);
      expect(new Set(model.layout[side].map(({ row }) => row.id)).size).toBe(model.layout[side].length);
    }
  });
});
