// An error is shown where the picture is, never only in a console.

import { button, h } from "./dom";
import { icon } from "./glyphs";

// What was handed over cannot be shown.
export class PayloadError extends Error {
  override name = "PayloadError";
}

export function failureMessage(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

// A strip that tells of errors; one that repeats is told once.
export function errorStrip(): { element: HTMLElement; report: (error: unknown) => void } {
  const element = h("div", { class: "bv-errors", role: "alert" });
  const told = new Set<string>();
  const report = (error: unknown): void => {
    const message = failureMessage(error);
    if (told.has(message)) return;
    told.add(message);
    const line = h("p", {}, icon("alert"), h("span", {}, `bucketviz: ${message}`), button("Dismiss", { class: "bv-button bv-text-button", onclick: () => {
      told.delete(message);
      line.remove();
    } }));
    element.append(line);
    console.error(error);
  };
  return { element, report };
}

// Reports what this bundle (`home`), or what it calls, throws later: in a listener, a frame, a promise.
export function watchErrors(report: (error: unknown) => void, home = import.meta.url): () => void {
  const isOurs = (error: unknown): boolean => error instanceof Error && (error.stack ?? "").includes(home);
  const onError = (event: ErrorEvent): void => {
    if (event.filename === home || isOurs(event.error)) report(event.error ?? event.message);
  };
  const onRejection = ({ reason }: PromiseRejectionEvent): void => {
    if (isOurs(reason)) report(reason);
  };
  window.addEventListener("error", onError);
  window.addEventListener("unhandledrejection", onRejection);
  return () => {
    window.removeEventListener("error", onError);
    window.removeEventListener("unhandledrejection", onRejection);
  };
}
