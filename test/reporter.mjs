/**
 * Mocha's spec reporter, which also leaves the counts behind as JSON in the file named by RONDO_RESULTS. They are
 * written at the very end, so a suite that crashed leaves none.
 */
import { writeFileSync } from "node:fs";
import process from "node:process";
import Mocha from "mocha";

export default class CountingReporter extends Mocha.reporters.Spec {
  /**
   * @param {import("mocha").Runner} runner
   * @param {import("mocha").MochaOptions} options
   */
  constructor(runner, options) {
    super(runner, options);
    const file = process.env["RONDO_RESULTS"];
    if (!file) return;
    runner.once("end", () => {
      const { passes, failures, pending } = this.stats;
      writeFileSync(file, JSON.stringify({ passed: passes, failed: failures, skipped: pending }));
    });
  }
}
