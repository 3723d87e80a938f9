/** The conversation is rewound and restored; the record keeps everything (spec I2, I10). */
import assert from "node:assert/strict";
import { IntakeError } from "../../src/loop/session/intake-error.ts";
import { replay } from "../../src/record/replay.ts";
import { textOf } from "./compacting.ts";
import { harnesses, until } from "./harness.ts";

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

  it("is refused while a turn runs", async () => {
    const h = open([{ say: ["…"], hang: true }]);
    const turn = h.turn("first");
    await until(() => h.model.requests.length === 1);
    await assert.rejects(h.session.rewind(h.chat.messages[0]?.info.id ?? ""), IntakeError);
    await h.session.stop();
    await turn;
  });
});
