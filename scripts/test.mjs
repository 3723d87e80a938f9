/**
 * `npm test`: builds, runs the suites named on the command line (all, when none is), and ends with one line,
 * `N passed, N failed`. `--grep TEXT` picks tests by title, `--runs N` says how many random sessions are played. A suite that crashes, hangs or leaves something open counts
 * as a failure.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startTree } from "../test/vscode.mjs";
import { makeVSIX } from "./vsix.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const out = path.join(root, "out");
/** How long a suite may take to end after its last test, in ms. */
const GRACE = 15_000;

const { values, positionals } = parseArgs({
  options: { grep: { type: "string" }, runs: { type: "string" } },
  allowPositionals: true,
});

const mocha = (/** @type {string[]} */ files, /** @type {number} */ timeout, grep = values.grep) => [
  path.join(root, "node_modules/mocha/bin/mocha.js"),
  ...["--reporter", path.join(root, "test/reporter.mjs"), "--timeout", String(timeout)],
  ...(grep ? ["--grep", grep] : []),
  ...files,
];

/** Folders whose tests start processes or a real VS Code, or are run by scripts of their own. */
const apart = ["headless", "query", "mcp", "checkpoints", "fuzz", "extension", "e2e", "streams", "bench"];

/**
 * `start` says what Node is started with, undefined where there is nothing to run. `grep` picks tests by title.
 * `again`: it starts processes, servers or a whole VS Code, where a busy machine can make a test fail that is sound; what
 * fails is tried once more, by itself, and the end says so.
 * @typedef {{args: string[], env?: Record<string, string>}} Start
 * @typedef {{minutes: number, again?: true, start: (grep: string | undefined) => Promise<Start | undefined>}} Suite
 * @typedef {{passed: number, failed: number, skipped: number}} Counts
 * @typedef {import("../test/reporter.mjs").Failure} Failure
 */

/** @type {Record<string, Suite>} */
const suites = {
  fast: {
    minutes: 5,
    start: async () => {
      const files = (await testFiles("test")).filter((file) => !apart.includes(file.split(path.sep)[1] ?? ""));
      const fast = files.filter((file) => !isBrowserTest(file));
      return { args: [...mocha(fast, 10_000), "--parallel", "--jobs", "2"] };
    },
  },
  headless: {
    minutes: 10,
    again: true,
    start: async (grep) => {
      const folders = await Promise.all(
        ["query", "headless", "mcp", "checkpoints"].map((name) => testFiles(`test/${name}`)),
      );
      return { args: mocha(folders.flat(), 20_000, grep) };
    },
  },
  fuzz: {
    minutes: values.runs ? 240 : 15,
    start: async () => ({
      args: mocha(await testFiles("test/fuzz"), 20_000),
      ...(values.runs && { env: { RONDO_FUZZ_RUNS: values.runs } }),
    }),
  },
  panel: {
    minutes: 5,
    again: true,
    start: async (grep) => ({ args: mocha((await testFiles("test")).filter(isBrowserTest), 60_000, grep) }),
  },
  host: {
    minutes: 12,
    again: true,
    start: async (grep) => ({ args: ["test/extension/runner/run.mjs"], ...(grep && { env: { RONDO_GREP: grep } }) }),
  },
  e2e: {
    minutes: 25,
    again: true,
    start: async (grep) => {
      const files = await testFiles("test/e2e");
      if (files.length === 0) return undefined;
      return { args: mocha(files, 120_000, grep), env: { RONDO_VSIX: await makeVSIX() } };
    },
  },
};

/** The panel alone, in Chromium. */
const isBrowserTest = (/** @type {string} */ file) => file.endsWith(".browser.test.ts");

async function testFiles(/** @type {string} */ folder) {
  const entries = existsSync(path.join(root, folder))
    ? await readdir(path.join(root, folder), { recursive: true })
    : [];
  return entries
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => path.join(folder, file))
    .sort();
}

/** Failures of one suite that are tried again; more of them are no matter of a busy machine. */
const MOST_AGAIN = 6;

