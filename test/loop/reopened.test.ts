/** R3: sessions whose window was closed or killed while a question was open, opened again from real records. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Chat } from "../../src/chat/apply.ts";
import type { Answer } from "../../src/chat/requests.ts";
import { IntakeError } from "../../src/loop/session/intake-error.ts";
import { replay } from "../../src/record/replay.ts";
import { askUser } from "../../src/tools/built-in/ask-user.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import type { Script } from "../scripted-model.ts";
import { Harness, type HarnessOptions, harnesses, until } from "./harness.ts";

const once = { kind: "permission", type: "once" } as const;
const append = { call: "bash", input: { command: "echo ran >> log.txt" } };
const second = { call: "bash", input: { command: "echo second >> log.txt" } };
const options = [{ label: "A" }, { label: "B" }];
const choose = { call: "ask_user", input: { questions: [{ question: "A or B?", header: "", options }] } };
const look = { call: "read", input: { file_path: "a.txt" } };
const files = { "a.txt": "x\n" };
const tools = [...coreTools, askUser];

describe("R3 a question that was open", () => {
  const open = harnesses();
  const reopened: Harness[] = [];
  afterEach(async () => {
    for (const h of reopened.splice(0)) {
      await h.session.dispose();
      h.transcript.close();
    }
  });

  function chatOf(record: string | Buffer, folder: string): Chat {
    const file = path.join(folder, ".cut.jsonl");
    writeFileSync(file, record);
    const { chat } = replay(file);
    rmSync(file);
    return chat;
  }

  /** Opens a session again in the same folder, as a window does that finds its record. */
  async function reopen(
    chat: Chat,
    folder: string,
    script: Script,
    more: Partial<HarnessOptions> = {},
  ): Promise<Harness> {
    const again = new Harness(script, { chat, folder, tools, ...more });
    reopened.push(again);
    assert.ok(await again.session.recover());
    return again;
  }

  async function closed(script: Script, kind: "permission" | "choices" | "loop" = "permission") {
    const h = open(script, { tools, files });
    const turn = h.turn();
    if (kind === "loop") await h.asked("loop");
    else await h.asked(kind);
    await h.session.dispose();
    assert.equal((await turn).reason, "interrupted");
    h.transcript.flush();
    return { h, chat: replay(h.transcript.path).chat };
  }

  it("comes back after the window was closed, and the answer goes on with the turn", async () => {
    const { h, chat } = await closed([[append, second]]);
    const again = await reopen(chat, h.folder, [["Done."]]);
    const request = await again.asked();
    assert.equal(request.preview.type === "command" && request.preview.command, "echo ran >> log.txt");
    assert.equal(existsSync(path.join(h.folder, "log.txt")), false);
    await again.answerNext(once);
    await until(() => again.chat.requests.some((one) => one.id !== request.id));
    await again.answerNext(once);
    await until(() => again.chat.status.type === "idle");
    assert.equal(h.read("log.txt"), "ran\nsecond\n");
    assert.equal(again.text(), "Done.");
    assert.equal(again.chat.session.terminated, undefined);
    const results = again.calls.map(({ state }) => state.status);
    assert.deepEqual(results, ["completed", "completed"]);
  });

  for (const kind of ["choices", "loop"] as const) {
    it(`comes back: ${kind}`, async () => {
      const script = kind === "choices" ? [[choose]] : [[look], [look], [look], [look], [look], [look]];
      const { h, chat } = await closed(script, kind);
      const again = await reopen(chat, h.folder, [["Done."]]);
      const request = await again.asked(kind);
      const answer: Answer =
        kind === "choices" ? { kind, type: "chosen", choices: [["B"]] } : { kind, type: "continue" };
      assert.ok(again.session.answer(request.id, answer));
      await until(() => again.chat.status.type === "idle" && again.text() === "Done.");
      assert.equal(again.calls.at(-1)?.state.status, "completed");
    });
  }

  it("is stopped, denied with words, or overtaken by a message as before", async () => {
    for (const how of ["stop", "words", "message"] as const) {
      const { h, chat } = await closed([[append]]);
      const again = await reopen(chat, h.folder, [["Well."], ["Too."]]);
      const request = await again.asked();
      if (how === "stop") await again.session.stop();
      else if (how === "message") {
        assert.equal((await again.send("Another thing.")).type, "queued");
        again.session.answer(request.id, { kind: "permission", type: "deny", words: "no" });
      } else again.session.answer(request.id, { kind: "permission", type: "deny", words: "Use another file." });
      await until(() => again.chat.status.type === "idle");
      assert.equal(existsSync(path.join(h.folder, "log.txt")), false);
      assert.match(again.results()[0] ?? "", how === "stop" ? /^ERROR Tool execution aborted/ : /says: /);
      assert.equal(again.model.requests.length, how === "stop" ? 0 : 1);
      assert.deepEqual(again.chat.requests, []);
    }
  });

  for (const [now, more] of [
    ["allow it", { mode: "bypassPermissions" }],
    ["deny it", { mode: "plan" }],
    ["leave it to a workspace that is not trusted", { trusted: false }],
  ] as const) {
    it(`does not run and asks no model while it is only looked at, if the rules now ${now}; Continue goes on`, async () => {
      const { h, chat } = await closed([[append, second, look]]);
      const again = await reopen(chat, h.folder, [["Went on."]], more);
      await until(() => !again.session.running && again.calls.every(({ state }) => state.status === "error"));
      assert.deepEqual(again.chat.requests, []);
      assert.equal(again.model.requests.length, 0, "the model is not asked");
      assert.equal(existsSync(path.join(h.folder, "log.txt")), false);
      assert.equal(again.chat.session.terminated?.by, "process", "the panel offers Continue");
      assert.match(again.results()[0] ?? "", /^ERROR Not run: Rondo was closed before the user had answered/);
      for (const result of again.results().slice(1)) assert.match(result, /^ERROR Not run: Rondo was closed before/);
      await again.session.continueTurn();
      assert.equal(again.text(), "Went on.");
      assert.equal(again.chat.session.terminated, undefined);
      assert.equal(existsSync(path.join(h.folder, "log.txt")), false);
    });
  }

  it("is told as not run where nobody can answer", async () => {
    const { h, chat } = await closed([[append, second]]);
    const again = await reopen(chat, h.folder, [["Well."]], { attended: false });
    assert.deepEqual(again.chat.requests, []);
    assert.match(again.results()[0] ?? "", /^ERROR Not run: Rondo was closed before the user had answered/);
    assert.match(again.results()[1] ?? "", /^ERROR Not run: Rondo was closed before this began/);
    await again.turn("go on");
    assert.equal(existsSync(path.join(h.folder, "log.txt")), false);
  });

  it("comes back, or its call is told as cut, at every byte at which the process is killed; nothing runs twice", async () => {
    const h = open([[append], ["Done."]], { tools, files });
    const turn = h.turn();
    await h.answerNext(once);
    await turn;
    h.transcript.flush();
    const record = readFileSync(h.transcript.path);
    const lines = record.toString().split("\n");
    const at = lines.findIndex((line) => line.includes('"asking":true'));
    assert.ok(at > 0, "the question is in the record");
    const outcomes = new Set<string>();
    let end = Buffer.byteLength(lines.slice(0, at - 2).join("\n"));
    // Every byte of a few lines, and the end of each line.
    const cuts = new Set<number>();
    for (const [index, line] of lines.slice(at - 2).entries()) {
      end += Buffer.byteLength(line) + 1;
      for (const back of index < 6 ? [0, 1, 2, Math.ceil(line.length / 2), line.length] : [0]) cuts.add(end - back);
    }
    for (const cut of cuts) {
      if (cut <= 0 || cut > record.length) continue;
      rmSync(path.join(h.folder, "log.txt"), { force: true });
      const chat = chatOf(record.subarray(0, cut), h.folder);
      const before = chat.messages.flatMap(({ parts }) => parts).find((part) => part.type === "tool");
      const asked =
        before?.type === "tool" && before.state.status === "running" && before.state.metadata?.asking === true;
      const again = await reopen(chat, h.folder, [["Went on."]]);
      if (asked) {
        await again.answerNext(once);
        await until(() => again.chat.status.type === "idle" && again.text() === "Went on.");
        assert.equal(h.read("log.txt"), "ran\n", "it ran once");
        outcomes.add("asked");
      } else {
        assert.deepEqual(again.chat.requests, []);
        assert.equal(again.session.running, false);
        assert.equal(existsSync(path.join(h.folder, "log.txt")), false, "nothing runs on its own");
        assert.ok(again.calls.every(({ state }) => state.status === "completed" || state.status === "error"));
        outcomes.add(again.results()[0]?.slice(0, 17) ?? "no call");
      }
    }
    assert.ok(outcomes.has("asked") && outcomes.has("ERROR Interrupted"), [...outcomes].join(", "));
  });

  it("a second window that cannot have the lock does not ask", async () => {
    const { h, chat } = await closed([[append]]);
    const lock = { acquire: () => Promise.reject(new IntakeError("session-locked", "Held by another window.")) };
    const again = new Harness([], { chat, folder: h.folder, tools, lock });
    reopened.push(again);
    assert.equal(await again.session.recover(), false);
    assert.deepEqual(again.chat.requests, []);
    assert.equal(again.calls[0]?.state.status, "running", "the other window decides about the call");
  });
});

describe("R3 Continue", () => {
  const open = harnesses();

  it("goes on with a turn that was cut: the model is told, and nothing runs again", async () => {
    const h = open([[{ call: "bash", input: { command: "echo ran >> log.txt; sleep 60" } }]], {
      mode: "bypassPermissions",
    });
    const turn = h.turn();
    // The shell creates the file before the line is in it.
    const log = path.join(h.folder, "log.txt");
    await until(() => existsSync(log) && h.read("log.txt") === "ran\n");
    await h.session.dispose();
    await turn;
    h.transcript.flush();
    const { chat } = replay(h.transcript.path);
    assert.equal(chat.session.terminated?.by, "process");
    const again = new Harness([["Went on."]], { chat, folder: h.folder });
    assert.ok(await again.session.recover());
    await again.session.continueTurn();
    assert.equal(again.text(), "Went on.");
    assert.equal(h.read("log.txt"), "ran\n");
    const sent = JSON.stringify(again.model.requests[0]);
    assert.match(sent, /The window was closed while you worked/);
    assert.equal(again.chat.session.terminated, undefined);
    await again.session.dispose();
    again.transcript.close();
  });
});
