// @vitest-environment happy-dom
import { afterEach, describe, expect, test, vi } from "vitest";
import { drawGlyph } from "../canvas/pen";
import { exportMenu } from "../panes/exportMenu";
import { createStore } from "../store";
import { h } from "../dom";
import { samplePayload } from "../testing/samplePayload";
import type { Store } from "../types";
import { fileName } from "./files";
import { csvOf, jsonOf } from "./records";
import { SvgSurface } from "./svgSurface";

const store = (): Store => createStore(samplePayload(), (error) => { throw error; });
const parsed = (surface: SvgSurface): Document => new DOMParser().parseFromString(surface.text("#fff"), "image/svg+xml");

describe("a surface of SVG", () => {
  test("writes what a canvas would draw, moved by its origin", () => {
    const surface = new SvgSurface(100, 50);
    surface.save();
    surface.translate(10, 20);
    surface.beginPath();
    surface.moveTo(1, 2);
    surface.lineTo(3, 4);
    surface.strokeStyle = "red";
    surface.setLineDash([4, 2]);
    surface.stroke();
    surface.restore();
    surface.fillRect(0, 0, 5, 6);
    const text = surface.text("#fff");
    expect(text).toContain('<path d="M11 22L13 24" fill="none" stroke="red" stroke-width="1" stroke-dasharray="4 2"/>');
    expect(text).toContain('<rect x="0" y="0" width="5" height="6" fill="#000"/>');
  });

  test("outlines boxes and closes shapes", () => {
    const surface = new SvgSurface(100, 50);
    surface.translate(0, 20);
    surface.strokeStyle = "blue";
    surface.setLineDash([2, 3]);
    surface.strokeRect(0.5, 1.5, 9, 4);
    surface.beginPath();
    surface.moveTo(1, 2);
    surface.lineTo(3, 4);
    surface.closePath();
    surface.fill();
    const text = surface.text("#fff");
    expect(text).toContain('<rect x="0.5" y="21.5" width="9" height="4" fill="none" stroke="blue" stroke-width="1" stroke-dasharray="2 3"/>');
    expect(text).toContain('<path d="M1 22L3 24Z" fill="#000"/>');
  });

  test("shows markup in names as text, and drops what XML cannot hold", () => {
    const surface = new SvgSurface(100, 50);
    surface.font = '600 12px "A & B", sans-serif';
    surface.fillText('<script>alert("x")</script>\u0000\u202e\ud800', 1, 2);
    const [text] = parsed(surface).getElementsByTagName("text");
    expect(text!.textContent).toBe('<script>alert("x")</script>\ufffd\ufffd\ufffd');
    expect(text!.getAttribute("font-weight")).toBe("600");
    expect(parsed(surface).getElementsByTagName("script")).toHaveLength(0);
  });

  test("keeps the clip where it is while a glyph moves", () => {
    const surface = new SvgSurface(100, 50);
    surface.beginPath();
    surface.rect(0, 0, 10, 10);
    surface.clip();
    drawGlyph(surface as unknown as CanvasRenderingContext2D, "all_gather", 5, 5, "blue");
    expect(surface.text("#fff")).toMatch(/<g clip-path="url\(#bv\w+-clip0\)"><path d="M1 1.5[^"]*" fill="blue" transform="translate\([^"]*\)"\/><\/g>/);
  });
});

describe("ids of a picture", () => {
  const clipped = (width: number): string => {
    const surface = new SvgSurface(100, 50);
    surface.beginPath();
    surface.rect(0, 0, width, 10);
    surface.clip();
    surface.fillText("clip0 and #clip0", 1, 2);
    return surface.text("#fff");
  };
  const idsIn = (text: string): string[] => [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);

  test("are no other picture's, and the same whenever it is saved", () => {
    expect(idsIn(clipped(10))).toHaveLength(1);
    expect(new Set([...idsIn(clipped(10)), ...idsIn(clipped(11)), ...idsIn(clipped(12))]).size).toBe(3);
    expect(clipped(10)).toBe(clipped(10));
  });

  test("are what its parts refer to, and change no text", () => {
    const text = clipped(10);
    expect(text).toContain(`clip-path="url(#${idsIn(text)[0]})"`);
    expect(text).toContain(">clip0 and #clip0</text>");
    expect(text).not.toContain("\0");
  });
});

describe("names of files", () => {
  test("are safe on every system", () => {
    expect(fileName(["Llama", "forward · cap 25 MiB"], "graph.svg")).toBe("bucketviz-Llama-forward-cap-25-MiB.graph.svg");
    expect(fileName(["../../etc/passwd", "<b>\u202e"], "csv")).toBe("bucketviz-etc-passwd-b.csv");
    expect(fileName(["", "…"], "csv")).toBe("bucketviz.csv");
    expect(fileName(["x".repeat(1000)], "csv").length).toBeLessThan(80);
  });
});

describe("tables", () => {
  test("have a line a decision; commas, quotes and formulas are harmless", () => {
    const view = structuredClone(store().current);
    view.decisions[0]!.why = '=cmd() said "no", twice\nor more';
    const lines = csvOf(view).split("\r\n");
    expect(lines).toHaveLength(view.decisions.length + 2);
    expect(lines[0]!.split(",").slice(0, 3)).toEqual(["graph", "step", "collective"]);
    expect(lines[1]).toContain('"\'=cmd() said ""no"", twice\nor more"');
  });

  test("as JSON name nodes, not indices", () => {
    const shown = store();
    const plan = JSON.parse(jsonOf(shown));
    expect(plan.buckets[0].members).toEqual(shown.current.buckets[0]!.members.map((node) => shown.current.before.name[node]));
    expect(plan.decisions).toHaveLength(shown.current.decisions.length);
  });

  test("tell nothing that is to be predicted", () => {
    const shown = store();
    shown.set({ quiz: true });
    expect(csvOf(shown.current)).not.toMatch(/joined|opened|depends/);
    expect(jsonOf(shown)).not.toMatch(/joined|opened|depends/);
  });
});

describe("the menu", () => {
  afterEach(() => vi.restoreAllMocks());

  const pictures = { graph: () => { throw new Error("no graph"); }, timeline: () => { throw new Error("no timeline"); } };

  test("is walked with the arrows in a shadow tree too", () => {
    const host = document.body.appendChild(h("div"));
    const tree = host.attachShadow({ mode: "open" });
    const { element, toggle } = exportMenu(store(), pictures, () => {});
    tree.append(h("div", { class: "bucketviz" }, element));
    toggle();
    const [first, second, third] = element.querySelectorAll("[role=menuitem]");
    expect(tree.activeElement).toBe(first);
    const down = (item: Element): boolean => item.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
    down(first!);
    expect(tree.activeElement).toBe(second);
    down(second!);
    expect(tree.activeElement).toBe(third);
    host.remove();
  });

  test("opens on its first entry, walks with arrows, closes with Escape", () => {
    const { element, toggle } = exportMenu(store(), pictures, () => {});
    document.body.append(h("div", { class: "bucketviz" }, element));
    toggle();
    const items = [...element.querySelectorAll<HTMLElement>("[role=menuitem]")];
    expect(items.map((item) => item.querySelector("span")!.textContent)).toEqual([
      "Graph as SVG", "Graph as PNG", "Timeline as SVG", "Timeline as PNG", "Decisions as CSV", "Plan as JSON", "Report as text",
    ]);
    expect(document.activeElement).toBe(items[0]);
    items[0]!.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true }));
    expect(document.activeElement).toBe(items.at(-1));
    items.at(-1)!.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    expect(element.querySelector<HTMLElement>("[role=menu]")!.hidden).toBe(true);
    expect(document.activeElement).toBe(element.querySelector("[aria-haspopup]"));
    element.remove();
  });

  test("saves under the names of what is shown, and tells what went wrong", async () => {
    const names: string[] = [];
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function click(this: HTMLAnchorElement) { names.push(this.download); });
    const report = vi.fn();
    const { element } = exportMenu(store(), pictures, report);
    for (const item of element.querySelectorAll<HTMLElement>("[role=menuitem]")) item.click();
    await Promise.resolve();
    await new Promise((resolve) => setTimeout(resolve));
    expect(names).toEqual(["decisions.csv", "plan.json", "report.txt"].map((suffix) => `bucketviz-llama-8-layers-forward.${suffix}`));
    expect(report.mock.calls.map(([error]) => (error as Error).message)).toEqual(["no graph", "no timeline", "no graph", "no timeline"]);
  });
});
