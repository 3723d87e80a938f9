/** The conversation is rewound and restored; the record keeps everything (spec I2, I10). */
import assert from "node:assert/strict";
import type { Entry } from "../../src/chat/apply.ts";
import { IntakeError } from "../../src/loop/session/intake-error.ts";
import { replay } from "../../src/record/replay.ts";
import { textOf } from "./compacting.ts";
import { harnesses, until } from "./harness.ts";

/** What Rondo tells the model stands before the user's words. */
const lastLine = (entry: Entry) => textOf(entry).split("\n").at(-1);

describe("rewinding the conversation", () => {
  const open = harnesses();

  it("I10 sets aside the message and all after it; the model no longer sees them", async () => {
    const h = open([["One."], ["Two."], ["Three."]]);
    await h.turn("first");
    await h.turn("second");
    const second = h.chat.messages.findLast(({ info }) => info.role === "user")?.info.id ?? "";
    await h.session.rewind(second);
    assert.deepEqual(h.chat.setAside.map(textOf).at(-1), "Two.");
    h.checkRecord();
    await h.turn("another");
    const said = h.model.requests.at(-1)?.entries.map(textOf).join("|") ?? "";
    assert.match(said, /first.*One\..*another/);
    assert.doesNotMatch(said, /second|Two/);
    assert.deepEqual(h.chat.setAside, [], "with the next message it is gone for good");
  });

  it("I2 restores the messages that were set aside, until a new one is sent", async () => {
    const h = open([["One."], ["Two."]]);
    await h.turn("first");
    await h.turn("second");
    const before = structuredClone(h.chat.messages);
    const [first] = h.chat.messages;
    await h.session.rewind(first?.info.id ?? "");
    assert.deepEqual(h.chat.messages, []);
    await h.session.rewind(null);
    assert.deepEqual(h.chat.messages, before);
    assert.deepEqual(replay(h.transcript.path).chat.messages, JSON.parse(JSON.stringify(before)));
  });

  it("I10 answers a message again: what was said after it goes, and another model may answer", async () => {
    const h = open([["One."], ["Two."], ["Other."]]);
    await h.turn("first");
    await h.turn("second");
    const first = h.chat.messages[0]?.info.id ?? "";
    h.session.choose({ model: { providerID: "anthropic", modelID: "another" } });
    await h.session.answerAgain(first);
    assert.deepEqual(h.chat.messages.map(lastLine), ["first", "Other."]);
    const { entries, model } = h.model.requests.at(-1) ?? {};
    assert.equal(model, "another");
    assert.doesNotMatch(entries?.map(textOf).join("|") ?? "", /One|second|Two/);
    assert.deepEqual(h.chat.setAside, []);
    h.checkRecord();
    assert.deepEqual(replay(h.transcript.path).chat.messages.map(lastLine), ["first", "Other."]);
  });

  it("I10 answers only a message of the user's again, from its own place", async () => {
    const h = open([["One."], ["Two."], ["Again."]]);
    await h.turn("first");
    await h.turn("second");
    const [, , second, reply] = h.chat.messages;
    await h.session.answerAgain(second?.info.id ?? "");
    assert.deepEqual(h.chat.messages.map(lastLine), ["first", "One.", "second", "Again."]);
    await assert.rejects(h.session.answerAgain(reply?.info.id ?? ""), IntakeError);
    await assert.rejects(h.session.answerAgain(h.chat.messages[1]?.info.id ?? ""), IntakeError);
    assert.equal(h.chat.messages.length, 4, "nothing was taken away");
  });

  it("is refused while a turn runs", async () => {
    const h = open([{ say: ["…"], hang: true }]);
    const turn = h.turn("first");
    await until(() => h.model.requests.length === 1);
    await assert.rejects(h.session.rewind(h.chat.messages[0]?.info.id ?? ""), IntakeError);
    await assert.rejects(h.session.answerAgain(h.chat.messages[0]?.info.id ?? ""), IntakeError);
    await h.session.stop();
    await turn;
  });
});
