/**
 * Checks that names stand alone in "Go to symbol" and in stack traces: in src and webview no type name is declared in
 * several files, and no file name occurs three times. Excepted are a component's `Props`, and the files that are
 * shipped as `dist/loop.d.ts`: they stand alone, so they repeat names of the public SDK.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { root } from "./version.mjs";

const declaration =
  /^\s*(?:export\s+)?(?:declare\s+)?(?:abstract\s+)?(?:interface|type|class|enum)\s+([A-Z]\w*)\b(?!\s*,)(?=[\s<={])/gm;

const shippedTypes = /(\.d|query-types|sdk-types)\.ts$/;

const files = ["src", "webview"].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(ts|svelte)$/.test(file) && !shippedTypes.test(file))
    .map((file) => path.join(folder, file)),
);

const filesByType = Map.groupBy(
  files.flatMap((file) => [...typesIn(file)].map((name) => ({ name, file }))),
  ({ name }) => name,
);
const filesByName = Map.groupBy(files, (file) => path.basename(file));

const problems = [
  ...[...filesByType]
    .filter(([, found]) => found.length > 1)
    .map(([name, found]) => `The type ${name} is declared in ${found.map(({ file }) => file).join(", ")}`),
  ...[...filesByName]
    .filter(([, found]) => found.length > 2)
    .map(([name, found]) => `${found.length} files are named ${name}: ${found.join(", ")}`),
];
for (const problem of problems.sort()) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${filesByType.size} type names, each declared in one file.`);

/** @param {string} file */
function typesIn(file) {
  const found = readFileSync(path.join(root, file), "utf8").matchAll(declaration);
  const names = new Set([...found].map(([, name = ""]) => name));
  if (file.endsWith(".svelte")) names.delete("Props");
  return names;
}
