/**
 * Mocha's spec reporter, which also leaves the counts, and which of the outermost `describe`s had failures, behind as
 * JSON in the file named by RONDO_RESULTS. They are written at the very end, so a suite that crashed leaves none.
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
    /** @type {Set<string>} */
    const failing = new Set();
    runner.on("fail", (test) => failing.add(test.titlePath()[0] ?? ""));
    runner.once("end", () => {
      const { passes, failures, pending } = this.stats;
      const counts = { passed: passes, failed: failures, skipped: pending };
      writeFileSync(file, JSON.stringify({ counts, failing: [...failing] }));
    });
  }
}
