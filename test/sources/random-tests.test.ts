/** Random tests have no seeds of their own, and each failed seed belongs to a test. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import failedSeeds from "../failed-seeds.json" with { type: "json" };

const root = path.join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

describe("random tests", () => {
  it("get their seeds from test/random.ts alone", () => {
    const files = readdirSync(path.join(root, "test"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".test.ts") && path.basename(file) !== path.basename(import.meta.filename))
      .map((file) => path.join("test", file));
    assert.ok(files.length > 100);
    const own = files.filter((file) =>
      /Math\.random|configureGlobal|Date\.now\(\) %|(?:numRuns|fc)\b[^;]*\bseed\b/.test(read(file)),
    );
    assert.deepEqual(own, []);
  });

  it("that have failed play those seeds in each run", () => {
    for (const { file, test, seed, path: place, why } of failedSeeds) {
      const titles = [...read(file).matchAll(/randomly\(\s*(["'`])(.*)\1/g)].map(([, , title = ""]) => title);
      const pieces = (title: string) =>
        title.split(/\$\{.*?\}/).map((text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&"));
      const isNamed = (title: string) => new RegExp(`^${pieces(title).join(".+")}$`).test(test);
      assert.equal(titles.filter(isNamed).length, 1, `${file} has one random test "${test}"`);
      assert.ok(Number.isInteger(seed) && /^$|^\d+(:\d+)+$/.test(place) && why.endsWith("."));
    }
  });
});
