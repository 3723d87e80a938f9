/** Prompts that wait for the next step, and prompts that wait for the end of the turn. */
import assert from "node:assert/strict";
import { textPrompt } from "../../src/chat/prompt-input.ts";
import { ownWords } from "../../src/chat/words.ts";
import type { PromptResult, WhenBusy } from "../../src/loop/session/session.ts";
import { replay } from "../../src/record/replay.ts";
import { failure } from "../scripted-model.ts";
import { type Harness, harnesses, until } from "./harness.ts";

const read = { call: "read", input: { file_path: "a.txt" } };
const files = { "a.txt": "x" };

const send = (h: Harness, text: string, when: WhenBusy): Promise<PromptResult> =>
  h.session.prompt(textPrompt(text), when);

/** What the user and the model have said, in order. */
const said = (h: Harness) => h.chat.messages.map(({ parts }) => ownWords(parts)).filter(Boolean);

/** The words of the queue, with when they are sent. */
const queue = (h: Harness) => h.chat.queue.map(({ parts, when }) => `${ownWords(parts)} ${when}`);

const ends = (h: Harness) => h.events.flatMap((event) => (event.type === "ended" ? [event.reason] : []));

describe("Q2 when a prompt of the queue is sent", () => {
  const open = harnesses();

  it("Q2 one joins at the next step, the others begin turns of their own after it, in order", async () => {
    const before = async () => {
      assert.deepEqual(await send(h, "Later one.", "after-turn"), { type: "queued" });
      await send(h, "Later two.", "after-turn");
      await send(h, "Now.", "queue");
      assert.deepEqual(queue(h), ["Now. next-step", "Later one. after-turn", "Later two. after-turn"]);
    };
    const h = open([{ say: [read], before }, ["First done."], ["One done."], ["Two done."]], { files });
    await h.turn("First.");
    assert.deepEqual(said(h), ["First.", "Now.", "First done."], "the turn ended without the others");
    await until(() => ends(h).length === 3 && !h.session.running);
    assert.deepEqual(said(h).slice(3), ["Later one.", "One done.", "Later two.", "Two done."]);
    assert.deepEqual(h.chat.queue, []);
    assert.equal(h.loopEvents.filter(({ type }) => type === "loop:start").length, 3);
  });

  it("Q2 one that waits for the end of the turn does not join when the turn ends without a step more", async () => {
    const h = open([{ say: ["First done."], before: () => send(h, "Later.", "after-turn") }, ["Later done."]]);
    await h.turn("First.");
    assert.equal(h.model.requests.length, 1);
    await until(() => ends(h).length === 2);
    assert.deepEqual(said(h), ["First.", "First done.", "Later.", "Later done."]);
  });

  it("Q2 nothing waits where no turn runs", async () => {
    const h = open([["Done."]]);
    assert.equal((await send(h, "Go.", "after-turn")).type, "ended");
    assert.deepEqual(said(h), ["Go.", "Done."]);
  });

  it("Q2 Stop keeps them in the queue; they follow the next turn", async () => {
    const h = open([{ hang: true }, ["New done."], ["Later done."]]);
    const turn = h.turn("First.");
    await until(() => h.model.requests.length === 1);
    await send(h, "Later.", "after-turn");
    await h.session.stop();
    assert.equal((await turn).reason, "interrupted");
    assert.equal(h.session.running, false);
    assert.deepEqual(queue(h), ["Later. after-turn"]);
    await h.turn("New.");
    await until(() => ends(h).length === 3);
    assert.deepEqual(said(h), ["First.", "New.", "New done.", "Later.", "Later done."]);
  });

  it("Q2 an error keeps them in the queue; they follow when the turn has been tried again", async () => {
    const broken = { fail: failure("auth"), before: () => send(h, "Later.", "after-turn") };
    const h = open([broken, ["First done."], ["Later done."]]);
    assert.equal((await h.turn("First.")).reason, "error");
    assert.equal(h.session.running, false);
    assert.deepEqual(queue(h), ["Later. after-turn"]);
    await h.session.tryAgain();
    await until(() => ends(h).length === 3);
    assert.deepEqual(said(h), ["First.", "First done.", "Later.", "Later done."]);
  });

  it("Q2 a limit keeps them in the queue", async () => {
    const before = () => send(h, "Later.", "after-turn");
    const h = open([{ say: [read], before }, ["Never."]], { files, limits: { maxTurns: 1 } });
    assert.equal((await h.turn("First.")).reason, "max_turns");
    assert.equal(h.session.running, false);
    assert.deepEqual(queue(h), ["Later. after-turn"]);
  });

  it("Q2 a plan that waits for its answer is not passed over", async () => {
    const h = open(
      [{ say: ["The plan."], before: () => send(h, "Later.", "after-turn") }, ["Built."], ["Later done."]],
      {
        mode: "plan",
      },
    );
    await h.turn("Plan it.");
    await h.asked("plan");
    assert.equal(h.session.running, false);
    assert.deepEqual(queue(h), ["Later. after-turn"]);
    h.session.startBuilding("acceptEdits");
    await h.turn("Build it.");
    await until(() => ends(h).length === 3);
    assert.deepEqual(said(h).slice(2), ["Build it.", "Built.", "Later.", "Later done."]);
  });

  it("Q2 interrupt: the turn ends, the prompt is sent at once, and what waits for the end of a turn follows it", async () => {
    const h = open([{ hang: true }, ["Now done."], ["Later done."]]);
    const turn = h.turn("First.");
    await until(() => h.model.requests.length === 1);
    await send(h, "Later.", "after-turn");
    const now = send(h, "Now.", "interrupt");
    assert.equal((await turn).reason, "interrupted");
    assert.partialDeepStrictEqual(await now, { type: "ended", end: { reason: "end_turn" } });
    await until(() => ends(h).length === 3);
    assert.deepEqual(said(h), ["First.", "Now.", "Now done.", "Later.", "Later done."]);
  });

  it("Q2 the time of a queued prompt can be changed; the queue stands in the order of sending", async () => {
    const h = open([{ hang: true }]);
    const turn = h.turn("First.");
    await until(() => h.model.requests.length === 1);
    for (const text of ["One.", "Two."]) await send(h, text, "queue");
    for (const text of ["Three.", "Four."]) await send(h, text, "after-turn");
    const id = (text: string) => h.chat.queue.find(({ parts }) => ownWords(parts) === text)?.id ?? assert.fail();
    await h.session.queue.setTime(id("One."), "after-turn");
    assert.deepEqual(queue(h), ["Two. next-step", "One. after-turn", "Three. after-turn", "Four. after-turn"]);
    await h.session.queue.setTime(id("Four."), "next-step");
    assert.deepEqual(queue(h), ["Two. next-step", "Four. next-step", "One. after-turn", "Three. after-turn"]);
    await h.session.queue.move(id("Three."), 0);
    assert.deepEqual(queue(h), ["Two. next-step", "Four. next-step", "Three. after-turn", "One. after-turn"]);
    await h.session.stop();
    await turn;
  });

  it("Q2 a queued prompt is sent now: the turn is interrupted, and it comes before the others", async () => {
    const h = open([{ hang: true }, ["Three done."], ["Two done."]]);
    const turn = h.turn("First.");
    await until(() => h.model.requests.length === 1);
    await send(h, "One.", "queue");
    await send(h, "Two.", "after-turn");
    await send(h, "Three.", "after-turn");
    await h.session.sendQueuedNow("msg_unknown");
    assert.ok(h.session.running, "a prompt that is gone interrupts nothing");
    await h.session.sendQueuedNow(h.chat.queue[2]?.id);
    assert.equal((await turn).reason, "interrupted");
    await until(() => ends(h).length === 3);
    assert.deepEqual(said(h), ["First.", "Three.", "One.", "Three done.", "Two.", "Two done."]);
  });

  it("Q2 the queue is sent now: one turn for those of the next step, or for the first of the others", async () => {
    const h = open([{ hang: true }, ["One done."], ["Two done."]]);
    const turn = h.turn("First.");
    await until(() => h.model.requests.length === 1);
    await send(h, "One.", "after-turn");
    await send(h, "Two.", "after-turn");
    await h.session.stop();
    await turn;
    await h.session.sendQueuedNow();
    await until(() => ends(h).length === 3);
    assert.deepEqual(said(h), ["First.", "One.", "One done.", "Two.", "Two done."]);
  });

  it("Q2 the queue holds both kinds up to its depth", async () => {
    const h = open([{ hang: true }], { limits: { maxQueueDepth: 2 } });
    const turn = h.turn("First.");
    await until(() => h.model.requests.length === 1);
    await send(h, "One.", "queue");
    await send(h, "Two.", "after-turn");
    await assert.rejects(send(h, "Three.", "after-turn"), { code: "queue-full" });
    await h.session.stop();
    await turn;
  });

  it("Q2 R1 a record keeps the times: a session that is opened again runs nothing, and goes on in order", async () => {
    const first = open([{ hang: true }]);
    const turn = first.turn("First.");
    await until(() => first.model.requests.length === 1);
    await send(first, "Later one.", "after-turn");
    await send(first, "Later two.", "after-turn");
    await send(first, "Next.", "queue");
    first.transcript.flush();
    // As after a crash: the turn has left no end.
    const { chat, broken } = replay(first.transcript.path);
    assert.deepEqual(broken, []);
    await first.session.stop();
    await turn;

    const again = open([["First done."], ["One done."], ["Two done."]], { chat });
    assert.ok(await again.session.recover());
    assert.equal(again.session.running, false);
    assert.deepEqual(queue(again), ["Next. next-step", "Later one. after-turn", "Later two. after-turn"]);
    await again.session.continueTurn();
    await until(() => ends(again).length === 3);
    assert.deepEqual(said(again), [
      ...["First.", "Next.", "First done."],
      ...["Later one.", "One done.", "Later two.", "Two done."],
    ]);
    assert.deepEqual(replay(again.transcript.path).chat.queue, []);
  });
});
