import { expect, test } from "vitest";
import { unpack } from "./standalone";

async function pack(text: string): Promise<string> {
  const zipped = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(zipped).arrayBuffer());
  return btoa(String.fromCharCode(...bytes));
}

test("a gzipped payload comes back as it was", async () => {
  const text = JSON.stringify({ title: "größer ≥ 25 MiB" });
  expect(await unpack(` ${await pack(text)}\n`)).toBe(text);
});
