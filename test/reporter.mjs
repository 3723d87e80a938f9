/**
 * Mocha's spec reporter, which also writes counts and failures as JSON into the file named by RONDO_RESULTS: after each
 * test that failed, so that a suite that crashes or hangs leaves them, too, and after the last test.
 */
import { renameSync, writeFileSync } from "node:fs";
import process from "node:process";
import Mocha from "mocha";

/**
 * @typedef {object} Failure
 * @property {string} title with the titles of the suites around it
 * @property {string} error message and stack
 *
 * @typedef {object} Results
 * @property {boolean} ended whether the last test was run
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
    const write = (/** @type {boolean} */ ended) => {
      const { passes: passed, pending: skipped } = this.stats;
      /** @type {Results} */
      const results = { ended, counts: { passed, failed: failures.length, skipped }, failures };
      // It is read meanwhile.
      writeFileSync(`${file}.new`, JSON.stringify(results));
      renameSync(`${file}.new`, file);
    };
    runner.on("fail", (test, error) => {
      failures.push({ title: test.fullTitle(), error: String(error?.stack ?? error).slice(0, 3000) });
      write(false);
    });
    runner.once("end", () => write(true));
  }
}
