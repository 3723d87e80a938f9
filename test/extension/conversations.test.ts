/** Sessions of a window next to a headless run of the same session: running, following and cleaning up. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { textPrompt } from "../../src/chat/prompt-input.ts";
import { noSessionCheckpoints } from "../../src/checkpoints/session-checkpoints.ts";
import { Conversations, isWindowThere } from "../../src/extension/sessions/conversations.ts";
import { Sessions } from "../../src/record/sessions.ts";
import { ProjectReader } from "../../src/runtime/project-reader.ts";
import { nodeHost } from "../../src/tools/node-host/node-host.ts";
import { hookLog } from "../hook-log.ts";
import { type Answer, type ModelServer, startModelServer } from "../model-server.ts";
import { usualBoundary } from "../read-boundary.ts";
import { sessionDeps } from "./window-sessions.ts";

const long = Array.from({ length: 40 }, (_, at) => `word${at}`).join(" ");
const slow: Answer = { blocks: [{ text: long, pieces: 40 }], delay: 60 };
const id = "ses_shared";

describe("sessions of a window", () => {
  let folder: string;
  let model: ModelServer;
  let answers: Answer[];
  let store: Sessions;
  let conversations: Conversations;
  let headless: ChildProcess | undefined;
  const bugs: unknown[] = [];
  let hookSettings: unknown;

  beforeEach(async () => {
    hookSettings = {};
    folder = await mkdtemp(path.join(os.tmpdir(), "rondo-conversations-"));
    answers = [];
    model = await startModelServer(() => answers.shift() ?? [{ text: "Yes." }]);
    store = new Sessions(path.join(folder, "sessions"));
    bugs.length = 0;
    conversations = open();
  });
  afterEach(async () => {
    headless?.kill("SIGKILL");
    await conversations.closeAll();
    conversations.dispose();
    await model.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    assert.deepEqual(bugs, []);
  });

  /** Opens a window's sessions with their real dependencies. */
  function open(): Conversations {
    return new Conversations({
      store,
      folder,
      observer: { event() {}, switched() {}, tabsChanged() {}, trouble() {} },
      worktreeOf: () => undefined,
      markOf: () => undefined,
      toReview: () => ({ changes: 0, files: 0 }),
      deps: sessionDeps({ model, bugs }, ({ session: { id: sessionID, cwd } }, choices, { path: transcriptPath }) => {
        const from = { folders: [], home: folder, trusted: true, boundary: usualBoundary, own: hookSettings };
        const context = { cwd, sessionID, transcriptPath, choices, env: process.env, passed: {}, note() {} };
        return {
          host: nodeHost({ folders: [folder], trusted: true, overflowDir: path.join(folder, "outputs") }),
          hooks: new ProjectReader((problem) => bugs.push(problem)).hooks(from, context).hooks,
          checkpoints: noSessionCheckpoints,
        };
      }),
      choicesFor: () => ({
        mode: "default",
        modeEnd: undefined,
        model: { providerID: "anthropic", modelID: "claude-sonnet-5" },
        agent: "build",
        thinking: "default",
        appended: "",
      }),
    });
  }

  it("K4 hooks of a window's session: SessionStart first, SessionEnd with the reason when it is closed", async () => {
    const log = hookLog(folder);
    hookSettings = log.hooks;
    conversations = open();
    answers = [[{ call: { name: "bash", input: { command: "echo made > made.txt" } } }], [{ text: "Done." }]];
    const { current } = conversations;
    current.listen((event) => {
      if (event.type === "asked") current.answer(event.request.id, { kind: "permission", type: "once" });
    });
    await current.prompt(textPrompt("Go"));
    conversations.startNew();
    await conversations.closeAll();
    const lines = log.lines().filter((line) => !line.startsWith("Notification"));
    assert.deepEqual(lines, [
      ...["SessionStart startup", "UserPromptSubmit", "PreToolUse bash", "PermissionRequest bash", "PostToolUse bash"],
      ...["Stop", "SessionEnd end_turn"],
    ]);
  });

  it("reads a session that is shown again only if it has changed meanwhile, here or elsewhere", async () => {
    const reads: string[] = [];
    store = new (class extends Sessions {
      override open(id: string) {
        reads.push(id);
        return super.open(id);
      }
    })(path.join(folder, "sessions"));
    conversations.dispose();
    conversations = open();
    await ask("the first");
    const { id } = conversations.current.chat.session;
    const leaveAndShow = async () => {
      conversations.startNew();
      await conversations.closeAll();
      conversations.show(id);
      return conversations.current.chat;
    };
    const read = structuredClone(await leaveAndShow());
    assert.deepEqual(reads, [id]);
    assert.deepEqual(await leaveAndShow(), read);
    assert.deepEqual(reads, [id]);

    conversations.startNew();
    await conversations.closeAll();
    const elsewhere = store.transcript(id, assert.fail, Sessions.prototype.open.call(store, id));
    elsewhere.append({ type: "session", session: { ...read.session, title: "Renamed elsewhere" } });
    elsewhere.close();
    conversations.show(id);
    assert.equal(conversations.current.chat.session.title, "Renamed elsewhere");
    assert.deepEqual(reads, [id, id]);

    await ask("the second");
    const { length } = conversations.current.chat.messages;
    assert.equal((await leaveAndShow()).messages.length, length);
    assert.deepEqual(reads, [id, id, id]);
  });

  it("W2 a new session begins while hooks hear the first message of the one before", async () => {
    const go = path.join(folder, "go");
    const hook = { type: "command", command: `until [ -e ${go} ]; do sleep 0.02; done` };
    hookSettings = { UserPromptSubmit: [{ hooks: [hook] }] };
    conversations = open();
    const { current: first } = conversations;
    const turn = ask("the first");
    await until("the hook runs", () => first.running);
    conversations.startNew();
    const { current: second } = conversations;
    assert.notEqual(second, first);
    await writeFile(go, "");
    assert.equal((await turn).type, "ended");
    assert.equal(second.chat.messages.length, 0);
    assert.deepEqual(
      conversations.tabs.map(({ title, state }) => `${title} ${state}`),
      ["New session idle", "the first done"],
    );
  });

  function runHeadless(...args: string[]): ChildProcess {
    const extension = vscode.extensions.getExtension("rondo.rondo");
    assert.ok(extension);
    const where = ["--cwd", folder, "--session-dir", store.folder, "--base-url", model.url, "--no-title"];
    const main = path.join(extension.extensionPath, "dist/headless.js");
    const env = { ...process.env, ANTHROPIC_API_KEY: "test-key" };
    headless = spawn(process.execPath, [main, ...where, "--provider", "anthropic", ...args], { env, stdio: "ignore" });
    return headless;
  }

  async function until(what: string, holds: () => boolean): Promise<void> {
    for (const end = Date.now() + 15_000; !holds(); await wait(20)) if (Date.now() > end) assert.fail(`never: ${what}`);
  }

  const said = () => {
    const parts = conversations.current.chat.messages.flatMap((entry) => entry.parts);
    return parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : [])).join("\n");
  };
  const ask = (text: string) => conversations.current.prompt(textPrompt(text));

  it("Q1 follows a headless run, is refused during it, and continues after it", async () => {
    answers = [slow];
    const running = runHeadless("--session-id", id, "talk to me");
    await until("the run has begun", () => store.has(id) && model.requests.length === 1);
    conversations.show(id);
    await until("it is followed", () => said().includes("word5 "));
    assert.ok(conversations.runsElsewhere);
    await until("it is shown as running", () => conversations.current.chat.status.type === "busy");
    await assert.rejects(ask("me too"), { code: "session-locked" });
    assert.equal(model.requests.length, 1, "the model was asked by one of them");

    const [code] = await once(running, "exit");
    assert.equal(code, 0);
    await until("it is free", () => !conversations.runsElsewhere && conversations.current.chat.status.type === "idle");
    assert.ok(said().includes(long), "each word is there once and in order");
    assert.deepEqual(await ask("me too"), { type: "ended", end: { reason: "end_turn", error: undefined } });

    const [again] = await once(runHeadless("--resume", id, "and I again"), "exit");
    assert.equal(again, 0);
    await until("the window has heard of it", () => said().endsWith("and I again\nYes."));
    const left = (await readdir(store.folder)).filter((name) => /lock|claim/.test(name));
    assert.deepEqual(left, []);
  });

  it("Q3 leaves no lock when the window closes during a turn, and keeps the received text", async () => {
    answers = [slow];
    conversations.startNew();
    const { chat } = conversations.current;
    const turn = ask("talk to me");
    await until("it has begun", () => said().includes("word5 "));
    await conversations.closeAll();
    assert.equal((await turn).type, "ended");
    assert.deepEqual(
      (await readdir(store.folder)).filter((name) => /lock|claim/.test(name)),
      [],
    );
    const kept = store.open(chat.session.id).chat;
    assert.deepEqual(kept.messages, chat.messages);
  });

  it("lists a running session and finds it by its words; a session renamed while closed has its new name", async () => {
    await ask("tell me of the pear");
    const pear = conversations.current.chat.session.id;
    conversations.startNew();
    await ask("tell me of the anvil");
    assert.deepEqual(
      (await conversations.search("pear", new AbortController().signal)).map((found) => found.id),
      [pear],
    );
    await conversations.rename(pear, "On fruit");
    assert.deepEqual(
      conversations
        .list()
        .map(({ title }) => title)
        .sort(),
      ["On fruit", "tell me of the anvil"],
    );
    conversations.show(pear);
    assert.equal(conversations.current.chat.session.title, "On fruit");
    await conversations.remove(pear);
    assert.equal(store.has(pear), false);
    assert.equal(conversations.current.chat.messages.length, 0, "an empty session is in its place");
  });

  it("V1 what is decided about changes of a closed session is told when it goes on", async () => {
    await conversations.current.prompt(textPrompt("Hello"));
    const { id: first } = conversations.current.chat.session;
    conversations.startNew();
    await until("closed", () => conversations.openChat(first) === undefined);
    const names = { name: "a.txt", path: path.join(folder, "a.txt") };
    const hunks = [{ line: 1, removed: "mine\n", added: "yours\n" }];
    await conversations.decided(first, [
      { ...names, id: "prt_1", time: Date.now(), action: "rejected", hunks, others: [], before: "1", after: "2" },
    ]);
    conversations.show(first);
    await conversations.current.prompt(textPrompt("Go on"));
    assert.match(model.requests.at(-1)?.raw ?? "", /Go on.*Rejected in a\.txt, and undone:.*- mine.*\+ yours/);
  });

  it("W2 runs several sessions at once: each has its tab, its state, its record and its lock", async () => {
    answers = [slow, slow];
    const { current: first } = conversations;
    const states = () => conversations.tabs.map(({ title, state }) => `${title} ${state}`);
    const firstTurn = ask("the first");
    await until("the first has begun", () => model.requests.length === 1);
    conversations.startNew();
    const { current: second } = conversations;
    const secondTurn = ask("the second");
    await until("both work", () => model.requests.length === 2);
    await until("both have their names", () => second.chat.session.title === "the second");
    assert.deepEqual(states(), ["the first running", "the second running"]);
    assert.deepEqual(
      conversations.list().map(({ title, state }) => [title, state]),
      [
        ["the second", "running"],
        ["the first", "running"],
      ],
    );
    conversations.closeTab(first.chat.session.id);
    assert.equal(conversations.tabs.length, 2, "a session that runs keeps its tab");

    await firstTurn;
    assert.deepEqual(states(), ["the first done", "the second running"]);
    await secondTurn;
    assert.deepEqual(states(), ["the first done", "the second idle"]);
    for (const { chat } of [first, second]) {
      const kept = store.open(chat.session.id).chat;
      assert.deepEqual(kept.messages, chat.messages, "each record has its own messages");
    }
    conversations.show(first.chat.session.id);
    assert.deepEqual(states(), ["the first idle", "the second idle"]);
    conversations.closeTab(first.chat.session.id);
    assert.equal(conversations.current.chat.session.id, second.chat.session.id);
    assert.deepEqual(states(), ["the second idle"]);
  });

  it("W2 gives the sessions of the window before a reload their tabs again", async () => {
    await ask("the first");
    const { id: kept } = conversations.current.chat.session;
    const saved = conversations.tabs;
    conversations = open();
    conversations.restoreTabs([...saved, { id: "ses_deleted", title: "Deleted", state: "idle" }]);
    conversations.show(kept);
    assert.deepEqual(conversations.tabs, [{ id: kept, title: "the first", state: "idle" }]);
  });

  it("knows that its window is open", async () => {
    assert.equal(await isWindowThere(), true);
  });
});
