/** Prompts that are sent while a turn runs. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { textPrompt } from "../../src/chat/prompt-input.ts";
import { ownWords } from "../../src/chat/words.ts";
import { newSession } from "../../src/loop/session/session.ts";
import { Harness, harnesses, until } from "./harness.ts";

const read = (file_path: string) => ({ call: "read", input: { file_path } });

describe("queued prompts", () => {
  const open = harnesses();

  it("Q2 a prompt sent during a turn joins at the next step, in order", async () => {
    const h = open(
      [
        {
          say: [read("a.txt")],
          before: async () => {
            assert.deepEqual(await h.send("Two"), { type: "queued" });
            await h.send("Three");
            assert.equal(h.chat.queue.length, 2);
          },
        },
        ["All done."],
      ],
      { files: { "a.txt": "x" } },
    );
    assert.equal((await h.turn("One")).reason, "end_turn");
    assert.equal(h.chat.queue.length, 0);
    const roles = h.model.requests[1]?.entries.map(({ info }) => info.role);
    assert.deepEqual(roles, ["user", "assistant", "user", "user"]);
  });

  it("Q2 can interrupt the turn: a new turn answers all of them", async () => {
    const h = open([{ say: ["Half"], hang: true }, ["Whole."]]);
    const first = h.turn("One");
    await until(() => h.text() === "Half");
    await h.send("Two");
    await h.send("Three");
    await h.session.sendQueuedNow();
    assert.equal((await first).reason, "interrupted");
    assert.equal(h.text(), "Whole.");
    assert.deepEqual([h.chat.queue.length, h.model.requests.length], [0, 2]);
    await h.session.sendQueuedNow();
    assert.equal(h.model.requests.length, 2, "nothing is queued");
  });

  it("Q2 a prompt during the last reply is answered before the turn ends", async () => {
    const h = open([{ say: ["One."], before: () => h.send("Two") }, ["Two."]]);
    assert.equal((await h.turn("One")).reason, "end_turn");
    assert.equal(h.text(), "Two.");
    assert.equal(h.events.filter((event) => event.type === "ended").length, 1);
  });

  it("Q2 a prompt is neither lost nor left waiting at any moment of the end", async () => {
    for (const moment of ["step-finish", "message", "ended", "status", "loop:persist", "loop:end"]) {
      const h = open([["One."], ["Two."]]);
      let sent: Promise<unknown> | undefined;
      const send = (type: string) => {
        if (type === moment && h.text() === "One.") sent ??= h.send("Two");
      };
      h.session.listen((event) => send(event.type === "part" ? event.part.type : event.type));
      const push = h.loopEvents.push.bind(h.loopEvents);
      h.loopEvents.push = (event) => {
        send(event.type);
        return push(event);
      };
      await h.turn("One");
      await sent;
      await until(() => !h.session.running);
      assert.ok(sent, moment);
      assert.equal(h.text(), "Two.", moment);
      assert.equal(h.chat.queue.length, 0);
    }
  });

  it("Q2 after max_turns a queued prompt starts its own turn", async () => {
    const h = open([{ say: [read("a.txt")], before: () => h.send("Two") }, ["Two."]], {
      files: { "a.txt": "x" },
      limits: { maxTurns: 1 },
    });
    assert.equal((await h.turn("One")).reason, "end_turn");
    assert.equal(h.text(), "Two.");
  });

  it("P3 queue-full; withdrawing a prompt frees a place", async () => {
    const h = open([{ hang: true }], { limits: { maxQueueDepth: 2 } });
    const turn = h.turn("One");
    await until(() => h.model.requests.length === 1);
    await h.send("Two");
    await h.send("Three");
    await assert.rejects(h.send("Four"), { code: "queue-full", status: 429 });
    h.session.queue.withdraw(h.chat.queue[0]?.id ?? "");
    await h.send("Four");
    assert.deepEqual(
      h.chat.queue.map(({ parts }) => ownWords(parts)),
      ["Three", "Four"],
    );
    await h.session.stop();
    assert.equal((await turn).reason, "interrupted");
    assert.equal(h.chat.queue.length, 2, "Stop answers nothing more");
  });

  it("Q2 prompts queued at Stop precede the next prompt", async () => {
    const h = open([{ hang: true }, ["Both."]]);
    const turn = h.turn("One");
    await until(() => h.model.requests.length === 1);
    await h.send("Two");
    await h.session.stop();
    await turn;
    await h.turn("Three");
    const said = h.model.requests[1]?.entries.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : [])),
    );
    assert.deepEqual(said, ["One", "Two", "Three"]);
  });

  it("R3 prompts queued when the process ended come first; a partly sent one is not duplicated", async () => {
    const chat = newSession("/");
    const base = { sessionID: chat.session.id, messageID: "msg_1" };
    chat.messages.push({
      info: {
        id: "msg_1",
        sessionID: base.sessionID,
        createdAt: 1,
        role: "user",
        agent: "build",
        model: { providerID: "anthropic", modelID: "test" },
      },
      parts: [{ ...base, id: "prt_1", type: "text", text: "Half tak" }],
    });
    chat.queue = ["msg_1", "msg_2"].map((id) => ({ id, ...textPrompt(`The words of ${id}`), when: "next-step" }));
    const h = new Harness([["Hello."]], { chat });
    await h.turn("New");
    const said = h.chat.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : [])),
    );
    assert.deepEqual(said, ["The words of msg_1", "The words of msg_2", "New", "Hello."]);
    await h.session.dispose();
    h.transcript.close();
    rmSync(h.folder, { recursive: true });
  });
});
