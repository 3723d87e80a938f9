/** The limits of what a report of tokens means, and the tokens of single kinds of text (spec C2). */
import assert from "node:assert/strict";
import type { Entry } from "../../src/chat/apply.ts";
import type { AssistantMessage, Message } from "../../src/chat/message.ts";
import { noTokens } from "../../src/chat/token-counts.ts";
import { fixedSize, sizeOfEntry } from "../../src/loop/context/context.ts";
import { judgeReported } from "../../src/loop/context/reported-size.ts";
import { sizeOfText } from "../../src/loop/context/token-size.ts";
import { call, replyOf, user } from "../wire/ask.ts";
import { bareConfig } from "./bare.ts";

const config = bareConfig(128_000);
const fixed = fixedSize(config);
/** A message of exactly so many tokens: each of these characters is one. */
const asked = (tokens: number) => user("漢".repeat(tokens - 4));

function replied(tokens: number, input: number, more: Partial<AssistantMessage> = {}, model = config.model): Entry {
  const { info, parts } = replyOf(model, { type: "text", text: "漢".repeat(tokens - 4) });
  return { info: { ...info, tokens: { ...noTokens, input }, ...more } as Message, parts }; // fields of a reply
}

const judged = (entries: readonly Entry[], input: number) => judgeReported(entries, config, { ...noTokens, input });

describe("C2 a report of tokens", () => {
  const whole = [asked(10_000 - fixed)];

  it("C2 corrects the estimate from a half to three times of it", () => {
    assert.equal(sizeOfEntry(whole[0] as Entry) + fixed, 10_000);
    assert.deepEqual(judged(whole, 5_000), { type: "scale", scale: 0.5 });
    assert.deepEqual(judged(whole, 12_500), { type: "scale", scale: 1.25 });
    assert.deepEqual(judged(whole, 30_000), { type: "scale", scale: 3 });
    assert.deepEqual(judged(whole, 30_001), { type: "implausible" });
    const cached = { ...noTokens, input: 1_000, cacheRead: 5_000, cacheWrite: 4_000, output: 900 };
    assert.deepEqual(judgeReported(whole, config, cached), { type: "scale", scale: 1 });
  });

  it("C2 below a half, or below three quarters if it is the size of a window, something was cut", () => {
    assert.deepEqual(judged(whole, 4_999), { type: "cut", window: 5_120 });
    assert.deepEqual(judged(whole, 7_168), { type: "cut", window: 7_168 });
    assert.deepEqual(judged([asked(9_557 - fixed)], 7_168), { type: "implausible" });
    assert.deepEqual(judged(whole, 10_240), { type: "implausible" }, "it may just have begun");
    assert.deepEqual(judged(whole, 1_024), { type: "cut", window: 1_024 });
    assert.deepEqual(judged(whole, 1_023), { type: "implausible" }, "no window is so small");
  });

  it("C2 that has not grown with the conversation means a cut, if 100 tokens or more have come", () => {
    const grown = (added: number, more?: Partial<AssistantMessage>, model = config.model) => [
      asked(9_900),
      replied(50, 9_990, more, model),
      asked(added - 50),
    ];
    assert.deepEqual(judged(grown(100), 9_990), { type: "cut", window: 10_240 });
    assert.deepEqual(judged(grown(99), 9_990), { type: "implausible" });
    assert.equal(judged(grown(100), 10_040).type, "scale", "half of what has come");
    assert.equal(judged(grown(100), 10_039).type, "implausible");
    // Only a count of the same model, of the conversation itself, is compared.
    assert.equal(judged(grown(100, { summary: true }), 9_990).type, "scale");
    assert.equal(judged(grown(100, { estimated: true }), 9_990).type, "scale");
    assert.equal(judged(grown(100, {}, { ...config.model, modelID: "other" }), 9_990).type, "scale");
  });

  it("C2 says nothing if a fifth or more of the request may be counted in another way", () => {
    const picture = { type: "file", mime: "image/png", filename: "a.png", url: "data:" } as const;
    const mixed = (tokens: number) => [user("漢".repeat(tokens - 4 - fixed), picture)];
    assert.deepEqual(judged(mixed(6_400), 8_000), { type: "scale", scale: 1 });
    assert.deepEqual(judged(mixed(6_399), 7_999), { type: "implausible" });
  });

  it("C2 is judged alike while a turn grows step by step, and afresh", () => {
    const entries: Entry[] = [asked(3_000)];
    for (let step = 0; step < 12; step++) {
      const report = Math.round(1.1 * (fixed + entries.reduce((all, one) => all + sizeOfEntry(one), 0))) + 1;
      const growing = judged(entries, report);
      assert.deepEqual(growing, judged(structuredClone(entries), report), `step ${step}`);
      assert.equal(growing.type, report % 1024 === 0 ? "implausible" : "scale");
      const { info } = replied(20, report);
      const { parts } = replyOf(config.model, call("read", { step }, "漢".repeat(200 + step)));
      entries.push(step % 5 === 4 ? asked(500) : { info, parts });
    }
    // A request that is no continuation: what was known of its entries does not count for it.
    const later = entries.slice(4);
    assert.deepEqual(judged(later, 9_001), judged(structuredClone(later), 9_001));
  });
});

