import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, it } from "mocha";
import { globMatcher, splitGlob } from "../../src/tools/text/glob-pattern.ts";
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

/** Each pattern with paths that it matches, and paths that it does not. */
const globs: readonly [pattern: string, matching: string, others: string][] = [
  ["*", "a.ts .env", "a/b"],
  ["*.ts", "a.ts .ts", "a.tsx src/a.ts"],
  ["**", "a a/b a/b/c .x/y", ""],
  ["***", "a", "a/b"],
  ["**/*.ts", "a.ts a/b.ts a/b/c.ts .x/y.ts", "a.js"],
  ["src/**", "src/a src/a/b src/.a", "src lib/a"],
  ["src/**/*.ts", "src/a.ts src/a/b/c.ts", "a.ts srcx/a.ts"],
  ["**/a/**", "a/b x/a/b/c", "a b/c xa/b"],
  ["a**b", "ab axxb", "a/b"],
  ["a?c", "abc a😀c", "ac a/c abbc"],
  ["[a-c]x", "ax cx", "dx -x"],
  ["[!a-c]x", "dx", "ax /x"],
  ["[^a]x", "bx", "ax"],
  ["[]a]x", "]x ax", "bx"],
  ["[[:lower:]]nv", "env", "Env 1nv"],
  ["[[:alpha:][:digit:]_]", "a Z é 1 _", "- ."],
  ["[a\\]]", "a ]", "\\"],
  ["[z-a]x", "", "ax zx"],
  ["a[", "a[", "a"],
  ["*.{ts,tsx}", "a.ts a.tsx", "a.js a.{ts,tsx}"],
  ["{src,test}/**/*.ts", "src/a.ts test/b/c.ts", "lib/a.ts"],
  ["{a,{b,c}/d}", "a b/d c/d", "b d"],
  ["{**/a,b}", "a x/a b", "x/b"],
  ["{1..3}", "1 2 3", "0 4 1..3"],
  ["{08..10}", "08 09 10", "8 9"],
  ["{a..c}", "a b c", "d"],
  ["{a}", "{a}", "a"],
  ["{a,b", "{a,b", "a b"],
  ["@(a|b).c", "a.c b.c", ".c ab.c"],
  ["?(a)b", "b ab", "aab"],
  ["*(ab)", "ab abab", "aba"],
  ["+(ab|c)d", "abd cabd", "d"],
  ["!(*.test|*.spec).ts", "a.ts test.ts .ts", "a.test.ts a.spec.ts x/a.ts"],
  ["src/!(a)/**", "src/b/c", "src/a/c"],
  ["!*.ts", "a.js src/a.ts", "a.ts"],
  ["\\*a", "*a", "ba"],
  ["app/(shop)/x", "app/(shop)/x", "app/shop/x"],
  ["a|b", "a|b", "a b"],
];

describe("Patterns of paths", () => {
  for (const [pattern, matching, others] of globs) {
    it(`${pattern} matches ${matching || "nothing"}`, () => {
      const matches = globMatcher(pattern);
      const words = (text: string) => text.split(" ").filter((word) => word !== "");
      for (const path of words(matching)) assert.equal(matches(path), true, path);
      for (const path of words(others)) assert.equal(matches(path), false, path);
    });
  }

  it("splits a pattern after the folder before its first wildcard", () => {
    assert.deepEqual(splitGlob("/usr/**/*.ts"), { base: "/usr", rest: "**/*.ts" });
    assert.deepEqual(splitGlob("/a*"), { base: "/", rest: "a*" });
    assert.deepEqual(splitGlob("../x/@(a|b)/c"), { base: "../x", rest: "@(a|b)/c" });
    assert.deepEqual(splitGlob("../x/(a)/c"), { base: "../x/(a)/c", rest: "" });
  });

  it("mean the same to bash", () => {
    const cases = fc.sample(
      fc.tuple(ofLetters("ab*?[]^-(|)@+", 9), fc.array(ofLetters("ab]-^", 5), { minLength: 1, maxLength: 8 })),
      { numRuns: 2000, seed: 9 },
    );
    // In bash, an unclosed group or set with a `(` in it is an error or read up to the end of the text.
    const asked = cases.filter(([pattern]) => !/\*\*|[[(].*[[(]|^[^(]*[)|]|[^@?*+]\(|^\(|\([^)]*$/.test(pattern));
    assert.ok(asked.length > 300);
    const quoted = (text: string) => `'${text}'`;
    const script = asked.map(
      ([pattern, names]) =>
        `p=${quoted(pattern)}; for n in ${names.map(quoted).join(" ")}; do [[ $n == $p ]]; echo $?; done`,
    );
    const answers = execFileSync("bash", ["-O", "extglob", "-s"], { input: script.join("\n"), encoding: "utf8" });
    const expected = answers.trim().split("\n");
    const given = asked.flatMap(([pattern, names]) => names.map((name) => ({ pattern, name })));
    assert.equal(expected.length, given.length);
    for (const [at, { pattern, name }] of given.entries()) {
      assert.equal(globMatcher(pattern)(name), expected[at] === "0", `${pattern} and ${name}`);
    }
  });

  const letters = (length: number, from = "ab") =>
    Array.from({ length }, (_, at) => from[(at * at * 7 + (at >> 3)) % from.length]).join("");
  const names = Array.from({ length: 250 }, (_, at) => letters(255 - (at % 50)));
  for (const [name, pattern, paths] of [
    ["many stars", `${"*a".repeat(23)}c`, names],
    ["stars before equal letters", `${"*a".repeat(23)}c`, names.map(() => "a".repeat(255))],
    ["one star and many gaps", `*a${"?".repeat(22)}c`, names],
    ["one star and many choices", `*a${"{a,b}".repeat(22)}c`, names],
    ["folders of any number", `**/${"*a/**/".repeat(10)}c`, Array.from({ length: 16 }, () => letters(4000, "ab/"))],
    ["repeated groups", `${"+(a|aa|*(b))".repeat(7)}c`, names],
    ["nested repetitions", `${"*(".repeat(20)}a${")".repeat(20)}c`, names],
    ["a group that is excluded", "*!(*a*b?a)c", names],
    ["many words that are excluded", `*!(${names.slice(0, 3).join("|").slice(0, 900)})c`, names],
    ["many unclosed groups", "@(".repeat(10) + "(".repeat(900), names],
  ] as const) {
    // 64 KiB of names, as ripgrep hands them over at once. A regular expression would take minutes to years.
    it(`try ${name} in linear time`, () => {
      const matches = globMatcher(pattern);
      const start = performance.now();
      for (const path of paths) assert.equal(matches(path), false);
      assert.ok(performance.now() - start < 2000, "it takes too long");
    });
  }

  for (const pattern of ["a".repeat(1001), "*a".repeat(25), "?".repeat(25), "!(*a*b*c*d*e)", "!(a|!(b))"]) {
    it(`refuse ${pattern.slice(0, 20)} with the reason`, () => {
      assert.throws(() => globMatcher(pattern), SyntaxError);
    });
  }
});
