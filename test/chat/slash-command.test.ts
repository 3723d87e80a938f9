import assert from "node:assert/strict";
import { argumentsIn, fillTemplate, slashCommandIn } from "../../src/chat/slash-command.ts";

describe("slash commands", () => {
  it("are a name after a slash at the beginning, with what follows as arguments", () => {
    assert.deepEqual(slashCommandIn("/changelog"), { name: "changelog", args: "" });
    assert.deepEqual(slashCommandIn("  /changelog  1.2 \n now "), { name: "changelog", args: "1.2 \n now" });
    assert.deepEqual(slashCommandIn("/frontend:component Button"), { name: "frontend:component", args: "Button" });
    assert.deepEqual(slashCommandIn("/prüfe 日本"), { name: "prüfe", args: "日本" });
  });

  it("are no paths, and no slashes within a text", () => {
    for (const text of ["/etc/hosts is wrong", "/", "// a comment", "see /changelog", "/ changelog", "/-x"]) {
      assert.equal(slashCommandIn(text), undefined, text);
    }
  });

  it("fill the places of a template", () => {
    for (const [template, args, filled] of [
      ["Fix $ARGUMENTS.", "a b", "Fix a b."],
      ["Fix $1 before $2.", "one two", "Fix one before two."],
      ["Fix $1 before $2.", `"one two" 'three four'`, "Fix one two before three four."],
      ["Fix $1 before $2.", "one", "Fix one before ."],
      ["Fix $ARGUMENTS.", "", "Fix ."],
      // As Claude Code counts today.
      ["Move $ARGUMENTS[0] to $ARGUMENTS[1].", `"a b" c`, "Move a b to c."],
      ["Move $0 to $1: $ARGUMENTS.", `"a b" c`, `Move a b to c: "a b" c.`],
      ["<$ARGUMENTS[2]>", "a b", "<>"],
      // No places.
      ["Costs $10, $1_000 and $ARGUMENTSX.", "", "Costs $10, $1_000 and $ARGUMENTSX."],
      ["Write an entry.", "1.2", "Write an entry.\n\nArguments: 1.2"],
      // An argument is text: it is not filled in again, and signs of replacements mean nothing in it.
      ["$1 and $2", "$2 $1", "$2 and $1"],
      ["<$ARGUMENTS>", "$& $` $' $$", "<$& $` $' $$>"],
    ] as const) {
      assert.equal(fillTemplate(template, args), filled, template);
    }
  });

  it("split arguments at white space, an unclosed quote included", () => {
    assert.deepEqual(argumentsIn(` a  "b c" 'd' "e f`), ["a", "b c", "d", `"e`, "f"]);
    assert.deepEqual(argumentsIn(""), []);
  });
});
