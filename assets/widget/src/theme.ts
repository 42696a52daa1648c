// Colours live in CSS (theme.css) as custom properties of the root; a canvas reads them through `readTokens`.

import type { Kind } from "./types";

export type Theme = "auto" | "light" | "dark";

export interface KindTokens {
  fill: string; // the hue itself, for solid bars and tints
  edge: string; // the hue at 4.5:1 on the panel, for outlines, ribbons and text
  on: string; // text on `fill`
}

export interface Tokens {
  isDark: boolean;
  panel: string;
  soft: string;
  line: string; // hairlines that carry no meaning
  ink: string;
  dim: string; // secondary text, 4.5:1
  highlight: string; // background of what is selected
  hover: string; // background of what is hovered
  focus: string; // outline of what has the focus or is selected
  compute: string; // grey bars and folded blocks
  computeEdge: string; // their outline, 3:1
  alert: string; // only for exposed communication and what hurts
  alertText: string;
  kinds: Record<Kind, KindTokens>;
  sans: string;
  mono: string;
}

export function readTokens(root: HTMLElement): Tokens {
  const style = getComputedStyle(root);
  const read = (name: string): string => style.getPropertyValue(`--bv-${name}`).trim();
  const kind = (name: string): KindTokens => ({ fill: read(name), edge: read(`${name}-edge`), on: read(`${name}-on`) });
  return {
    isDark: themedRoot(root)?.dataset.theme === "dark",
    panel: read("panel"),
    soft: read("soft"),
    line: read("line"),
    ink: read("ink"),
    dim: read("dim"),
    highlight: read("highlight"),
    hover: read("hover"),
    focus: read("focus"),
    compute: read("compute"),
    computeEdge: read("compute-edge"),
    alert: read("alert"),
    alertText: read("alert-text"),
    kinds: {
      all_gather: kind("all-gather"),
      reduce_scatter: kind("reduce-scatter"),
      all_reduce: kind("all-reduce"),
      other: kind("other"),
    },
    sans: read("sans"),
    mono: read("mono"),
  };
}

// Calls back when the colours of `root` (the explorer or any element in it) may have changed.
export function onThemeChange(root: HTMLElement, callback: () => void): () => void {
  const observer = new MutationObserver(callback);
  const themed = themedRoot(root);
  if (themed !== null) observer.observe(themed, { attributes: true, attributeFilter: ["data-theme", "data-host"] });
  const forced = matchMedia("(forced-colors: active)");
  forced.addEventListener("change", callback);
  return () => {
    observer.disconnect();
    forced.removeEventListener("change", callback);
  };
}

// Keeps `root` in the asked theme, or with "auto" in that of the notebook, the editor or the system.
export function followTheme(root: HTMLElement, theme: Theme): () => void {
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const apply = (): void => {
    const host = theme === "auto" ? hostTheme(document) : null;
    root.dataset.theme = theme === "auto" ? (host?.theme ?? (prefersDark.matches ? "dark" : "light")) : theme;
    root.dataset.host = host?.name ?? "none";
  };
  apply();
  const observer = new MutationObserver(apply);
  const attributeFilter = ["class", "theme", "data-theme", "data-jp-theme-light", "data-vscode-theme-kind"];
  observer.observe(document.documentElement, { attributes: true, attributeFilter });
  observer.observe(document.body, { attributes: true, attributeFilter });
  prefersDark.addEventListener("change", apply);
  return () => {
    observer.disconnect();
    prefersDark.removeEventListener("change", apply);
  };
}

interface HostTheme {
  name: "jupyter" | "vscode" | "other";
  theme: "light" | "dark";
}

function hostTheme({ body, documentElement: html }: Document): HostTheme | null {
  if (body.dataset.jpThemeLight !== undefined) {
    return { name: "jupyter", theme: body.dataset.jpThemeLight === "false" ? "dark" : "light" };
  }
  const vscode = body.dataset.vscodeThemeKind;
  if (vscode !== undefined) return { name: "vscode", theme: /light/.test(vscode) ? "light" : "dark" };
  const said = html.getAttribute("theme") ?? html.dataset.theme ?? body.dataset.theme;
  if (said === "dark" || said === "light") return { name: "other", theme: said };
  if (html.classList.contains("dark") || body.classList.contains("dark")) return { name: "other", theme: "dark" };
  if (html.classList.contains("light") || body.classList.contains("light")) return { name: "other", theme: "light" };
  return null;
}

function themedRoot(element: HTMLElement): HTMLElement | null {
  return element.closest<HTMLElement>(".bucketviz");
}
