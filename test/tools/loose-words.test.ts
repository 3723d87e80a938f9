/** Words of texts that no grammar has read (T8). */
import assert from "node:assert/strict";
import fc from "fast-check";
import { looseCommands, looseWords } from "../../src/tools/text/loose-words.ts";
import { randomly } from "../random.ts";

describe("T8 words of texts", () => {
  const rows: readonly [text: string, words: string[], also?: string, within?: string][] = [
    ["", []],
    ["a", ["a"]],
    [" a  b\tc\nd\u00a0e ", ["a", "b", "c", "d", "e"]],
    ["a;b&c|d<e>f(g)h'i\"j`k", Array.from("abcdefghijk")],
    ["a=b,c{d}e", ["a=b,c{d}e"]],
    ["a=b,c{d}e", ["a", "b", "c{d}e"], "=,"],
    ["@(a|b)`c` d&e", ["@(a|b)`c`", "d", "e"], "", "|()`"],
    ["a=(b|c)", ["a", "(b", "c)"], "=", "()"],
  ];
  for (const [text, words, also, within] of rows) {
    it(`${JSON.stringify(text)}${also ? `, also at ${also}` : ""}${within ? `, not at ${within}` : ""}`, () =>
      assert.deepEqual(looseWords(text, also, within), words));
  }

  const text = fc.array(fc.constantFrom(...Array.from("ab \n\t;&|<>()'\"`{}=,")), { maxLength: 20 });

  randomly("words are split as by the equal regular expression", () => {
    const separators = fc.constantFrom("", "=", "=,", "{}");
    fc.assert(
      fc.property(text, separators, fc.constantFrom("", "|()`", "<"), (characters, also, within) => {
        const given = characters.join("");
        const parting = Array.from(`;&|<>()'"\`${also}`).filter((one) => !within.includes(one));
        const words = given.split(new RegExp(`[\\s${parting.join("")}]+`)).filter((word) => word !== "");
        assert.deepEqual(looseWords(given, also, within), words);
      }),
      { numRuns: 1000 },
    );
  });

  randomly("commands have the words of the text in their order, none across an operator", () => {
    fc.assert(
      fc.property(text, (characters) => {
        const given = characters.join("");
        const commands = looseCommands(given, "", Number.MAX_SAFE_INTEGER);
        assert.deepEqual(commands.flat(), looseWords(given, "{}"));
        const parts = given.split(/[;|&\n(){}]+/).map((part) => looseWords(part));
        let from = 0;
        for (const command of commands.filter((words) => words.length > 0)) {
          // The command lies in one of the parts.
          const at = parts.findIndex((part, index) => index >= from && part.join(" ").includes(command.join(" ")));
          assert.ok(at >= 0, JSON.stringify(command));
          from = at;
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("commands end at operators, braces, lines and closing quotes", () => {
    assert.deepEqual(looseCommands("a b; c | d && (e) {f}\ng 'h i' j", "", 100), [
      ...[["a", "b"], ["c"], ["d"], [], ["e"], [], ["f"], ["g", "h", "i"], ["j"]],
    ]);
    assert.deepEqual(looseCommands("a;b;c", "", 2), [["a"], ["b"]]);
    assert.deepEqual(looseCommands("['a','b']", ",[]", 2), [["a", "b"]]);
  });
});
