import assert from "node:assert/strict";
import { codeFrom, inlineQuestion } from "../../src/extension/editor/inline/inline-question.ts";

describe("an inline prompt", () => {
  it("shows the place between what surrounds it, and what was asked before", () => {
    const place = { file: "a.js", language: "javascript", before: "one\n", text: "two", after: "\nthree\n" };
    assert.equal(
      inlineQuestion(place, ["Double it", "Now halve it"]),
      "File a.js (javascript).\n\nBefore the place:\n```\none\n```\n\nThe text at the place:\n```\ntwo\n```\n\n" +
        "After the place:\n```\n\nthree\n```\n\nDone already at this place:\n- Double it\n\nDo this: Now halve it",
    );
    assert.match(inlineQuestion({ ...place, text: " " }, ["Add a line"]), /The place is empty/);
    const long = "x".repeat(50_000);
    assert.ok(inlineQuestion({ ...place, before: long, after: long }, ["Go"]).length < 26_000);
  });

  it("cannot be left by a fence in the file", () => {
    const place = { file: "a.md", language: "markdown", before: "```\n", text: "two", after: "\n````\n" };
    assert.match(inlineQuestion(place, ["Go"]), /`````\n```\n`````/);
  });

  it("takes the code out of a fence, at every moment of the stream", () => {
    const answer = "```js\nconst a = `x`;\nconst b = 2;\n```\n";
    const seen = Array.from(answer, (_, at) => codeFrom(answer.slice(0, at + 1), false));
    for (const code of seen) assert.ok("const a = `x`;\nconst b = 2;\n".startsWith(code), JSON.stringify(code));
    assert.equal(codeFrom(answer, true), "const a = `x`;\nconst b = 2;\n");
    assert.equal(codeFrom("  const a = 1;", true), "  const a = 1;");
    assert.equal(codeFrom("```\n```", true), "");
    assert.equal(codeFrom("``", false), "");
  });
});
