// Keys, only while the focus is inside: what is handled here or in a pane goes no further than the root.

export interface Commands {
  [key: string]: (() => boolean | void) | undefined; // false: nothing was done, the key may go on
}

export function bindKeys(root: HTMLElement, commands: Commands): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented) return event.stopPropagation();
    if (event.ctrlKey || event.metaKey || event.altKey || !isForCommands(event)) return;
    const command = commands[event.key];
    if (command === undefined || command() === false) return;
    event.preventDefault();
    event.stopPropagation();
  };
  root.addEventListener("keydown", onKey);
  return () => root.removeEventListener("keydown", onKey);
}

// A key that the focused element itself needs is not a command.
function isForCommands({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest("dialog[open]") !== null) return false;
  if (target.matches("input, select, textarea")) return key === "Escape";
  if (key === "Enter" || key === " ") return !target.matches("button, summary");
  if (key === "ArrowUp" || key === "ArrowDown") return target.closest(".bv-grid") !== null || target.matches(".bucketviz");
  return true;
}
