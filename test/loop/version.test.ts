import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { version } from "../../src/base/version.ts";

it("the version sent to others is that of package.json", () => {
  assert.equal(version, JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version);
});
