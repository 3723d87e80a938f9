/** Speech by sentence: wherever a stream is cut, what is spoken so far ends with a whole sentence. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { endOfSentences, firstSentence, spokenText } from "../../webview/spoken/announcements.ts";
import { randomly } from "../random.ts";

/** Feeds a text character by character. Returns what is spoken, piece by piece. */
function spokenPieces(text: string): string[] {
  const pieces: string[] = [];
  let announced = 0;
  for (let length = 1; length <= text.length; length++) {
    const end = endOfSentences(text.slice(announced, length));
    pieces.push(spokenText(text.slice(announced, announced + end)));
    announced += end;
  }
  return [...pieces, spokenText(text.slice(announced))].filter((piece) => piece !== "");
}

const texts: Record<string, [text: string, pieces: string[]]> = {
  "a colon": ["Two things: the sum is off. And more.", ["Two things: the sum is off.", "And more."]],
  "a number with a point": ["It is 3.5 percent. Then 4.", ["It is 3.5 percent.", "Then 4."]],
  "a version": ["Use v2.0.1 here. It works.", ["Use v2.0.1 here.", "It works."]],
  abbreviations: [
    "Some, e.g. the sum, i.e. All of it, cf. Dr. Doe vs. J. Roe, are off. Next.",
    ["Some, e.g. the sum, i.e. All of it, cf. Dr. Doe vs. J. Roe, are off.", "Next."],
  ],
  "a full stop before small letters": ["Tests, docs, etc. are there. Done.", ["Tests, docs, etc. are there.", "Done."]],
  "names of files": [
    "Look at cart.ts and money.test.ts first. Then run.",
    ["Look at cart.ts and money.test.ts first.", "Then run."],
  ],
  "code in a line": ["Call `total(a. b)` once. It is `rounded`.", ["Call total(a. b) once.", "It is rounded."]],
  "a quotation": ["He said “no.” Then he left!", ["He said “no.”", "Then he left!"]],
  emphasis: ["This is **all.** Really?", ["This is all.", "Really?"]],
  "a link": ["See [the docs](https://a.dev/b.c(d)). Then go.", ["See the docs.", "Then go."]],
  "a colon before a list": ["Do this:\n1. Round once\n2. Test", ["Do this: 1. Round once.", "2. Test."]],
  "a list without full stops": [
    "Do this:\n\n- Round once\n- Test it\n- Ship",
    ["Do this:", "Round once.", "Test it.", "Ship."],
  ],
  "a numbered list": ["1. Round once.\n2. Test it.\n", ["1. Round once.", "2. Test it."]],
  "a heading": ["## Plan\n\nRound once.", ["Plan.", "Round once."]],
  "lines of a paragraph": ["The sum\nis wrong. It is\nrounded.", ["The sum is wrong.", "It is rounded."]],
  "a block of code": ["So:\n\n```ts\nconst a = 1. ;\n\nb. C\n```\n\nDone.", ["So:", "Code.", "Done."]],
  "code within a list": ["- Run:\n  ```sh\n  a. B\n  ```\n- Look.", ["Run: Code.", "Look."]],
  "code between tildes": ["So:\n\n~~~ts\nconst a = 1. ;\n~~~\n\nDone.", ["So:", "Code.", "Done."]],
  "code in code": ["So:\n\n````md\n```\na. B\n```\nc. D\n````\n\nDone.", ["So:", "Code.", "Done."]],
  "code without an end": ["So it is.\n\n```ts\na. B", ["So it is.", "Code."]],
  "crossed-out words": ["Not ~~all.~~ Some.", ["Not all.", "Some."]],
  "a table": ["| A | B |\n|---|---:|\n| half | 905 |\n\nEnd.", ["A B half 905.", "End."]],
  Arabic: ["هذا هو المجموع؟ ثم.", ["هذا هو المجموع؟", "ثم."]],
  Chinese: ["合计不对。修好了。", ["合计不对。", "修好了。"]],
};

describe("speech by sentence", () => {
  for (const [what, [text, pieces]] of Object.entries(texts)) {
    it(`ends at whole sentences: ${what}`, () => assert.deepEqual(spokenPieces(text), pieces));
  }

  it("says what formulas are, not their source, and waits for their end", () => {
    const [text, pieces] = [
      "With $n$ periods, $a = B_0$ grows to $a_n = a_0(1 + r)^n$. It costs $5 and $6. So:\n\n$$\n\\frac{a. B}{2}\n$$\n\nThen \\(x = 1\\). `$x_1$` stays.",
      [
        "With n periods, formula grows to formula.",
        "It costs $5 and $6.",
        "So:",
        "formula.",
        "Then x = 1.",
        "$x1$ stays.",
      ],
    ] as const;
    assert.deepEqual(spokenPieces(text), pieces);
    assert.equal(endOfSentences("One.\n\n$$\na. B\n- c"), "One.\n".length);
    assert.equal(endOfSentences("$$ is no formula. It is text.\n\nMore"), "$$ is no formula. It is text.\n".length);
  });

  it("takes formulas without an end in the time of their length", () => {
    const begins = ["$", "$$", "\\(", "\\[", "`", "$`", "\n$$", "\n\\[", "${"].map((sign) =>
      `${sign}a `.repeat(100_000),
    );
    const before = process.cpuUsage();
    // The paragraph is the last one, or its only end is escaped.
    for (const end of ["", "\n\nb", "\\\\)"]) {
      for (const one of begins.map((begin) => begin + end)) spokenText(one.slice(0, endOfSentences(one) || one.length));
    }
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 12_000_000, `${user + system} µs`);
  });

  randomly("loses no word and repeats none, however the stream is cut", () => {
    const words = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? [];
    const part = fc.constantFrom(
      ...Object.values(texts).map(([text]) => text.replaceAll(/`{3,}|~{3,}/g, "")),
      "\n\n",
      "e.g. ",
      "3.5 ",
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 30 }),
        (parts, cuts) => {
          const text = parts.join(" ").replace(/\]\([^ ]*\)/g, "]");
          const pieces: string[] = [];
          let [announced, length] = [0, 0];
          for (const cut of cuts) {
            length = Math.min(text.length, length + cut);
            const end = endOfSentences(text.slice(announced, length));
            pieces.push(spokenText(text.slice(announced, announced + end)));
            announced += end;
          }
          pieces.push(spokenText(text.slice(announced)));
          assert.deepEqual(words(pieces.join(" ")), words(text));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("takes the first sentence of an error", () => {
    assert.equal(firstSentence("It is gone, e.g. deleted. Look."), "It is gone, e.g. deleted");
    assert.equal(firstSentence("Exit code 1\nmore. text"), "Exit code 1");
    assert.equal(firstSentence("It is v2.0."), "It is v2.0");
  });
});
