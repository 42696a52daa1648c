// Bundles src/main.ts into the one file that Python ships, and refuses a bundle that could not be inlined.
// A module whose `start` keeps its name although all is minified: a page that holds the text calls start().

import { readFile, stat } from "node:fs/promises";
import { build, transform } from "esbuild";

const OUTFILE = "../../bucketviz/explorer/static/widget.js";
const BUDGET_BYTES = 300_000;

const cssAsText = {
  name: "css-as-text",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true });
      return { contents: code.trim(), loader: "text" };
    });
  },
};

await build({
  entryPoints: ["src/main.ts"],
  outfile: OUTFILE,
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "bucketviz",
  define: { "import.meta.url": "BUNDLE_URL" },
  banner: { js: "const BUNDLE_URL=import.meta.url;" },
  footer: { js: "export const start=bucketviz.start;export default bucketviz.default;" },
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  plugins: [cssAsText],
});

const text = await readFile(OUTFILE, "utf8");
if (/<\/script|<!--/i.test(text)) throw new Error(`${OUTFILE} holds "</script" or "<!--" and cannot be inlined.`);
const { size } = await stat(OUTFILE);
if (size > BUDGET_BYTES) throw new Error(`${OUTFILE} has ${size} bytes; the budget is ${BUDGET_BYTES}.`);
console.log(`${OUTFILE}: ${size} bytes of ${BUDGET_BYTES}`);
