import assert from "node:assert/strict";
import type { Preview } from "../../src/chat/requests.ts";
import { whereItIs } from "../../webview/questions/call-place.ts";
import * as f from "./fixtures.ts";

const diff = (path: string) => ({ path, added: 1, removed: 0, patch: "" });
const deletion = (...paths: string[]): Preview => ({
  type: "deletion",
  files: paths.map((path) => ({ path, inGit: true })),
  copy: "",
});

describe("where a call does its work", () => {
  const cases: [what: string, preview: Preview, words: string][] = [
    ["a command", f.command(), "In tinyshop, with bash, for 2 minutes at most."],
    ["an edit", { type: "diff", diff: diff("src/cart.ts") }, "In tinyshop/src."],
    ["an edit in the folder itself", { type: "diff", diff: diff("README.md") }, "In tinyshop."],
    ["edits", { type: "diffs", diffs: [diff("src/a/b.ts"), diff("src/a/c/d.ts")] }, "In tinyshop/src/a."],
    ["an edit outside", { type: "diff", diff: diff("/etc/hosts") }, ""],
    ["deletions", deletion("src/export/csv.ts", "src/export/notes.md"), "In tinyshop/src/export."],
    ["deletions with whole paths", deletion(`${f.cwd}/src/a.ts`, `${f.cwd}/lib/b.ts`), "In tinyshop."],
    ["deletions, one of them outside", deletion("src/a.ts", "../b.ts"), ""],
    ["a path outside", { type: "path", path: "/x/y", outside: { start: 0, end: 4 } }, "The workspace is tinyshop."],
    ["a file with secrets", { type: "secret", path: ".env", names: [] }, "In tinyshop. It may hold secrets."],
    ["secrets outside", { type: "secret", path: "/x/.env", names: [] }, "It may hold secrets."],
    [
      "a tool of a server",
      { type: "arguments", server: "github", tool: "a", claim: "", input: {} },
      "A tool of the MCP server github.",
    ],
    [
      "a tool of an extension",
      { type: "arguments", server: "", tool: "a", claim: "", input: {} },
      "A tool of VS Code or of another extension.",
    ],
    ["a page, which its address names", { type: "page", url: "https://a.b", sent: "" }, ""],
  ];
  for (const [what, preview, words] of cases) {
    it(what, () => assert.equal(whereItIs(preview, f.cwd), words));
  }
});
