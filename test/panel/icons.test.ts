/** The icons of the panel's font: those that are used, and no others. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { iconNames } from "../../webview/controls/icons.ts";

const files = globSync("webview/**/*.{svelte,ts,css}").filter((file) => !file.endsWith("icons.ts"));
const others = ["src/extension/starters/starters.ts", "src/chat/tool-cards.ts"];
const sources = [...files, ...others].map((file) => readFileSync(file, "utf8"));

describe("icons of the panel", () => {
  it("are all used, so that the font has none too many", () => {
    const text = sources.join("\n");
    assert.deepEqual(
      iconNames.filter((name) => !text.includes(`"${name}"`)),
      [],
    );
  });

  it("are drawn by Icon alone, whose names are checked by their type, or in a style sheet by the code of one of them", () => {
    for (const [at, text] of sources.entries()) {
      if (!files[at]?.endsWith("Icon.svelte")) assert.doesNotMatch(text, /codicon-[a-z{$]/, files[at]);
    }
    const sheet = readFileSync("node_modules/@vscode/codicons/dist/codicon.css", "utf8");
    const codes = iconNames.map((name) => sheet.split(`.codicon-${name}:before { content: "\\`)[1]?.split('"')[0]);
    for (const text of sources) {
      for (const [, code] of text.matchAll(/content: "\\(e[0-9a-f]{3})"/g)) assert.ok(codes.includes(code), code);
    }
  });
});
