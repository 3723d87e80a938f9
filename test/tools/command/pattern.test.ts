// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language of the shell
/** Patterns of words that are known in part match at least what bash's wildcards and braces match (T8). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import {
  escaped,
  expandBraces,
  holdsMark,
  isWholly,
  isWild,
  marks,
  patternMatcher,
  unescaped,
} from "../../../src/tools/command/shell/pattern.ts";
import { globMatcher } from "../../../src/tools/text/glob-pattern.ts";
import { randomly } from "../../random.ts";

/** What a pattern matches and what not. Locales and options of a shell decide the rest. */
const matches: readonly [pattern: string, texts: readonly string[], others: readonly string[]][] = [
  ["abc", ["abc", "ABC"], ["ab", "abcd", "xabc", ""]],
  ["a*c", ["ac", "abc", "axxc"], ["a/c", "acx"]],
  ["a?c", ["abc"], ["ac", "a/c", "abbc"]],
  ["a\\*c", ["a*c"], ["abc", "a\\*c"]],
  ["a\\", ["a\\"], ["a"]],
  ["\\a", ["a"], ["\\a"]],
  ["[abc]", ["a", "b", "c", "B"], ["d", "", "ab", "/"]],
  ["[!abc]", ["d", "A", "-"], ["a", "b", "/"]],
  ["[^a]b", ["cb"], ["ab", "b"]],
  ["[a-c]x", ["ax", "bx", "cx", "Bx", "éx", "-x"], ["dx", "zx", "1x"]],
  ["[!a-c]x", ["dx", "1x", "éx", "Bx"], ["ax", "bx", "cx"]],
  ["[A-C]", ["A", "b"], ["d"]],
  ["[0-9]", ["0", "5", "9"], ["a"]],
  ["[!0-9]", ["a", "-"], ["0", "5", "9"]],
  ["[a-Z]", ["m", "5", "_"], ["", "ab"]],
  ["[!a-Z]", ["m", "5"], [""]],
  ["[a-]", ["a", "-"], ["b"]],
  ["[]a]", ["]", "a"], ["b"]],
  ["[!]a]", ["b"], ["]", "a"]],
  ["[a\\]b]", ["a", "]", "b", "\\"], ["c"]],
  ["[\\a]", ["a", "\\"], ["b"]],
  ["[!\\a]", ["b", "\\"], ["a"]],
  ["[a", ["[a"], ["a"]],
  ["[a/b]", ["[a/b]"], ["a", "b"]],
  ["[[:lower:]]", ["a", "A", "é"], ["1", "-"]],
  ["[![:lower:]]", ["1", "A", "é"], ["a", "z"]],
  ["[[:upper:]x]", ["A", "a", "x"], ["1"]],
  ["[[:digit:]]", ["5"], ["a"]],
  ["[![:digit:]]", ["a"], ["5"]],
  ["[[:alnum:]]", ["a", "5"], ["-"]],
  ["[[:alpha:]]", ["a", "Z"], ["5"]],
  ["[[:blank:]]", [" ", "\t"], ["a"]],
  ["[[:cntrl:]]", ["\u0001"], ["a"]],
  ["[[:graph:]]", ["!", "~"], [" "]],
  ["[[:print:]]", [" ", "~"], ["\u0001"]],
  ["[[:punct:]]", ["!", "-", "@", "[", "{"], ["a", "5"]],
  ["[[:space:]]", [" ", "\n"], ["a"]],
  ["[[:xdigit:]]", ["f", "F", "5"], ["g"]],
  ["[[:word:]]", ["_", "a"], ["-"]],
  ["[[:ascii:]]", ["a", "~"], []],
  ["[[:none:]]", ["a", "5"], [""]],
  ["[[=a=]]", ["a", "A", "á"], ["b"]],
  ["[![=a=]]", ["b", "á"], ["a"]],
  ["[[.a.]]", ["a"], ["b", "á"]],
  ["[[.hyphen.]]", ["-", "x"], [""]],
  ["[[.a.]-c]", ["b", "x"], [""]],
  // bash reads on to the second bracket where the class does not match.
  ["[[=a=]]|]", ["]", "a|]"], []],
  [".[[=x=]]e]nv", [".env", ".xe]nv"], []],
  ["[a[:]x]", ["a", "[x]"], []],
  ["[[=a=]*-[=a=]", ["["], []],
  ["[.[=a=]--[:alpha:]", ["["], []],
  ["[ab\\[.x]y]", ["a"], []],
  ["@(x|[[=a=]]e])", ["x", "e"], []],
  ["b@(x[.[:a", ["b@(x[.[:a", "bx["], ["a"]],
  ["[[:alpha:]-]*[0-9]", ["a-5", "-5"], ["a", "5"]],
  ["[[=a=]-]b", ["ab", "-b"], ["b", "c"]],
  ["[[x]", ["[", "x"], ["a"]],
  ["[[:]", ["[", ":"], []],
  ["@(a|b)", ["a", "b"], ["", "ab", "c"]],
  ["?(a|b)c", ["c", "ac"], ["abc", "a"]],
  ["*(a|b)c", ["c", "abac"], ["xc"]],
  ["+(a|b)c", ["ac", "bbc"], ["c", "xc"]],
  ["!(a)b", ["b", "xb"], ["x", "a/b"]],
  ["@(a", ["@(a"], ["a"]],
  ["@(a|(b)c)", ["a", "(b)c"], ["b", "(b"]],
  ["@({(a)|b)", ["{(a)", "b"], ["{(a"]],
  ["(a)b", ["(a)b"], ["ab"]],
  ["@(a))", ["a)"], ["a"]],
  [")@(a)", [")a"], ["a"]],
  ["a+b", ["a+b"], ["aab"]],
  [`a${marks.any}`, ["a", "a/../b"], ["b"]],
  [`a${marks.below}z`, ["az", "a/b/z"], ["a"]],
  [`${marks.tracked}.ts`, ["a.ts", "a/b.ts"], ["a.js"]],
  [`a${marks.name}`, ["a", "abc"], ["a/b"]],
  [`a${marks.number}b`, ["ab", "a12b", "a-3b", "a09b"], ["axb", "a:b", "a,b", "a.b"]],
  [`[${marks.any}]`, ["a", "z"], ["", "ab", "/"]],
];

