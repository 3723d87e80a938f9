import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import { wildcardMatcher, wildcardMatcherAfter } from "../../src/tools/text/wildcard.ts";

const ofLetters = (letters: string, maxLength: number) =>
  fc.array(fc.constantFrom(...letters), { maxLength }).map((all) => all.join(""));

describe("Wildcards of permission rules", () => {
  it("match as the equal regular expression does", () => {
    fc.assert(
      fc.property(ofLetters("ab *?.", 8), ofLetters("ab .\n", 10), (pattern, text) => {
        const isOptional = pattern.endsWith(" *");
        const source = (isOptional ? pattern.slice(0, -2) : pattern)
          .replaceAll(".", "\\.")
          .replace(/\*+/g, ".*")
          .replaceAll("?", ".");
        const expression = `${source}${isOptional ? "(?: .*)?" : ""}`;
        assert.equal(wildcardMatcher(pattern)(text), new RegExp(`^${expression}$`, "s").test(text));
        const isSpace = (character: number) => character === 32;
        const within = new RegExp(`(?:^| )${expression}`, "s").test(text);
        assert.equal(wildcardMatcherAfter(isSpace, pattern)(text), within);
      }),
      { numRuns: 3000 },
    );
  });

  it("take a character outside the basic plane for one", () => {
    assert.equal(wildcardMatcher("a?b")("a😀b"), true);
    assert.equal(wildcardMatcher("a😀*")("a😀b"), true);
    assert.equal(wildcardMatcher("a\ud83d*")("a😀b"), false);
  });

  for (const [name, pattern, text] of [
    ["many stars", `${"*a".repeat(200)}b`, "a".repeat(50_000)],
    ["many stars and gaps", `${"*?".repeat(200)}b`, "acdefgh".repeat(7000)],
    ["stars before different characters", `${"*a*b".repeat(100)}c`, "aab".repeat(16_000)],
    ["stars in a row", `${"*".repeat(5000)}b`, "a".repeat(50_000)],
    ["stars between spaces", `${"* ".repeat(200)}*x *`, "a ".repeat(25_000)],
  ] as const) {
    // A regular expression would need longer than the test runs; linear time takes some milliseconds.
    it(`try ${name} on a long text in linear time`, () => {
      assert.equal(wildcardMatcher(pattern)(text), false);
      assert.equal(wildcardMatcherAfter((character) => character === 32, pattern)(text), false);
    });
  }
});