/** @returns {Promise<Counts & {failures: Failure[]}>} */
async function runSuite(/** @type {string} */ name, /** @type {Suite} */ suite) {
  const first = await runOnce(name, suite, values.grep);
  const suites = [...new Set(first.failures.map((failure) => failure.suite))];
  if (!suite.again || first.failed === 0 || first.failed > MOST_AGAIN || suites.length === 0) return first;
  const escaped = suites.map((title) => title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const second = await runOnce(`${name}, once more: ${suites.join(", ")}`, suite, `^(?:${escaped.join("|")}) `);
  if (second.failed > 0) return { ...first, failed: second.failed, failures: second.failures };
  onlyAgain.push(...first.failures.map(({ title }) => `${name}: ${title}`));
  return { ...first, passed: first.passed + first.failed, failed: 0, failures: [] };
}

/** Titles of tests that passed only when they were tried once more. @type {string[]} */
const onlyAgain = [];

/** @returns {Promise<Counts & {failures: Failure[]}>} */
async function runOnce(/** @type {string} */ name, /** @type {Suite} */ suite, /** @type {string | undefined} */ grep) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  /** @type {Failure[]} */
  let failures = [];
  console.log(`\n== ${name} ==`);
  const results = path.join(out, "results.json");
  await rm(results, { force: true });
  let problem;
  try {
    const start = await suite.start(grep);
    if (!start) return { ...counts, failures };
    problem = await runNode(start, results, suite.minutes);
    if (existsSync(results)) {
      const told = JSON.parse(await readFile(results, "utf8"));
      Object.assign(counts, told.counts);
      failures = told.failures;
    } else problem ??= "it ended before its tests were done";
  } catch (error) {
    problem = String(error);
  }
  // Tests that failed say so themselves, and make the exit code one.
  if (problem && counts.failed === 0) {
    counts.failed = 1;
    failures.push({ suite: "", title: `The suite ${name}`, error: problem });
  }
  return { ...counts, failures };
}

/** @returns {Promise<string | undefined>} what went wrong, undefined when it ended well */
async function runNode(
  /** @type {Start} */ { args, env: more },
  /** @type {string} */ results,
  /** @type {number} */ minutes,
) {
  const env = { ...process.env, RONDO_RESULTS: results, ...(values.grep && { RONDO_GREP: values.grep }), ...more };
  const { child, stop } = startTree(process.execPath, args, env);
  stopSuite = stop;
  child.stdout.pipe(process.stdout, { end: false });
  child.stderr.pipe(process.stderr, { end: false });
  /** @type {NodeJS.Timeout | undefined} */
  let limit;
  /** @type {NodeJS.Timeout | undefined} */
  let watch;
  /** @type {Promise<string | undefined>} */
  const ended = new Promise((resolve) => {
    limit = setTimeout(() => resolve(`it did not end within ${minutes} minutes`), minutes * 60_000);
    let waited = 0;
    watch = setInterval(() => {
      waited = existsSync(results) ? waited + 500 : 0;
      if (waited >= GRACE) resolve("its tests were done, but something was left open");
    }, 500);
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, signal) =>
      resolve(code === 0 ? undefined : `it ended with ${signal ?? `exit code ${code}`}`),
    );
  });
  const problem = await ended;
  clearInterval(watch);
  clearTimeout(limit);
  // Whatever it started and did not end: servers, browsers.
  await stop();
  return problem;
}

/** @type {() => Promise<void>} what ends the suite that runs */
let stopSuite = async () => {};
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.on(signal, () => stopSuite().then(() => process.exit(130)));
}

const unknown = positionals.find((name) => !(name in suites));
if (unknown) throw new Error(`There is no suite ${unknown}, only ${Object.keys(suites).join(", ")}.`);
await mkdir(out, { recursive: true });
const total = { passed: 0, failed: 0, skipped: 0 };
/** @type {Failure[]} */
const failures = [];
const build = spawnSync(process.execPath, ["esbuild.mjs"], { cwd: root, stdio: "inherit" });
if (build.status === 0) {
  for (const [name, suite] of Object.entries(suites)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const counts = await runSuite(name, suite);
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
    failures.push(...counts.failures);
  }
} else {
  console.error("The build failed.");
  total.failed = 1;
}
// Once more at the end, where one looks first.
for (const { title, error } of failures) console.log(`\nFailed: ${title}\n${error}`);
for (const title of onlyAgain) console.log(`Passed only at the second try: ${title}`);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
process.exitCode = total.failed > 0 ? 1 : 0;
