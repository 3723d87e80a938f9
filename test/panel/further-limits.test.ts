import assert from "node:assert/strict";
import { furtherLimits } from "../../webview/questions/further-limits.ts";

describe("further limits of a budget", () => {
  it("B2 are round numbers above what is spent; the usual one is among them", () => {
    const cases: [spent: number, next: number, least: number, limits: number[], usual: number][] = [
      [2.01, 4.01, 0.01, [3, 4, 12], 4],
      [0.5, 1, 0.01, [0.75, 1, 3], 1],
      [100.4, 101.4, 0.01, [101, 101.5, 105.5], 101.5],
      [7.63, 12.63, 0.01, [10, 12.5, 32.5], 12.5],
      [0.5, 0.51, 0.01, [0.51, 0.55], 0.51],
      [1_200_000, 2_200_000, 1000, [1_500_000, 2_000_000, 6_000_000], 2_000_000],
      [50, 1050, 1000, [1000, 5000], 1000],
    ];
    for (const [spent, next, least, limits, usual] of cases) {
      assert.deepEqual(furtherLimits(spent, next, least), { limits, usual }, `${spent} of ${next}`);
      assert.ok(limits.every((limit) => limit > spent));
    }
  });
});
