import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, it } from "mocha";
import { globMatcher, splitGlob } from "../../src/tools/text/glob-pattern.ts";
import { pathWildcardMatcher, wildcardMatcher, wildcardMatcherAfter } from "../../src/tools/text/wildcard.ts";
import { randomly } from "../random.ts";

const ofLetters = (letters: string, maxLength: number) =>
  fc.array(fc.constantFrom(...letters), { maxLength }).map((all) => all.join(""));

describe("Wildcards of permission rules", () => {
  randomly("match as the equal regular expression does", () => {
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

  randomly("of paths match as the equal regular expression does", () => {
    const piece = fc.constantFrom("a", "b", "/", "*", "?", "/**/", "/a", "/**/**/");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), ofLetters("aab//", 10), (pieces, path) => {
        const pattern = pieces.join("");
        // `**/` after a slash is folders or nothing; other stars are any characters.
        const source = pattern
          .split(/((?<=\/)\*\*\/)/)
          .map((part, at) => (at % 2 === 1 ? "(?:.*/)?" : part.replace(/\*+/g, ".*").replaceAll("?", ".")))
          .join("");
        assert.equal(pathWildcardMatcher(pattern)(path), new RegExp(`^${source}(?:/.*)?$`, "s").test(path));
      }),
      { numRuns: 3000 },
    );
  });

  it("are matched to their end, however long they are", () => {
    // Around the numbers of bits in one, two and three words.
    for (const length of [30, 31, 32, 33, 63, 64, 65, 96, 97]) {
      const text = Array.from({ length }, (_, at) => String.fromCharCode(97 + (at % 26))).join("");
      for (const [pattern, other] of [
        [text, `${text.slice(0, -1)}-`],
        [`*${text.slice(1)}`, `${text.slice(0, -1)}-`],
        [`${text.slice(0, -1)}?`, `-${text.slice(1)}`],
        ["?".repeat(length), text.slice(1)],
      ] as const) {
        const matches = wildcardMatcher(pattern);
        const isHeld = wildcardMatcherAfter((character) => character === 32, pattern);
        assert.deepEqual([matches(text), isHeld(`x ${text}y`)], [true, true], pattern);
        assert.deepEqual([matches(other), isHeld(other)], [false, false], pattern);
      }
    }
  });

  randomly("of any length match as the equal regular expression does", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b", "ab", "?", "*"), { minLength: 20, maxLength: 80 }),
        fc.infiniteStream(fc.constantFrom("", "a", "b", "ba")),
        fc.nat(200),
        (pieces, fillings, changed) => {
          const filled = pieces.map((piece) => {
            const filling = fillings.next().value ?? "";
            return piece === "*" ? filling : piece === "?" ? (filling[0] ?? "b") : piece;
          });
          // Half of the texts match; in the others one character differs.
          const text = filled.join("");
          const other = `${text.slice(0, changed)}c${text.slice(changed + 1)}`;
          const source = pieces.join("").replace(/\*+/g, ".*").replaceAll("?", ".");
          const expression = new RegExp(`^${source}$`, "s");
          const matches = wildcardMatcher(pieces.join(""));
          assert.equal(matches(text), true);
          assert.equal(matches(other), expression.test(other));
        },
      ),
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
  ["@(app/(shop)|b)/x", "app/(shop)/x b/x", "app/(shop)|b)/x shop/x"],
  ["@(a(b|c)|d)", "a(b|c) d", "a(b a(b|c)|d)"],
  ["a|b", "a|b", "a b"],
  // Stars beside other wildcards, and those of whole names.
  ["**b", "ab b", "a/b"],
  ["a**", "ab a", "a/b"],
  ["x/**", "x/a/b", "x"],
  ["{**,b}", "a/b b", ""],
  ["{b,**}", "a/b b", ""],
  ["@(**|b)", "a/b b", ""],
  ["@(b|**)", "a/b b", ""],
  ["**(ab)c", "c abc xc", "ab a/c"],
  ["x*(a", "x(a xb(a", "xa x"],
  // What is not closed, or not opened, stands for itself.
  ["*{a,b}", "a xb", "x"],
  ["?{a,b}", "xa", "a aa/"],
  ["+{a,b}", "+a", "a aa"],
  ["+(a", "+(a", "a aa"],
  ["@(a}b)c", "a}bc", "@(a}b)c"],
  ["{a),b}", "a) b", "a"],
  ["@(a[|b)c", "a[c bc", "ac"],
  ["a[", "a[", "ax"],
  ["{x1..3}", "{x1..3}", "1 x1"],
  ["{1..3x}", "{1..3x}", "1 3x"],
  ["{a..3}", "{a..3}", "a 3"],
  ["{1..a}", "{1..a}", "a 1"],
  // What is escaped, too.
  ["a\\", "a\\", "a"],
  ["@(a\\)b)c", "a)bc", "abc ac"],
  ["{a\\,b}", "{a,b}", "a b"],
  ["\\[a]", "[a]", "a"],
  // Choices: empty ones, more than two, nested ones.
  ["@(a|)b", "ab b", "aab"],
  ["{a,}b", "ab b", "aab"],
  ["{a,b,c}", "a b c", "b,c"],
  ["*.{ts,tsx}", "a.ts a.tsx", "a.s a.sx"],
  ["x*(ab)y", "xy xaby xababy", "xay"],
  ["@(!(a)|b)c", "bc xc c", "ac"],
  ["!(a)/!(b)", "b/a /", "a/a b/b"],
  ["!(*a*b*c*)", "x acb", "abc xaxbxcx"],
  ["x!(a", "x!(a", "x xb"],
  // Sets.
  ["[a-c]x", "ax bx cx", "xx [x"],
  ["[!]a]x", "bx", "]x ax"],
  ["[^]a]x", "bx", "]x ax"],
  ["@([)]|b)c", ")c bc", "]c"],
  ["[a/b]", "[a/b]", "a b a]"],
  ["[a:]b]", "ab] :b]", "[a:]b] bb]"],
  ["[[a]b", "[b ab", "[[a]b"],
  ["[a[:digit:]]", "a 1", "d : ]"],
  ["[[=a=]b]x", "ax bx", "=x [x a]x"],
  ["[[.a.]b]x", "ax bx", ".x [x"],
  ["[[.hyphen.]a]x", "ax", "hx .x"],
  ["[[:none:]a]x", "ax", "nx :x"],
  ["[a-]x", "ax -x", "bx"],
  ["[-a]x", "ax -x", "bx"],
  ["[a-\\c]x", "ax bx cx", "\\x -x dx"],
  ["[é-ü]", "é ö ü", "e u"],
  // Ranges.
  ["{500..600}", "500 550 600", "499 601 {500..600}"],
  ["{8..105}", "8 99 105", "008 7"],
  ["{08..100}", "008 099 100", "08 8"],
  ["{-2..1}", "-2 -1 0 1", "-0 2 -3"],
  ["{-02..1}", "-02 -01 000 001", "0 -2 01"],
  ["{3..1}", "1 2 3", "0 4"],
  ["{1..9..3}", "1 4 7", "2 9 10 {1..9..3}"],
  [`{${"9".repeat(20)}..${"9".repeat(20)}}`, `{${"9".repeat(20)}..${"9".repeat(20)}}`, "9"],
  ["{9..1..-4}", "9 5 1", "4 8"],
  ["{a..e..2}", "a c e", "b f"],
  ["{c..a}", "a b c", "d"],
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
    assert.deepEqual(splitGlob("*.ts"), { base: "", rest: "*.ts" });
    assert.deepEqual(splitGlob("a/b+(c)/d"), { base: "a", rest: "b+(c)/d" });
    assert.deepEqual(splitGlob("a/b!(c)"), { base: "a", rest: "b!(c)" });
    assert.deepEqual(splitGlob("a/{b,c}/[d]"), { base: "a", rest: "{b,c}/[d]" });
    assert.deepEqual(splitGlob("a/b?"), { base: "a", rest: "b?" });
  });

  randomly("match as the equal regular expression does", () => {
    const piece: fc.Arbitrary<readonly [glob: string, expression: string]> = fc.constantFrom(
      ...([["a"], ["b"], ["ab"], ["*", "[^/]*"], ["?", "[^/]"], ["[ab]"], ["[!b]", "[^b/]"]] as const).map(
        ([glob, expression = glob]) => [glob, expression] as const,
      ),
      ...["@", "?", "*", "+"].map((kind) => [`${kind}(a|bb|ba)`, `(?:a|bb|ba)${kind === "@" ? "" : kind}`] as const),
      ...[["{a,bb}", "(?:a|bb)"] as const, ["**/", "(?:[^/]+/)*"] as const, ["/", "/"] as const],
    );
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 10 }),
        fc.array(ofLetters("aaabb/", 14), { minLength: 1, maxLength: 10 }),
        (pieces, texts) => {
          // `**` stands for folders only as a whole name, and two stars must not make one.
          const whole: (readonly [glob: string, expression: string])[] = [];
          for (const piece of pieces) {
            const before = whole.at(-1)?.[0] ?? "/";
            if (piece[0] === "**/" ? before === "/" : piece[0] !== "*" || before !== "*") whole.push(piece);
          }
          const matches = globMatcher(whole.map(([glob]) => glob).join(""));
          const expression = new RegExp(`^${whole.map(([, source]) => source).join("")}$`);
          for (const text of texts) assert.equal(matches(text), expression.test(text), text);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("mean the same to bash in each class of characters", () => {
    const names = "alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit".split(" ");
    const characters = Array.from({ length: 127 }, (_, at) => at + 1).filter((code) => code !== 47);
    const script = `for n in ${names.join(" ")}; do
        for c in ${characters.join(" ")}; do
          printf -v o '\\x%x' "$c"; printf -v t "$o"x; [[ $t == [[:$n:]]x ]]; printf $?
        done; echo
      done`;
    const answers = execFileSync("bash", ["-s"], { input: script, encoding: "utf8", env: { LC_ALL: "C" } });
    const found = names.map((name) => {
      const matches = globMatcher(`[[:${name}:]]x`);
      return characters.map((code) => (matches(`${String.fromCharCode(code)}x`) ? "0" : "1")).join("");
    });
    assert.deepEqual(found, answers.trimEnd().split("\n"));
  });

  it("take a character of two units for one, and those below for what they are", () => {
    assert.equal(globMatcher("?a")("😀a"), true);
    assert.equal(globMatcher("??a")("😀a"), false);
    assert.equal(globMatcher("?a")("\uffffa"), true);
    assert.equal(globMatcher("[😀-😂]")("😁"), true);
  });

  it("have room for 1,000 characters, 24 wildcards, 4 of them in an exclusion, and 1,000 numbers", () => {
    assert.equal(globMatcher("a".repeat(1000))("a".repeat(1000)), true);
    assert.equal(globMatcher("?".repeat(24))("a".repeat(24)), true);
    assert.equal(globMatcher("!(*a?b?)")("axbx"), false);
    assert.equal(globMatcher("{1..1000}")("1000"), true);
    const tooMany = globMatcher("{1..1001}");
    assert.deepEqual([tooMany("1"), tooMany("{1..1001}")], [false, true]);
  });

  randomly("mean the same to bash", () => {
    const cases = fc.sample(
      fc.tuple(ofLetters("ab*?[]^-(|)@+", 9), fc.array(ofLetters("ab]-^", 5), { minLength: 1, maxLength: 8 })),
      2000,
    );
    // In bash, an unclosed group or set with a `(` in it is an error or read up to the end of the text.
    const isReadAlike = (pattern: string) => !/\*\*|[[(].*[[(]|^[^(]*[)|]|[^@?*+]\(|^\(|\([^)]*$/.test(pattern);
    // After a `*`, bash tries what follows at each character, but not at the end of the text (`for (--p; n < se; ++n)` in
    // GMATCH of lib/glob/sm_loop.c). So groups that may be empty, but for `?(` and `*(`, do not match nothing there.
    const isMissed = (pattern: string) => /\*\??[@+]\(([^)]*\|)?\**(\|[^)]*)?\)/.test(pattern);
    const asked = cases.filter(([pattern]) => isReadAlike(pattern) && !isMissed(pattern));
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

  it("match alike after the automaton started over", () => {
    const text = letters(30_000);
    const matches = globMatcher(`*a${"?".repeat(22)}`);
    const ends = Array.from({ length: 40 }, (_, at) => 1500 + at * 701);
    const expected = ends.map((end) => text[end - 23] === "a");
    assert.ok(expected.includes(true) && expected.includes(false));
    assert.deepEqual(
      ends.map((end) => matches(text.slice(0, end))),
      expected,
    );
  });

  it("keep little memory, whatever they are tried on", () => {
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    const used = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const many = Array.from({ length: 0x30000 }, (_, at) => String.fromCodePoint(0x10000 + at)).join("");
    const words = `${"a".repeat(440)}|${"a".repeat(441)}`;
    for (const [pattern, ...texts] of [
      // A state for each combination of the last letters,
      [`*a${"?".repeat(22)}`, letters(40_000)],
      // a transition for each character,
      ["**", many],
      // and a term for each length.
      [`!(+(${words}))`, "a".repeat(25_000), "x"],
    ] as const) {
      const matches = globMatcher(pattern);
      const before = used();
      for (const text of texts) matches(text);
      assert.ok(used() - before < 2_000_000, pattern.slice(0, 20));
      assert.equal(matches("x"), !pattern.startsWith("*a"));
    }
  });

  for (const [pattern, reason] of [
    ["a".repeat(1001), /more than 1000 characters or 24 wildcards/],
    ["*a".repeat(25), /24 wildcards/],
    ["?".repeat(25), /24 wildcards/],
    ["!(*a*b*c*d*e)", /at most 4 wildcards/],
    ["!(@(a)@(b)@(c)@(d)@(e))", /at most 4 wildcards/],
    ["!(a|!(b))", /no other `!\(…\)`/],
    ["x!(a|@(b|!(c)))", /no other `!\(…\)`/],
  ] as const) {
    it(`refuse ${pattern.slice(0, 20)} with the reason`, () => {
      assert.throws(() => globMatcher(pattern), { name: "SyntaxError", message: reason });
    });
  }
});
