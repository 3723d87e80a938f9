/** Wider and narrower rules. */
import assert from "node:assert/strict";
import { step } from "../../webview/questions/rule-widening.ts";

/** Returns all patterns from this one on, in one direction. */
function way(to: "wider" | "narrower", permission: string, pattern: string, ...texts: string[]): string[] {
  const next = step(to, permission, pattern, texts);
  return next === undefined ? [] : [next, ...way(to, permission, next, ...texts)];
}

describe("widening a rule", () => {
  it("removes the last words of a command, never the first", () => {
    assert.deepEqual(way("wider", "bash", "npm test -- cart", "npm test -- cart"), [
      "npm test -- *",
      "npm test *",
      "npm *",
    ]);
    assert.deepEqual(way("narrower", "bash", "npm *", "npm test -- cart"), [
      "npm test *",
      "npm test -- *",
      "npm test -- cart",
    ]);
    assert.deepEqual(way("wider", "bash", "ls", "ls"), []);
    assert.deepEqual(way("wider", "bash", "rm *", "rm *"), []);
  });

  it("treats quoted text as one word", () => {
    assert.deepEqual(way("wider", "bash", 'git commit -m "a b; c"', 'git commit -m "a b; c"'), [
      "git commit -m *",
      "git commit *",
      "git *",
    ]);
    assert.deepEqual(way("wider", "bash", "echo 'a b' c\\ d", "echo 'a b' c\\ d"), ["echo 'a b' *", "echo *"]);
  });

  it("goes up the folders of a path, never to all files", () => {
    assert.deepEqual(way("wider", "edit", "src/a/b.ts", "src/a/b.ts"), ["src/a/*", "src/*"]);
    assert.deepEqual(way("wider", "external_directory", "/home/dev/other/x", "/home/dev/other/x"), [
      "/home/dev/other/*",
      "/home/dev/*",
    ]);
    assert.deepEqual(way("wider", "web_fetch", "https://a.dev/x/y", "https://a.dev/x/y"), [
      "https://a.dev/x/*",
      "https://a.dev/*",
    ]);
  });

  it("starts from the suggested or edited rule, for whatever text it matches", () => {
    assert.deepEqual(way("narrower", "bash", "git push *", "npm test", "git push --force origin"), [
      "git push --force *",
      "git push --force origin",
    ]);
    assert.deepEqual(way("wider", "bash", "yarn test --watch *", "npm test"), ["yarn test *", "yarn *"]);
    assert.deepEqual(way("narrower", "bash", "yarn test *", "npm test"), []);
  });
});
