// A file that the browser saves, under a name that every system takes.

const MOST_NAME = 60;

export function saveFile(content: string | Blob, name: string, type: string): void {
  const address = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link); // Firefox follows only what is in the page
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

// "bucketviz-llama-forward.graph.svg"
export function fileName(parts: readonly string[], suffix: string): string {
  return `${["bucketviz", ...parts.map(safePart).filter((part) => part !== "")].join("-")}.${suffix}`;
}

function safePart(part: string): string {
  return part.normalize("NFKD").replace(/[^A-Za-z0-9_.]+/g, "-").replace(/^[-.]+|[-.]+$/g, "").slice(0, MOST_NAME);
}
