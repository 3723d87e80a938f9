/**
 * Mocha's spec reporter, which also leaves the counts and the failures behind as JSON in the file named by RONDO_RESULTS.
 * They are written at the very end, so a suite that crashed leaves none.
 */
import { writeFileSync } from "node:fs";
import process from "node:process";
import Mocha from "mocha";

/**
 * `suite`: title of the outermost `describe`. `title`: the whole. `error`: its message and where it was thrown.
 * @typedef {{suite: string, title: string, error: string}} Failure
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
      const told = String(error?.stack ?? error).slice(0, 3000);
      failures.push({ suite: test.titlePath()[0] ?? "", title: test.fullTitle(), error: told });
    });
    runner.once("end", () => {
      const { passes, failures: failed, pending } = this.stats;
      writeFileSync(file, JSON.stringify({ counts: { passed: passes, failed, skipped: pending }, failures }));
    });
  }
}
