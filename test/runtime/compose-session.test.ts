/** What every front end gets with a session: it ends in one order, and leaves nothing, whatever fails. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { textPrompt } from "../../src/chat/prompt-input.ts";
import { noSessionCheckpoints } from "../../src/checkpoints/session-checkpoints.ts";
import { noOutcome } from "../../src/loop/hooks.ts";
import { newSession } from "../../src/loop/session/session.ts";
import { noLedger } from "../../src/loop/storage.ts";
import { openModel } from "../../src/providers/providers.ts";
import { Sessions } from "../../src/record/sessions.ts";
import { type ComposedSession, composeSession } from "../../src/runtime/compose-session.ts";
import { type SessionRecord, StoredRecord, unstoredRecord } from "../../src/runtime/session-record.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { nodeHost } from "../../src/tools/node-host/node-host.ts";
import { registryOf } from "../../src/tools/registry.ts";
import { type Block, type ModelServer, startModelServer } from "../model-server.ts";
import { plainDeps } from "../record/deps.ts";

describe("a composed session", () => {
  let folder: string;
  let model: ModelServer;
  let answers: Block[][];
  let sessions: Sessions;
  /** What was told, ended and saved, in order. */
  let order: string[];

  beforeEach(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-compose-"));
    answers = [];
    order = [];
    sessions = new Sessions(path.join(folder, "sessions"));
    model = await startModelServer(() => answers.shift() ?? [{ text: "Done." }]);
  });
  afterEach(async () => {
    await model.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  function stored(): SessionRecord {
    const failed = (error: Error) => assert.fail(error);
    const places = { sessions, found: undefined, ledger: noLedger, lockTimeoutMs: 10_000, isAlive: undefined, failed };
    return new StoredRecord("ses_one", places);
  }

  function compose(record: SessionRecord, endOfServers = async () => {}): ComposedSession {
    const { limits, facts, fallbackModel, rules, keepRules, ruleUsed, project, externalTools, log } = plainDeps;
    const { close, saveSummary } = record;
    return composeSession({
      chat: newSession(folder, "ses_one"),
      choices: {
        ...{ mode: "bypassPermissions", modeEnd: undefined, agent: "build", thinking: "default", appended: "" },
        model: { providerID: "anthropic", modelID: "claude-sonnet-5" },
      },
      record: Object.assign(record, {
        close() {
          order.push("record");
          close.call(record);
        },
        saveSummary(chat: Parameters<typeof saveSummary>[0]) {
          order.push("summary");
          saveSummary.call(record, chat);
        },
      }),
      host: nodeHost({ folders: [folder], trusted: true, overflowDir: record.outputs }),
      checkpoints: {
        ...noSessionCheckpoints,
        background: async (isRunning) => void order.push(`background ${isRunning}`),
        close: async () => void order.push("checkpoints"),
      },
      tools: registryOf(coreTools),
      hooks: {
        has: (event) => event === "SessionEnd",
        fire: async (event) => {
          order.push(event);
          return noOutcome;
        },
      },
      models: {
        ...{ limits, facts, fallbackModel },
        openModel: () => openModel("anthropic", { apiKey: "test-key", baseURL: model.url }),
      },
      rules: { rules, keepRules, ruleUsed },
      project: { project, gitState: async () => "unknown" },
      user: { attended: false, sendsWaiting: false, titles: false },
      ...{ externalTools, log },
      own: [
        {
          async close() {
            order.push("servers");
            await endOfServers();
          },
        },
      ],
    });
  }

  it("ends first, then what it uses, and at last its record, which the list of sessions knows", async () => {
    const { session, close } = compose(stored());
    await session.prompt(textPrompt("Go"));
    assert.deepEqual(
      sessions.list().map(({ id, messages }) => [id, messages]),
      [["ses_one", 2]],
    );
    order.length = 0;
    await close();
    assert.deepEqual(order, ["SessionEnd", "checkpoints", "servers", "record", "summary"]);
  });

  it("keeps its record, and ends the rest, if a part cannot be ended", async () => {
    const { session, close } = compose(stored(), async () => {
      throw new Error("the server does not end");
    });
    await session.prompt(textPrompt("Go"));
    await assert.rejects(close(), /the server does not end/);
    assert.deepEqual(order.slice(-4), ["checkpoints", "servers", "record", "summary"]);
    assert.equal(sessions.open("ses_one").chat.messages.length, 2);
  });

  it("tells the checkpoints when a command begins and ends in the background", async () => {
    const command = `until [ -e go ]; do sleep 0.02; done`;
    answers = [[{ call: { name: "bash", input: { command, run_in_background: true } } }], [{ text: "It runs." }]];
    const { session, close } = compose(stored());
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    session.listen((event) => {
      if (event.type === "background" && event.commands.every(({ state }) => state.type === "ended")) resolve();
    });
    await session.prompt(textPrompt("Go"));
    assert.deepEqual(
      order.filter((line) => line.startsWith("background")),
      ["background true"],
    );
    writeFileSync(path.join(folder, "go"), "");
    await ended;
    assert.equal(order.filter((line) => line.startsWith("background")).at(-1), "background false");
    await close();
  });

  it("leaves no folder if it is not stored", async () => {
    const record = unstoredRecord();
    const { session, close } = compose(record);
    await session.prompt(textPrompt("Go"));
    assert.ok(existsSync(record.outputs));
    await close();
    assert.equal(existsSync(record.outputs), false);
    assert.deepEqual(sessions.list(), []);
  });
});
