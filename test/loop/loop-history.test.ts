/** Which calls of a conversation count for a loop (spec T6). */
import assert from "node:assert/strict";
import type { Chat, Entry } from "../../src/chat/apply.ts";
import type { ToolState } from "../../src/chat/message.ts";
import { isLoop, LoopDetection, type MadeCall } from "../../src/loop/calls/loop-detection.ts";
import { newSession } from "../../src/loop/session/session.ts";
import { assistant, user } from "../wire/ask.ts";

const input = { id: "bash_1" };
const look = { tool: "bash_output", input, output: undefined };

function made(state: ToolState, tool = "bash_output") {
  return { type: "tool", callID: "c", tool, state } as const;
}
const done = (output: string) =>
  made({ status: "completed", input, output, title: "", metadata: {}, start: 1, end: 2 });
const failed = (error: string, denied = false) =>
  made({ status: "error", input, error, ...(denied && { metadata: { denied } }), start: 1, end: 2 });
const waiting = made({ status: "pending", input, raw: "" });

function chatOf(...messages: Entry[]): Chat {
  const chat = newSession("/");
  chat.messages = messages;
  return chat;
}

/** Whether the next look, after these, completes a loop of three. */
function notices(before: readonly Entry[], detection = new LoopDetection()): boolean {
  const now = assistant(waiting);
  const at = { messageID: now.info.id, partID: now.parts[0]?.id ?? "" };
  return detection.notices(chatOf(...before, now), at, look, 3);
}

const looks = (count: number, make: (at: number) => Parameters<typeof assistant>[0]) =>
  Array.from({ length: count }, (_, at) => assistant({ type: "text", text: "I look." }, make(at)));

describe("T6 calls that count for a loop", () => {
  it("T6 the outputs before tell whether a call polls, errors too, but not denials", () => {
    const prompt = user("Hi.");
    for (const [make, patience] of [
      [() => done("the same"), 3],
      [(at: number) => done(`${at}`), 12],
      [(at: number) => failed(`${at}`), 12],
      [() => failed("the same"), 3],
      [(at: number) => failed(`${at}`, true), 3],
      [(at: number) => (at % 2 === 0 ? failed("no", true) : done("the same")), 3],
      [() => waiting, 3],
    ] as const) {
      assert.equal(notices([prompt, ...looks(patience - 2, make)]), false, String(make));
      assert.equal(notices([prompt, ...looks(patience - 1, make)]), true, String(make));
    }
  });

  it("T6 a prompt begins anew, Rondo's own messages do not, and the first message counts", () => {
    const two = looks(2, () => done("x"));
    assert.equal(notices(two), true);
    assert.equal(notices([user("Hi."), ...two]), true);
    const [one, other] = two as [Entry, Entry];
    assert.equal(notices([user("Hi."), one, user("And this."), other]), false);
    assert.equal(notices([user("Hi."), one, user({ type: "text", text: "Go on.", synthetic: true }), other]), true);
  });

  it("T6 only calls before it count, not those beside it that come later", () => {
    const now = assistant(done("x"), waiting, done("x"), done("x"));
    const at = (part: number) => ({ messageID: now.info.id, partID: now.parts[part]?.id ?? "" });
    const chat = chatOf(user("Hi."), assistant(done("x")), now);
    const detection = new LoopDetection();
    assert.deepEqual(
      [0, 1, 2, 3].map((part) => detection.notices(chat, at(part), look, 3)),
      [false, true, true, true],
    );
    const elsewhere = assistant(waiting);
    assert.equal(detection.notices(chat, { messageID: elsewhere.info.id, partID: at(1).partID }, look, 3), false);
  });

  it("T6 after a call that the user has let pass, counting begins anew; refusals are counted", () => {
    const detection = new LoopDetection();
    const before = looks(4, () => done("x"));
    assert.equal(notices(before, detection), true);
    detection.pass(before[2]?.parts[1]?.id ?? "");
    assert.equal(notices(before, detection), false);
    assert.equal(notices([...before, ...looks(1, () => done("x"))], detection), true);
    assert.deepEqual([detection.refuse(), detection.refuse()], [1, 2]);
  });
});

describe("T6 polling", () => {
  const poll = (output: string, tool = "bash_output"): MadeCall => ({ tool, input, output });
  /** The number of the call, from 1, at which a loop of three is noticed. */
  const noticedAt = (calls: readonly MadeCall[]) =>
    1 + calls.findIndex((one, at) => isLoop([{ ...one, output: undefined }, ...calls.slice(0, at).toReversed()], 3));

  it("T6 ends when the newest outputs are the same", () => {
    assert.equal(noticedAt(["1", "2", "x", "x", "y", "z"].map((output) => poll(output))), 5);
  });

  it("T6 is seen whatever came before", () => {
    const before = { tool: "read", input: { file_path: "a" }, output: "x" };
    assert.equal(noticedAt([before, ...Array.from({ length: 20 }, (_, at) => poll(`${at}`))]), 13);
  });

  it("T6 is what the shell does: the words of another tool, or what is no text, are none", () => {
    for (const [tool, command] of [
      ["run", "sleep 5"],
      ["bash", ["sleep 5"]],
    ] as const) {
      const calls = Array.from({ length: 9 }, (_, at) => ({ tool, input: { command }, output: `${at}` }));
      assert.equal(noticedAt(calls), 3);
    }
  });
});
