/**
 * Checks that each job of GitHub's workflows that runs tests has the time that these may take, so that a suite that
 * hangs is ended by its own limit, which says which one it was.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parse } from "yaml";
import { runLimitMinutes } from "./test-suites.mjs";
import { root } from "./version.mjs";

/** For the other steps of a job: packages, browsers, checks. */
const otherMinutes = 15;

/** @typedef {{"timeout-minutes"?: number, steps?: {run?: string}[]}} Job */

const folder = path.join(root, ".github/workflows");
const problems = [];
for (const file of readdirSync(folder)) {
  /** @type {{jobs: Record<string, Job>}} */
  const { jobs } = parse(readFileSync(path.join(folder, file), "utf8"));
  for (const [name, job] of Object.entries(jobs)) {
    const commands = (job.steps ?? []).flatMap(({ run = "" }) => run.split("\n"));
    const needed = otherMinutes + commands.reduce((sum, command) => sum + minutesOf(command), 0);
    // GitHub's own limit is six hours.
    const given = job["timeout-minutes"] ?? 360;
    if (needed > otherMinutes && given < needed) {
      problems.push(`${file}: the job ${name} has ${given} minutes; its tests may take ${needed}`);
    }
  }
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log("The workflows leave the tests their time.");

/** Returns the minutes after which a command's tests are ended; 0 for a command that runs none. */
function minutesOf(/** @type {string} */ command) {
  return /\bnpm test\b|scripts\/test\.mjs/.test(command) ? runLimitMinutes : 0;
}
