import assert from "node:assert/strict";
import fs, { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod/mini";
import { textPrompt } from "../../src/chat/prompt-input.ts";
import { newSession, Session } from "../../src/loop/session/session.ts";
import type { RecordError } from "../../src/loop/storage.ts";
import { replay } from "../../src/record/replay.ts";
import { Transcript } from "../../src/record/transcript.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { nodeHost } from "../../src/tools/node-host/node-host.ts";
import { registryOf } from "../../src/tools/registry.ts";
import { defineTool, type Tool } from "../../src/tools/tool.ts";
import { lasting } from "../loop/harness.ts";
import { type Script, ScriptedModel } from "../scripted-model.ts";
import { plainDeps } from "./deps.ts";

/** A device that is always full: writing fails as on a full disk. */
const full = "/dev/full";

describe("a full disk", () => {
  let folder: string;
  let file: string;
  beforeEach(function () {
    if (!existsSync(full)) this.skip();
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-full-"));
    file = path.join(folder, "ses_1.jsonl");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function open(script: Script, tools: readonly Tool[] = coreTools) {
    const model = new ScriptedModel(script);
    const transcript = new Transcript(file, () => {});
    const ref = { providerID: "anthropic", modelID: "test" };
    const session = new Session(
      newSession(folder, "ses_1"),
      { mode: "bypassPermissions", modeEnd: undefined, model: ref, agent: "build", thinking: "default", appended: "" },
      {
        ...plainDeps,
        host: nodeHost({ folders: [folder], trusted: true, overflowDir: folder }),
        tools: registryOf(tools),
        recorder: transcript,
        openModel: async () => model,
        attended: true,
        sendsWaiting: true,
      },
    );
    const fill = () => {
      transcript.close();
      if (existsSync(file)) renameSync(file, `${file}.kept`);
      symlinkSync(full, file);
    };
    const makeRoom = () => {
      unlinkSync(file);
      if (existsSync(`${file}.kept`)) renameSync(`${file}.kept`, file);
    };
    const send = async (text: string) => {
      const result = await session.prompt(textPrompt(text));
      return result.type === "ended" ? result.end : assert.fail();
    };
    return { session, model, transcript, fill, makeRoom, send };
  }

  function checkNothingLost({ session }: ReturnType<typeof open>): void {
    const { chat, broken } = replay(file);
    assert.deepEqual(broken, []);
    assert.deepEqual(lasting(chat), lasting(session.chat));
  }

  it("R2 before the first request: the turn stops with a message, the model is not asked, and Try again works", async () => {
    const run = open([["Hello."]]);
    run.fill();
    const { reason, error } = await run.send("Hi");
    assert.equal(reason, "error");
    assert.match(error?.message ?? "", /^The disk is full/);
    assert.match(error?.next ?? "", /Free some space/);
    assert.equal(run.model.requests.length, 0);
    await assert.rejects(run.send("Hi again"), { name: "RecordError" });
    assert.equal(run.session.chat.messages.length, 1, "the second prompt was not taken");
    run.makeRoom();
    await run.session.tryAgain();
    assert.equal(run.session.chat.ended?.reason, "end_turn");
    checkNothingLost(run);
  });

  it("R2 before a tool: it does not run, its call has a result, and the next prompt continues", async () => {
    const run = open([[{ call: "bash", input: { command: "touch made.txt" } }], ["Hello."]]);
    run.session.listen((event) => {
      if (event.type === "part" && event.part.type === "tool" && event.part.state.status === "pending") {
        if (event.part.state.raw === "") run.fill();
      }
    });
    const { reason, error } = await run.send("Make it");
    assert.equal(reason, "error");
    assert.match(error?.message ?? "", /^The disk is full/);
    assert.ok(!existsSync(path.join(folder, "made.txt")));
    const part = run.session.chat.messages[1]?.parts.find((one) => one.type === "tool");
    assert.equal(part?.type === "tool" && part.state.status, "error");
    run.makeRoom();
    assert.equal((await run.send("Go on")).reason, "end_turn");
    checkNothingLost(run);
  });

  it("L10 the record fails during one of several calls: the turn ends when the other calls have ended", async () => {
    const look = (name: string, prepare: number, work: () => unknown): Tool =>
      defineTool({
        name,
        sideEffect: "read-only",
        description: "A test.",
        input: z.object({}),
        prepare: async () => {
          await sleep(prepare);
          const run = async () => {
            await work();
            return { output: name, metadata: {} };
          };
          return { title: name, preview: { type: "text", text: name }, requires: [], writes: [], run };
        },
      });
    const slow = look("slow", 0, () => {
      run.fill();
      return sleep(60);
    });
    const run = open([[{ call: "slow" }, { call: "late" }]], [slow, look("late", 20, () => assert.fail())]);
    assert.equal((await run.send("Look")).error?.code, "record");
    const states = run.session.chat.messages[1]?.parts.flatMap((part) =>
      part.type === "tool" ? [part.state.status] : [],
    );
    assert.deepEqual(states, ["completed", "error"]);
    run.makeRoom();
    run.transcript.close();
    checkNothingLost(run);
  });

  it("R2 a prompt that cannot be saved is not queued", async () => {
    const run = open([{ hang: true }]);
    const turn = run.send("Hi");
    while (run.model.requests.length === 0) await sleep(1);
    run.fill();
    await assert.rejects(run.session.prompt(textPrompt("And this")), { name: "RecordError" });
    assert.deepEqual(run.session.chat.queue, []);
    run.makeRoom();
    await run.session.stop();
    assert.equal((await turn).reason, "interrupted");
    checkNothingLost(run);
  });

  it("R4 a failing write is tried 3 times, and no byte is written twice or cut off", () => {
    const told: RecordError[] = [];
    const transcript = new Transcript(file, (error) => told.push(error));
    const rename = (title: string) =>
      transcript.append({ type: "session", session: { id: "ses_1", createdAt: 1, title, cwd: "/" } });
    const { writeSync } = fs;
    const failing = (times: number, work: () => void) => {
      let left = times;
      // Half of the bytes are written, as on a disk that runs full.
      fs.writeSync = (fd: number, data: NodeJS.ArrayBufferView | string) => {
        assert.ok(typeof data !== "string");
        if (left-- <= 0) return writeSync(fd, data);
        writeSync(fd, data, 0, Math.floor(data.byteLength / 2));
        throw Object.assign(new Error("disk full"), { code: "ENOSPC" });
      };
      syncBuiltinESMExports();
      try {
        work();
      } finally {
        fs.writeSync = writeSync;
        syncBuiltinESMExports();
      }
    };
    rename("One");
    failing(2, () => transcript.flush());
    rename("Two");
    failing(3, () => assert.throws(() => transcript.flush(), { name: "RecordError", message: /^The disk is full/ }));
    assert.equal(readFileSync(file, "utf8").split("\n").at(-1), "", "nothing incomplete is left");
    assert.equal(replay(file).chat.session.title, "One");
    transcript.close();
    assert.equal(readFileSync(file, "utf8").split("\n").length, 4);
    assert.equal(replay(file).chat.session.title, "Two");
    assert.deepEqual([replay(file).broken, told], [[], []]);
  });
});