/** Braces without quotes, and the words that bash expands them to. */
const braces: readonly [text: string, words: readonly string[]][] = [
  ["a", ["a"]],
  ["{a,b}", ["a", "b"]],
  ["x{a,b}y", ["xay", "xby"]],
  ["{a,b}{c,d}", ["ac", "ad", "bc", "bd"]],
  ["{a,{b,c}}", ["a", "b", "c"]],
  ["{a{b,c},d}", ["ab", "ac", "d"]],
  ["{a,b{c}", ["{a,b{c}"]],
  ["{a}", ["{a}"]],
  ["{a},b", ["{a},b"]],
  ["a,b}", ["a,b}"]],
  ["{{a,b}", ["{a", "{b"]],
  ["{a,b}}", ["a}", "b}"]],
  ["{{a},b}", ["{a}", "b"]],
  ["{1..3}", ["1", "2", "3"]],
  ["{3..1}", ["3", "2", "1"]],
  ["{-1..1}", ["-1", "0", "1"]],
  ["{1..-1}", ["1", "0", "-1"]],
  ["{2..2}", ["2"]],
  ["{1..9..3}", ["1", "4", "7"]],
  ["{9..1..-4}", ["9", "5", "1"]],
  ["{1..10..10}", ["1"]],
  ["{8..12}", ["8", "9", "10", "11", "12"]],
  ["{1..3..0}", ["1", "2", "3"]],
  ["{a..c}", ["a", "b", "c"]],
  ["{c..a..2}", ["c", "a"]],
  ["{a..3}", ["{a..3}"]],
  ["{1..c}", ["{1..c}"]],
  ["{ab..c}", ["{ab..c}"]],
  ["{1..3,a}", ["1..3", "a"]],
  ["{1..3}{a,b}", ["1a", "1b", "2a", "2b", "3a", "3b"]],
  ["{1..3..}", ["{1..3..}"]],
  ["x{1..2}y", ["x1y", "x2y"]],
];

