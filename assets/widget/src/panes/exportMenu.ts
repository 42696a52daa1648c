// Saves what is shown: graph and timeline as pictures, the decisions as a table, the plan as JSON, the report as text.

import { button, focusedIn, h } from "../dom";
import { fileName, saveFile } from "../exports/files";
import { pngOf, svgOf, type Picture } from "../exports/picture";
import { csvOf, jsonOf } from "../exports/records";
import type { Store } from "../types";

export interface ExportMenu {
  element: HTMLElement;
  toggle: () => void;
}

export interface Pictures {
  graph: () => Picture;
  timeline: () => Picture;
}

interface Entry {
  label: string;
  note: string;
  save: (name: (suffix: string) => string) => void | Promise<void>;
}

const EDGE_PX = 8; // least room beside the menu

export function exportMenu(store: Store, pictures: Pictures, report: (error: unknown) => void): ExportMenu {
  const entries: Entry[] = [
    ...pictureEntries("Graph", pictures.graph),
    ...pictureEntries("Timeline", pictures.timeline),
    { label: "Decisions as CSV", note: "a row each", save: (name) => saveFile(csvOf(store.current), name("decisions.csv"), "text/csv") },
    { label: "Plan as JSON", note: "decisions and buckets", save: (name) => saveFile(jsonOf(store), name("plan.json"), "application/json") },
    { label: "Report as text", note: "all of it", save: (name) => saveFile(store.current.text, name("report.txt"), "text/plain") },
  ];
  const nameOf = (suffix: string): string => {
    const { title, views } = store.payload;
    return fileName(views.length > 1 ? [title, store.current.name] : [title], suffix);
  };
  const items = entries.map(({ label, note, save }) => h("button", {
    type: "button", class: "bv-menu-item", role: "menuitem", tabindex: -1, onclick: () => {
      close();
      void (async () => save(nameOf))().catch(report);
    },
  }, h("span", {}, label), h("small", {}, note)));
  const menu = h("div", { class: "bv-menu", role: "menu", "aria-label": "Export", hidden: true, onkeydown: (event: KeyboardEvent) => onKey(event) }, ...items);
  const opener = button("Export", {
    "aria-label": null, "data-key": "E", title: "Save what is shown as a file (E)", "aria-haspopup": "menu", "aria-expanded": "false", onclick: () => toggle(),
  }, "Export");
  const element = h("div", { class: "bv-menu-holder", onfocusout: (event: FocusEvent) => {
    if (!element.contains(event.relatedTarget as Node | null)) show(false);
  } }, opener, menu);

  const show = (isShown: boolean): void => {
    menu.hidden = !isShown;
    opener.setAttribute("aria-expanded", String(isShown));
    if (isShown) place();
  };
  // It ends where its button does; where that leaves too little room, it starts where the explorer does.
  const place = (): void => {
    menu.style.translate = "";
    const missing = element.closest(".bucketviz")!.getBoundingClientRect().left + EDGE_PX - menu.getBoundingClientRect().left;
    if (missing > 0) menu.style.translate = `${missing}px`;
  };
  const close = (): void => {
    show(false);
    opener.focus();
  };
  const toggle = (): void => {
    if (!menu.hidden) return close();
    show(true);
    items[0]!.focus();
  };
  const onKey = (event: KeyboardEvent): void => {
    const at = items.indexOf(focusedIn(element) as HTMLButtonElement);
    const moves: Record<string, () => void> = {
      ArrowDown: () => items[(at + 1) % items.length]!.focus(), ArrowUp: () => items[(at - 1 + items.length) % items.length]!.focus(),
      Home: () => items[0]!.focus(), End: () => items[items.length - 1]!.focus(), Escape: close,
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  };
  return { element, toggle };
}

function pictureEntries(what: string, picture: () => Picture): Entry[] {
  const note = "as shown";
  const part = what.toLowerCase();
  return [
    { label: `${what} as SVG`, note, save: (name) => saveFile(svgOf(picture()), name(`${part}.svg`), "image/svg+xml") },
    { label: `${what} as PNG`, note, save: async (name) => saveFile(await pngOf(picture()), name(`${part}.png`), "image/png") },
  ];
}
