// Elements in one call. Text only ever becomes a text node, so a name with markup in it is shown, not run.

export type Child = Node | string | null;
type Handler = (event: never) => void;
export type Props = Record<string, string | number | boolean | Handler | null>;

const SVG = "http://www.w3.org/2000/svg";

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return dressed(document.createElement(tag), props, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return dressed(document.createElementNS(SVG, tag), props, children);
}

// A function is a listener ("onclick"); true is an empty attribute; false and null leave it out.
function dressed<E extends Element>(element: E, props: Props, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as unknown as EventListener);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null));
  return element;
}

export function button(label: string, props: Props, ...children: Child[]): HTMLButtonElement {
  const content = children.length > 0 ? children : [label];
  return h("button", { type: "button", class: "bv-button", "aria-label": label, title: label, ...props }, ...content);
}

export function setPressed(element: Element, isPressed: boolean): void {
  element.setAttribute("aria-pressed", String(isPressed));
}
