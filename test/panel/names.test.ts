/** The names that docs/panel.md promises. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";

describe("docs/panel.md", () => {
  it("gives the names that the panel's elements have", () => {
    const sources = globSync(["webview/**/*.{svelte,ts}", "src/chat/*.ts", "src/extension/outside/*.ts"]).map((file) =>
      readFileSync(file, "utf8"),
    );
    const words = sources.join("\n");
    const names = [...readFileSync("docs/panel.md", "utf8").matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name);
    assert.ok(names.length > 40);
    // "Mode: …" stands for the button's name and its value.
    assert.deepEqual(
      names
        .map((name) => name.replace(/:? ?…$/, "").replace(/^… /, ""))
        .filter((name) => name !== "@" && !words.includes(name)),
      [],
    );
  });
});
