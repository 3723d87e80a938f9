/** The numbers by which conversations are measured and cut, each just below and at its limit. */
import assert from "node:assert/strict";
import { overflowLimit, sizeOfEntry, sizeOfPart } from "../../src/loop/context/context.ts";
import { survivors } from "../../src/loop/context/survivors.ts";
import { sizeOfText } from "../../src/loop/context/token-size.ts";
import { defaultLimits } from "../../src/loop/limits.ts";
import { newSession } from "../../src/loop/session/session.ts";
import { failure } from "../scripted-model.ts";
import { assistant, call, user } from "../wire/ask.ts";
import { bareConfig } from "./bare.ts";
import { isSummary } from "./compacting.ts";
import { harnesses } from "./harness.ts";

describe("the numbers of a conversation's size", () => {
  it("C2 an image counts as 1,600 tokens, four characters of a file as one, and a call's frame as 20", () => {
    const image = { type: "file", mime: "image/png", filename: "a.png", url: "data:" } as const;
    assert.equal(sizeOfEntry(user("", image)) - sizeOfEntry(user("")), 1_600);
    const text = { type: "file", mime: "text/plain", filename: "a", url: `data:${"x".repeat(395)}` } as const;
    assert.equal(sizeOfEntry(user("", text)) - sizeOfEntry(user("")), 100);
    const [part = assert.fail()] = assistant(call("read", { path: "a" }, "")).parts;
    assert.equal(sizeOfPart(part) - sizeOfText(JSON.stringify({ path: "a" })), 20);
  });

  it("C1 a third of the window is kept for long replies, and 4,000 tokens for short ones", () => {
    const limits = { ...defaultLimits, compactAt: 1 };
    assert.equal(overflowLimit(bareConfig(90_000, { maxTokens: 64_000 }), limits), 60_000);
    assert.equal(overflowLimit(bareConfig(90_000, { maxTokens: 1_000 }), limits), 86_000);
    assert.equal(overflowLimit(bareConfig(100_000), defaultLimits), 85_000);
  });
});

describe("the numbers of what survives", () => {
  /** Survivors of a conversation in which files with names of these lengths were read. */
  function files(...lengths: number[]): string[] {
    const reads = lengths.map((length, at) => call("read", { file_path: String(at).padEnd(length, "x") }, ""));
    const chat = { ...newSession("/"), messages: [user("x"), assistant(...reads)] };
    const [, section = ""] = survivors(chat, 128_000).split("# Files in work, newest first\n");
    return section.split("\n\n")[0]?.split("\n") ?? [];
  }

  // "- " before a name and " (read)" after it are 9 characters.
  it("C3 a line of 400 characters is whole, and one of 401 is cut", () => {
    assert.equal(files(391)[0]?.length, 400);
    assert.match(files(391)[0] ?? "", / \(read\)$/);
    assert.equal(files(392)[0]?.length, 402);
    assert.match(files(392)[0] ?? "", / \(read …$/);
  });

  it("C3 lines of 4,000 characters with their ends are all kept; with one more, the last is left out", () => {
    const nine = Array.from({ length: 9 }, () => 390);
    assert.equal(files(390, ...nine).length, 10);
    assert.doesNotMatch(files(390, ...nine).at(-1) ?? "", /more/);
    assert.equal(files(391, ...nine).at(-1), "- (1 more)");
  });

  it("C3 open to-dos have 4,000 characters, too", () => {
    const section = (...lengths: number[]) => {
      const todos = lengths.map((length) => ({ content: "y".repeat(length), status: "pending" }));
      const chat = { ...newSession("/"), messages: [user("x"), assistant(call("todo_write", { todos }, ""))] };
      return survivors(chat, 128_000).split("# Open to-dos\n")[1]?.split("\n") ?? [];
    };
    // "- [pending] " before each and the end of its line are 13 characters.
    const nine = Array.from({ length: 9 }, () => 387);
    assert.doesNotMatch(section(387, ...nine).at(-1) ?? "", /more/);
    assert.equal(section(388, ...nine).at(-1), "- (1 more)");
  });
});

describe("the number of tries of a summary", () => {
  const open = harnesses();

  it("C3 is four, also when a shorter part of the conversation is left to try", async () => {
    const said = "word ".repeat(2_000);
    const h = open(
      (request) => (isSummary(request) ? { fail: failure("context-full") } : { say: [said], tokens: "none" }),
      {
        choices: { model: { providerID: "anthropic", modelID: "local" } },
        limits: { contextWindow: 200_000 },
        tools: [],
      },
    );
    for (let n = 0; n < 30; n++) await h.turn("Go on.");
    await h.session.compact();
    assert.equal(h.model.requests.filter(isSummary).length, 4);
    const left = h.model.requests.at(-1)?.entries.length ?? 0;
    assert.ok(left > 5, `${left} entries`);
  });
});
