/**
 * `npm test [-- SUITE… | FILE…]`: builds Rondo, runs all suites or those named, and ends with a line `N passed, N
 * failed`. A file runs in its own suite. `--grep TEXT` picks tests by title, `--write` writes the pictures of the suite
 * `pictures`. `--watch FILE…` runs files of the suite `fast` again whenever one of their modules changes.
 */
import { spawnSync } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { bringVSCode } from "../test/vscode-install.mjs";
import { useMemoryFolder } from "./memory-folder.mjs";
import { runSuite } from "./run-suite.mjs";
import { rounds, runLimitMinutes, suiteOf, suites, testFiles } from "./test-suites.mjs";
import { root } from "./version.mjs";

const { values, positionals } = parseArgs({
  options: {
    grep: { type: "string" },
    watch: { type: "boolean" },
    write: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const files = await testFiles();
const named = positionals.filter((name) => !(name in suites)).map((name) => path.relative(root, path.resolve(name)));
const unknown = named.find((name) => !files.includes(name));
if (unknown) {
  console.error(`${unknown} is neither a test file nor a suite (${Object.keys(suites).join(", ")}).`);
  process.exit(1);
}

process.chdir(root);

/** Runs a script or program of Node in this terminal. Returns whether it succeeded. */
function runHere(/** @type {string[]} */ ...args) {
  return spawnSync(process.execPath, args, { stdio: "inherit" }).status === 0;
}

if (values.watch) {
  if (named.length === 0 || named.some((file) => suiteOf(file) !== "fast")) {
    console.error("Name test files of the suite fast, for example test/loop/turn.test.ts.");
    process.exit(1);
  }
  const mocha = ["node_modules/mocha/bin/mocha.js", "--timeout", "60000"];
  runHere("--watch", "--watch-preserve-output", ...mocha, ...(values.grep ? ["--grep", values.grep] : []), ...named);
  process.exit();
}

useMemoryFolder();

const total = { passed: 0, failed: 0, skipped: 0 };
/** @type {import("../test/reporter.mjs").Failure[]} */
const failures = [];

const endsAt = Date.now() + runLimitMinutes * 60_000;

/** Whether all of a suite was asked for. @param {string} suite */
const wantsAll = (suite) => positionals.length === 0 || positionals.includes(suite);

/** Returns the files of a suite that were asked for. @param {string} suite */
const chosen = (suite) => (wantsAll(suite) ? files : named).filter((file) => suiteOf(file) === suite);

/**
 * Makes what the suites run, before they run side by side: the bundles, which are built for the VSIX too, and VS Code.
 * Returns whether it succeeded.
 */
async function prepare() {
  const needsVSIX = chosen("e2e").length > 0;
  if (needsVSIX || chosen("host").length > 0) await bringVSCode(console.log);
  return runHere(needsVSIX ? "scripts/package.mjs" : "esbuild.mjs");
}

/** Runs a suite or a part of one, if it was asked for. @param {string} row @param {(output: string | Buffer) => void} print */
async function run(row, print) {
  const [name = "", part = "1", parts = "1"] = row.split(/[ /]/);
  const start = suites[name];
  const ofRow = chosen(name).filter((_, at) => at % Number(parts) === Number(part) - 1);
  if (!start || ofRow.length === 0) return;
  print(`\n== ${row} ==\n`);
  const { grep, write } = values;
  const started = start({ files: ofRow, all: wantsAll(name), grep, write });
  const leftMinutes = (endsAt - Date.now()) / 60_000;
  const timeoutMinutes = Math.min(started.timeoutMinutes, leftMinutes);
  const results = await runSuite(row, { ...started, timeoutMinutes }, print);
  for (const kind of /** @type {const} */ (["passed", "failed", "skipped"])) total[kind] += results.counts[kind];
  failures.push(...results.failures);
}

/** Runs suites one after another. @param {readonly string[]} names @param {(output: string | Buffer) => void} print */
async function runAll(names, print) {
  for (const name of names) await run(name, print);
}

const print = (/** @type {string | Buffer} */ output) => void process.stdout.write(output);

if (await prepare()) {
  for (const [first = [], ...others] of rounds) {
    // What runs beside the first row is printed when that has ended, so that their lines do not mix.
    const rows = others.map(async (names) => {
      /** @type {(string | Buffer)[]} */
      const outputs = [];
      await runAll(names, (output) => void outputs.push(output));
      return outputs;
    });
    await runAll(first, print);
    for (const outputs of await Promise.all(rows)) for (const output of outputs) print(output);
  }
} else {
  total.failed = 1;
  console.error("The build failed.");
}
// Again at the end, where people look first.
for (const { title, error } of failures) console.log(`\nFailed: ${title}\n${error}`);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
process.exitCode = total.failed > 0 ? 1 : 0;