describe("C2 the tokens of a kind of text", () => {
  const sizes: [text: string, tokens: number][] = [
    ["", 0],
    ["a", 1],
    // Words: one token up to six letters, and by length beyond.
    ["abcdef", 1],
    ["abcdefg ".repeat(100), 119],
    ["abcdefghijklmnop ".repeat(99), 243],
    ["a".repeat(35), 10],
    // Three digits are a token.
    ["123", 1],
    ["1234", 2],
    ["123456789", 3],
    // Words within a name.
    ["fooBar", 2],
    ["fooBarBaz", 4],
    ["FooBar", 2],
    ["foo1", 2],
    ["HTTPServer", 1 + 1],
    // What changes all the time is no name.
    ["a1b2c3d4e5f6g7h8i9j0".repeat(5), 65],
    // Signs.
    ["(".repeat(1), 1],
    [";a".repeat(100), 160],
    [";1".repeat(100), 195],
    ["==".repeat(4), 3],
    ["=".repeat(80), 8],
    // Spaces, line breaks and indentation.
    [" a".repeat(100), 105],
    ["  a".repeat(99), 179],
    ["\na".repeat(100), 175],
    ["\n    a".repeat(100), 235],
    ["\n\n a".repeat(100), 175],
    // Other scripts, a character each.
    ["é".repeat(100), 100],
    ["λ".repeat(99), 60],
    ["ж".repeat(99), 42],
    ["ש".repeat(100), 85],
    ["→".repeat(100), 80],
    ["漢".repeat(100), 100],
    ["😀".repeat(50), 100],
    ["aж".repeat(100), 142],
  ];
  for (const [text, tokens] of sizes) {
    it(`C2 ${JSON.stringify(text.slice(0, 12))}, ${text.length} characters: ${tokens}`, () => {
      assert.equal(sizeOfText(text), tokens);
    });
  }

  it("C2 each script begins and ends where Unicode says", () => {
    const weight = (code: number) => sizeOfText(String.fromCodePoint(code).repeat(99));
    assert.deepEqual(
      [0x80, 0x36f, 0x370, 0x3ff, 0x400, 0x52f, 0x530, 0x1fff, 0x2000, 0x2e7f, 0x2e80].map(weight),
      [99, 99, 60, 60, 42, 42, 85, 85, 80, 80, 99],
    );
    for (const letter of ["a", "z", "A", "Z"]) assert.equal(sizeOfText(`;${letter}`.repeat(100)), 160, letter);
    for (const other of ["0", "9"]) assert.equal(sizeOfText(`;${other}`.repeat(100)), 195, other);
    for (const sign of ["@", "[", "`", "{", "/", ":", "!", "~"]) assert.equal(sizeOfText(sign.repeat(8)), 3, sign);
  });
});
