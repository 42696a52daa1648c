// One offline page: the payload lies in the page, the explorer fills #bucketviz.

import { h } from "../dom";
import { openExplorer, type Explorer } from "../shell";
import type { Theme } from "../theme";
import type { Payload } from "../types";
import { readPayload } from "../whatif/wire";

const PAYLOAD = "bucketviz-payload";
const PLACE = "bucketviz";

export async function start(): Promise<Explorer> {
  const place = document.getElementById(PLACE) ?? document.body.appendChild(h("div", { id: PLACE }));
  const explorer = await openExplorer(place, payloadOfPage, (place.dataset.theme ?? "auto") as Theme);
  const isAlone = window.parent === window; // not in a frame of a notebook, whose keys it would take
  if (isAlone && document.activeElement === document.body) place.querySelector<HTMLElement>(".bucketviz")?.focus({ preventScroll: true });
  return explorer;
}

async function payloadOfPage(): Promise<Payload> {
  const script = document.getElementById(PAYLOAD);
  if (script === null) throw new Error(`The page has no <script id="${PAYLOAD}">; write it again with to_html().`);
  const text = script.textContent ?? "";
  return readPayload(JSON.parse(script.dataset.encoding === "gzip+base64" ? await unpack(text) : text));
}

export async function unpack(text: string): Promise<string> {
  const bytes = Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
  const unzipped = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(unzipped).text();
}