describe("T8 patterns of words", () => {
  for (const [pattern, texts, others] of matches) {
    it(JSON.stringify(pattern), () => {
      const isMatch = patternMatcher(pattern);
      assert.deepEqual(
        texts.filter((text) => !isMatch(text)),
        [],
        "matches too little",
      );
      assert.deepEqual(others.filter(isMatch), [], "matches too much");
    });
  }

  randomly("match whatever the wildcards of bash match", () => {
    const pieces = [
      "a",
      "b",
      ".",
      "-",
      "*",
      "?",
      "[",
      "]",
      "!",
      "^",
      "a-c",
      "[:alpha:]",
      "[=a=]",
      "[.a.]",
      "[=",
      "[:",
      "[.",
      "b-",
      "=",
      "\\",
      "@(",
      "+(",
      "|",
      ")",
    ];
    const pattern = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 7 }).map((parts) => parts.join(""));
    const text = fc.array(fc.constantFrom("a", "b", "c", "-", ".", "[", "]", "!", "^", "\\", "(", "=", ":"), {
      maxLength: 5,
    });
    const patterns = ["*", "?*", "[a-c]*", ...fc.sample(pattern, 147)];
    const texts = fc.sample(text, 40).map((parts) => parts.join(""));
    const script =
      'shopt -s extglob; p=("${@:1:150}"); t=("${@:151}"); for a in "${p[@]}"; do for b in "${t[@]}"; do [[ $b == $a ]] && printf "%s\\0%s\\0" "$a" "$b"; done; done';
    const { stdout } = spawnSync("bash", ["-c", script, "bash", ...patterns, ...texts], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], LC_ALL: "C" },
    });
    const found = stdout.split("\0").slice(0, -1);
    const missed: string[][] = [];
    for (let at = 0; at < found.length; at += 2) {
      const [one = "", other = ""] = found.slice(at, at + 2);
      if (!patternMatcher(one)(other)) missed.push([one, other]);
    }
    assert.deepEqual(missed, []);
    assert.ok(found.length > 100);
  });

  randomly("match whatever the same pattern of paths matches", () => {
    const pieces = [
      ...[
        "a",
        "b",
        "B",
        "é",
        ".",
        "-",
        "/",
        "*",
        "?",
        "[",
        "]",
        "!",
        "^",
        "a-c",
        "[:alpha:]",
        "[:none:]",
        "[=a=]",
        "[.a.]",
      ],
      ...["[=", "[:", "[.", "b-", "=", ":", "\\", "@(", "+(", "?(", "*(", "!(", "(", "|", ")"],
    ];
    const pattern = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 9 }).map((parts) => parts.join(""));
    const text = fc
      .array(fc.constantFrom(...Array.from("aabbBcé-./[]!^\\(|)=:")), { maxLength: 6 })
      .map((parts) => parts.join(""));
    // What only one of them has: an inverted pattern, folders of any depth, no second exclusion in a first one.
    const isOfBoth = (one: string) => !/^!(?!\()|\*\*|!\(.*!\(/.test(one);
    let matching = 0;
    fc.assert(
      fc.property(pattern.filter(isOfBoth), fc.array(text, { minLength: 10, maxLength: 10 }), (one, texts) => {
        const [isPath, isWord] = [globMatcher(one), patternMatcher(one)];
        for (const given of [...texts, one, one.replace(/[*?@!+()|[\]]/g, "")]) {
          if (!isPath(given)) continue;
          matching++;
          assert.ok(isWord(given), JSON.stringify(given));
        }
      }),
      { numRuns: 1000 },
    );
    assert.ok(matching > 500, `${matching}`);
  });

  it("take no time to speak of where no group is closed", () => {
    const start = performance.now();
    for (const open of ["@(", "*(", "@(a|", "@(a|+(b)", "@((", "@([a]"])
      assert.equal(patternMatcher(open.repeat(25))("a".repeat(1000)), false);
    assert.ok(performance.now() - start < 2000, "it takes too long");
  });

  for (const [text, words] of braces) {
    it(`${text} is expanded as by bash`, () => {
      assert.deepEqual(expandBraces(text), words);
      // The bash of macOS knows no steps.
      if (process.platform !== "linux") return;
      const { stdout } = spawnSync("bash", ["-c", `printf '%s\\n' ${text}`], { encoding: "utf8" });
      assert.deepEqual(stdout.split("\n").slice(0, -1), words);
    });
  }

  it("braces with quoted characters, many words or padded numbers", () => {
    const rows: [text: string, words: readonly string[] | undefined][] = [
      ["{a\\,b}", ["{a\\,b}"]],
      ["\\{a,b}", ["\\{a,b}"]],
      ["{a,b\\}", ["{a,b\\}"]],
      ["{a,\\}}", ["a", "\\}"]],
      ["{1..40}", Array.from({ length: 40 }, (_, at) => `${at + 1}`)],
      ["{1..41}", Array.from({ length: 41 }, (_, at) => `${at + 1}`)],
      ["{1..42}", [marks.number]],
      ["{42..1}", [marks.number]],
      ["{1..81..2}", Array.from({ length: 41 }, (_, at) => `${2 * at + 1}`)],
      ["{1..83..2}", [marks.number]],
      ["{01..3}", [marks.number]],
      ["{1..03}", [marks.number]],
      ["{-01..3}", [marks.number]],
      // Both ends have the same length, of which one begins with a zero.
      ["{01..10}", [marks.number]],
      ["{10..01}", [marks.number]],
      ["{01..-3}", [marks.number]],
      ["{10..11}", ["10", "11"]],
      [`{${"9".repeat(20)}..${"9".repeat(20)}}`, [marks.number]],
      [`{${"9".repeat(400)}..${"9".repeat(400)}}`, [marks.number]],
      ["{A..z}", [marks.name]],
      ["{Z..a}", ["Z", "\\[", "\\\\", "\\]", "\\^", "_", "`", "a"]],
      [`{${"a,".repeat(63)}a}`, Array.from({ length: 64 }, () => "a")],
      [`{${"a,".repeat(64)}a}`, undefined],
    ];
    for (const [text, words] of rows) assert.deepEqual(expandBraces(text), words, text);
    assert.equal(expandBraces("{a,b}".repeat(6))?.length, 64);
    assert.equal(expandBraces("{a,b}".repeat(7)), undefined);
  });

  it("a text is escaped to a pattern that matches it alone", () => {
    for (const text of ["a", "*", "?", "[a]", "\\", "{a,b}", "!(a)", "+(a)", "@(a|b)", "^", "a b", "é"]) {
      assert.equal(unescaped(escaped(text)), text);
      assert.ok(patternMatcher(escaped(text))(text), text);
      assert.deepEqual(expandBraces(escaped(text)), [escaped(text)], text);
      assert.ok(!isWild(escaped(text)), text);
    }
  });

  it("tells wildcards and unknown text from plain text", () => {
    for (const wild of ["*", "a?", "[a]", "+(a)", "@(a)", "!(a)", marks.any, `a${marks.number}`])
      assert.ok(isWild(wild));
    for (const text of ["a", "\\*", "\\[a]", "a+b", "!a", "@", "a(b)"]) assert.ok(!isWild(text), text);
    for (const mark of Object.values(marks)) assert.ok(holdsMark(`a${mark}b`));
    assert.ok(!holdsMark("a*"));
    for (const whole of [marks.any, marks.below, marks.tracked + marks.any]) assert.ok(isWholly(whole));
    for (const part of ["", `a${marks.any}`, `${marks.any}a`, marks.name, marks.number]) assert.ok(!isWholly(part));
  });

  it("many patterns after one another are each compiled", () => {
    for (let at = 0; at < 1100; at++) assert.ok(patternMatcher(`a${at}*`)(`a${at}b`));
    assert.ok(!patternMatcher("a0*")("b"));
  });
});
