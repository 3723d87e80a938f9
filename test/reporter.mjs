/**
 * Mocha's spec reporter, which also writes counts and failures as JSON into the file named by RONDO_RESULTS. It does so
 * after the last test, so a suite that crashed leaves no file.
 */
import { writeFileSync } from "node:fs";
import process from "node:process";
import Mocha from "mocha";

/**
 * @typedef {object} Failure
 * @property {string} title with the titles of the suites around it
 * @property {string} error message and stack
 *
 * @typedef {object} Results
 * @property {{passed: number, failed: number, skipped: number}} counts
 * @property {Failure[]} failures
 */

export default class CountingReporter extends Mocha.reporters.Spec {
  /**
   * @param {import("mocha").Runner} runner
   * @param {import("mocha").MochaOptions} options
   */
  constructor(runner, options) {
    super(runner, options);
    const file = process.env["RONDO_RESULTS"];
    if (!file) return;
    /** @type {Failure[]} */
    const failures = [];
    runner.on("fail", (test, error) => {
      failures.push({ title: test.fullTitle(), error: String(error?.stack ?? error).slice(0, 3000) });
    });
    runner.once("end", () => {
      const { passes, failures: failed, pending } = this.stats;
      /** @type {Results} */
      const results = { counts: { passed: passes, failed, skipped: pending }, failures };
      writeFileSync(file, JSON.stringify(results));
    });
  }
}
