/** Matchers of hooks fit the names they are written for, and take no long time for any name. */
import assert from "node:assert/strict";
import { matcherOf, namesOf } from "../../src/project/hook-matcher.ts";
import { stopwatch } from "../timing.ts";

describe("matchers of hooks", () => {
  const fits = (matcher: string, tool: string) => matcherOf(matcher)(namesOf("PreToolUse", tool));

  for (const [matcher, tool, expected] of [
    ["", "bash", true],
    ["*", "mcp__x__y", true],
    ["Bash", "bash", true],
    ["bash", "bash", true],
    ["Bas", "bash", false],
    ["Bash|Edit", "edit", true],
    ["Bash | Edit", "edit", true],
    ["Bash|Edit", "read", false],
    ["MultiEdit", "edit", true],
    ["MultiEdit", "multi_edit", true],
    ["Edit", "multi_edit", true],
    ["Edit|Write", "apply_patch", true],
    ["Task", "task", true],
    ["Agent", "task", true],
    ["WebFetch", "web_fetch", true],
    ["TodoWrite", "todo_write", true],
    ["Notebook.*", "notebook_edit", true],
    ["^(Edit|Write)$", "write", true],
    ["^Web", "web_fetch", true],
    ["Ed.t", "edit", true],
    ["mcp__memory__.*", "mcp__memory__save", true],
    ["mcp__memory__.*", "mcp__other__save", false],
    ["mcp__x__y", "mcp__x__y", true],
    ["mcp__x", "mcp__x__y", false],
  ] as const) {
    it(`K4 "${matcher}" ${expected ? "fits" : "does not fit"} ${tool}`, () => {
      assert.equal(fits(matcher, tool), expected);
    });
  }

  it("K4 a source, trigger or agent is matched literally", () => {
    assert.deepEqual(namesOf("SessionStart", "resume"), ["resume"]);
    assert.equal(matcherOf("startup|resume")(namesOf("SessionStart", "resume")), true);
    assert.equal(matcherOf("Task")(namesOf("SubagentStart", "task")), false);
  });

  for (const matcher of [
    "(a+)+$",
    "(a*)*b",
    "((a|b)c?)*d",
    "(a|a)+$",
    "([a-z]+)*.x",
    "(.*a){20}",
    "(?:x+x+)+y",
    "(\\w+\\s?)*$",
    "(a?){30}a",
    "(x)\\1",
    "(?<n>x)\\k<n>",
    ".*.*.*.*.*x",
    `${"a?".repeat(40)}b`,
    "x".repeat(600),
    "[",
    "(?<=",
  ]) {
    it(`K4 rejects ${JSON.stringify(matcher.slice(0, 30))} as a matcher`, () => {
      assert.throws(() => matcherOf(matcher), SyntaxError);
    });
  }

  it("K4 accepted matchers are fast on the worst names", () => {
    const name = `mcp__${"a".repeat(59)}`;
    for (const matcher of [".*.*.*.*b", "a*a*a*a*b", "^(a|b|c)?.*(x|y)$", "[a-z]+_[a-z]+!", "(mcp__.*)?x{1,50}!"]) {
      const matches = matcherOf(matcher);
      const elapsed = stopwatch();
      assert.equal(matches([name]), false);
      assert.ok(elapsed() < 500, matcher);
    }
  });

  it("K4 an expression fits every name that is longer than providers accept, without trying it", () => {
    for (const length of [65, 100_000]) {
      const name = "a".repeat(length);
      const elapsed = stopwatch();
      for (const matcher of ["a*a*a*a*b", "^mcp__", "Ed.t"]) assert.equal(fits(matcher, name), true, matcher);
      assert.ok(elapsed() < 500);
      for (const matcher of ["Bash", "Bash|Edit"]) assert.equal(fits(matcher, name), false, matcher);
    }
    assert.equal(fits("^mcp__", "a".repeat(64)), false);
  });
});
