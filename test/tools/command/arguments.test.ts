/** Names of arguments in the tables of programs (T8). */
import assert from "node:assert/strict";
import fc from "fast-check";
import { hasArgument, nameMatcher } from "../../../src/tools/command/programs/arguments.ts";
import { randomly } from "../../random.ts";

describe("T8 arguments of programs", () => {
  const given: readonly [pattern: string, yes: string[], no: string[]][] = [
    ["-x", ["-x", "-vx", "-xn"], ["x", "--x", "-y", "-"]],
    ["--long-name", ["--long-name", "--long-n", "--l", "--long-name=a"], ["--long-names", "-long-name", "--"]],
    ["-word", ["-word"], ["-words", "-wor", "-w"]],
    ["-exec*", ["-exec", "-execdir"], ["-exe", "--exec", "a-exec"]],
    ["--out*dir*", ["--outdir", "--output-dir=a"], ["--out"]],
    ["+*", ["+", "+/a.b"], ["a+", "-+"]],
    ["*=*", ["a=b", "=", "--a=b"], ["a"]],
    ["a.b*", ["a.b", "a.bc"], ["axb"]],
    ["run", ["run"], ["runs"]],
    ["-x --long run", ["-ax", "--lo", "run"], ["-a", "--short", "stop"]],
  ];
  for (const [pattern, yes, no] of given) {
    it(`${pattern} is any of ${yes.join(" ")}`, () => {
      for (const word of yes) assert.equal(hasArgument(pattern, [word]), true, word);
      for (const word of no) assert.equal(hasArgument(pattern, [word]), false, word);
    });
  }

  it("a sub-command stands first", () => {
    assert.equal(hasArgument("run", ["-a", "run"]), false);
    assert.equal(hasArgument("run -a", ["x", "-a"]), true);
  });

  randomly("a name matches as the equal regular expression does", () => {
    const text = (letters: string) =>
      fc.array(fc.constantFrom(...letters), { maxLength: 6 }).map((characters) => characters.join(""));
    fc.assert(
      fc.property(fc.array(text("ab*-+.=("), { maxLength: 4 }), fc.array(text("aab-+.=(x\n")), (names, words) => {
        const matches = nameMatcher(names);
        const sources = names.map((name) => name.replace(/[.+(]/g, "\\$&").replaceAll("*", ".*"));
        const expression = new RegExp(`^(?:${sources.map((source) => `(?:${source})`).join("|")})$`, "s");
        for (const word of words) assert.equal(matches(word), names.length > 0 && expression.test(word), word);
      }),
      { numRuns: 1000 },
    );
  });
});
