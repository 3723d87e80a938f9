/** Checks that no proposed API is used: the Marketplace refuses such an extension. */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { proposedApiIn } from "./stable-api.mjs";
import { root } from "./version.mjs";

const require = createRequire(import.meta.url);
const read = (/** @type {string} */ file) => readFileSync(file, "utf8");

const folders = ["src", "webview"];
const names = folders.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ts|svelte)$/.test(name))
    .map((name) => path.join(folder, name)),
);
const problems = proposedApiIn({
  manifest: JSON.parse(read(path.join(root, "package.json"))),
  typesVersion: JSON.parse(read(require.resolve("@types/vscode/package.json"))).version,
  files: names.map((name) => ({ name, text: read(path.join(root, name)) })),
});
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log("No proposed API is used.");
