// One offline page: the payload lies in the page, the explorer fills #bucketviz.

import { h } from "../dom";
import { failureMessage, PayloadError } from "../errors";
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
  const packed = script.dataset.encoding === "gzip+base64";
  return readPayload(packed ? await unpack(text).catch(unreadable) : text);
}

function unreadable(error: unknown): never {
  throw new PayloadError(`The page's data cannot be unpacked, it may have been cut off; write it again with to_html() (${failureMessage(error)}).`);
}

export async function unpack(text: string): Promise<string> {
  const characters = atob(text.trim());
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = characters.charCodeAt(at); // a callback each takes ten times as long
  const unzipped = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(unzipped).text();
}
