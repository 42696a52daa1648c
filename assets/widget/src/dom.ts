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

// Makes `old` say what `next` says. What is equal stays, so that the page need not lay it out again, and so does who
// listens to `old`.
export function renew(old: Element, next: Element): void {
  for (const { name } of [...old.attributes]) if (!next.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of [...next.attributes]) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  renewChildren(old, [...next.childNodes]);
}

export function renewChildren(parent: Element, wanted: readonly ChildNode[]): void {
  const held = [...parent.childNodes];
  if (held.length !== wanted.length) return parent.replaceChildren(...wanted);
  held.forEach((child, at) => {
    if (!child.isEqualNode(wanted[at]!)) child.replaceWith(wanted[at]!);
  });
}

export function button(label: string, props: Props, ...children: Child[]): HTMLButtonElement {
  const content = children.length > 0 ? children : [label];
  return h("button", { type: "button", class: "bv-button", "aria-label": label, title: label, ...props }, ...content);
}

export function setPressed(element: Element, isPressed: boolean): void {
  element.setAttribute("aria-pressed", String(isPressed));
}

// What has the focus in the document or shadow tree of an element.
export function focusedIn(element: Element): Element | null {
  return (element.getRootNode() as Document | ShadowRoot).activeElement;
}
