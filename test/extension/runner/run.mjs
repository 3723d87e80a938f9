/**
 * Bundles test/extension, or the files of it that are named, and runs it in a real VS Code. `RONDO_GREP` picks tests by
 * title, `RONDO_VERBOSE` shows the whole log.
 */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { bundleForHost, runInHost } from "./host.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
/** Longest that the whole of the run may take, in ms. */
const LIMIT = 29 * 60_000;
const verbose = process.env["RONDO_VERBOSE"] !== undefined;

/**
 * Returns the path of the bundle, whose `run` the extension host calls.
 * @param {string[]} files names or paths of test files; empty: all
 */
export async function bundleTests(files = []) {
  const names = (files.length > 0 ? files : await readdir(path.join(root, "test/extension")))
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => path.basename(file, ".test.ts"))
    .sort();
  return await bundleForHost("extension-tests", "test/extension/runner/index.ts", {
    TEST_FILES: JSON.stringify(names),
  });
}

async function runTests() {
  return await runInHost({
    bundle: await bundleTests(process.argv.slice(2)),
    limitMs: LIMIT,
    // They bring models, tools, a debugger and a test, as other extensions do.
    extensions: ["lm-extension", "workbench-extension"].map((name) => path.join(root, "test/extension", name)),
    print: (...line) => {
      const [first] = line;
      if (verbose || (typeof first === "string" && first.startsWith("│"))) console.log(...line);
    },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!existsSync(path.join(root, "dist/extension.cjs"))) throw new Error("Build first: npm run build");
  process.exitCode = await runTests();
}
