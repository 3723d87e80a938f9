/** Runs one suite in a process of its own. A suite that crashes, hangs or leaves something open counts as a failure. */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { startTree } from "../test/vscode.mjs";
import { root } from "./version.mjs";

/** Longest time between the last test and the end of the process. */
const exitTimeoutMs = 15_000;

/**
 * @typedef {import("../test/reporter.mjs").Results} Results
 * @typedef {import("./test-suites.mjs").Start} Start
 */

/**
 * @param {string} name
 * @param {Start} start
 * @param {(output: Buffer) => void} print gets what the suite writes
 * @returns {Promise<Results>}
 */
export async function runSuite(name, start, print) {
  // Written by test/reporter.mjs. Suites may run side by side.
  const resultsFile = path.join(root, "out", `results-${name.replace(/[ /]/g, "-")}.json`);
  await mkdir(path.dirname(resultsFile), { recursive: true });
  await rm(resultsFile, { force: true });
  const problem = await runNode(start, resultsFile, print).catch(String);
  const results = resultsIn(resultsFile);
  // Failed tests make the exit code 1, too.
  if (results.ended && (results.counts.failed > 0 || problem === undefined)) return results;
  const error = problem ?? "it ended before its tests were done";
  return {
    ended: false,
    counts: { ...results.counts, failed: results.counts.failed + 1 },
    failures: [...results.failures, { title: `The suite ${name}`, error }],
  };
}

/** @param {string} file @returns {Results} */
function resultsIn(file) {
  if (!existsSync(file)) return { ended: false, counts: { passed: 0, failed: 0, skipped: 0 }, failures: [] };
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Ends what runs. @type {Set<() => Promise<void>>} */
const stopRunning = new Set();
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.on(signal, () => Promise.all([...stopRunning].map((stop) => stop())).then(() => process.exit(130)));
}

/**
 * Ends the whole process tree, with servers and browsers that it left.
 * @param {Start} start
 * @param {string} resultsFile
 * @param {(output: Buffer) => void} print
 * @returns {Promise<string | undefined>} what went wrong
 */
async function runNode({ args, env: added, timeoutMinutes }, resultsFile, print) {
  const env = { ...process.env, RONDO_RESULTS: resultsFile, ...added };
  const { child, stop } = startTree(process.execPath, args, env);
  stopRunning.add(stop);
  child.stdout.on("data", print);
  child.stderr.on("data", print);
  /** @type {NodeJS.Timeout[]} */
  const timers = [];
  /** @type {Promise<string | undefined>} */
  const ended = new Promise((resolve) => {
    const limit = () => resolve(`it did not end within ${Math.round(timeoutMinutes)} minutes`);
    timers.push(setTimeout(limit, timeoutMinutes * 60_000));
    let doneAt = Number.POSITIVE_INFINITY;
    const watch = () => {
      if (doneAt === Number.POSITIVE_INFINITY && resultsIn(resultsFile).ended) doneAt = Date.now();
      if (Date.now() - doneAt >= exitTimeoutMs) resolve("its tests were done, but something was left open");
    };
    timers.push(setInterval(watch, 500));
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, signal) =>
      resolve(code === 0 ? undefined : `it ended with ${signal ?? `exit code ${code}`}`),
    );
  });
  const problem = await ended;
  for (const timer of timers) clearTimeout(timer);
  await stop();
  stopRunning.delete(stop);
  return problem;
}
