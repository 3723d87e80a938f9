/** Two sessions that work on one folder at once, in one window: checkpoints, review, locks and limits. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { textPrompt } from "../../src/chat/prompt-input.ts";
import type { SessionCheckpoints } from "../../src/checkpoints/session-checkpoints.ts";
import { editorCheckpoints } from "../../src/extension/checkpoints/editor-checkpoints.ts";
import { type EditorHost, vscodeHost } from "../../src/extension/host/vscode-host.ts";
import { Review } from "../../src/extension/review/review.ts";
import { StepChanges } from "../../src/extension/review/step-changes.ts";
import { ChangeAuthors } from "../../src/extension/sessions/change-authors.ts";
import { Conversations } from "../../src/extension/sessions/conversations.ts";
import { noHooks } from "../../src/loop/hooks.ts";
import type { Session } from "../../src/loop/session/session.ts";
import { openModel } from "../../src/providers/providers.ts";
import { RateLimits } from "../../src/providers/shared/rate-limits.ts";
import { Sessions } from "../../src/record/sessions.ts";
import { type Answer, type ModelServer, startModelServer } from "../model-server.ts";
import { sessionDeps } from "./window-sessions.ts";

const { signal } = new AbortController();
const original = "one\ntwo\nthree\n";

describe("two sessions on one folder", () => {
  /** In the open folder. */
  let folder: string;
  /** Out of the open folder: storage, and files that tell commands to go on. */
  let storage: string;
  let model: ModelServer;
  let host: EditorHost;
  let review: Review;
  let changes: StepChanges;
  let authors: ChangeAuthors;
  let conversations: Conversations;
  let limits: RateLimits;
  /** The answers to each session, by a word of its prompt. */
  const answers = new Map<string, Answer[]>();
  const opened = new Map<string, SessionCheckpoints>();
  const bugs: unknown[] = [];
  const warnings: string[] = [];

  beforeEach(async () => {
    const [open] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(open);
    folder = await realpath(await mkdtemp(path.join(open.uri.fsPath, "two-")));
    storage = await realpath(await mkdtemp(path.join(os.tmpdir(), "rondo-two-")));
    for (const name of ["a.txt", "b.txt", "c.txt"]) await writeFile(at(name), original);
    for (const list of [bugs, warnings]) list.length = 0;
    answers.clear();
    opened.clear();
    model = await startModelServer((request) => {
      for (const [word, list] of answers) if (request.raw.includes(word)) return list.shift() ?? [{ text: "Done." }];
      return [{ text: "Which task?" }];
    });
    begin();
  });

  afterEach(async () => {
    await conversations.closeAll();
    conversations.dispose();
    changes.dispose();
    await review.flush();
    review.dispose();
    host.dispose();
    await model.stop();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    await rm(storage, { recursive: true, force: true, maxRetries: 5 });
    assert.deepEqual([bugs, warnings], [[], []]);
  });

  /** Starts what a window starts. */
  function begin(): void {
    const tell = (sentence: string) => void warnings.push(sentence);
    const storageUri = vscode.Uri.file(storage);
    review = new Review({ storage: storageUri, warn: tell });
    changes = new StepChanges({ review, tell });
    host = vscodeHost({
      watch: review,
      terminal: () => ({ mode: "separate", shell: "", passEnvironment: [] }),
      sandbox: () => "off",
      secrets: () => [],
      state: [],
      markersFolder: path.join(storage, "markers"),
    });
    const kept = new Map<string, unknown>();
    const memory: vscode.Memento = {
      keys: () => [...kept.keys()],
      get: <T>(key: string) => kept.get(key) as T | undefined,
      update: async (key: string, value: unknown) => void kept.set(key, value),
    };
    authors = new ChangeAuthors(memory, () => review.files().filter(({ hunks }) => hunks > 0));
    limits = new RateLimits(path.join(storage, "limits"));
    const store = new Sessions(path.join(storage, "sessions"));
    const access = { apiKey: "test-key", baseURL: model.url };
    conversations = new Conversations({
      store,
      folder,
      observer: {
        event: (session, event) => authors.note(session.chat.session.id, event),
        ...{ switched() {}, tabsChanged() {}, trouble: ({ message }) => tell(message) },
      },
      worktreeOf: () => undefined,
      markOf: () => undefined,
      toReview: (id) => authors.count(id),
      deps: sessionDeps({ model, bugs }, ({ session }, _choices, record) => {
        const about = { sessionID: session.id, folders: () => [path.dirname(folder)], isApart: false };
        const log = { warn: tell };
        const checkpoints = editorCheckpoints({ ...about, storage: storageUri, log, review, changes });
        opened.set(session.id, checkpoints);
        return {
          ...{ checkpoints, hooks: noHooks, host: host.forSession(record.outputs) },
          openModel: async () => limits.shared(await openModel("anthropic", access), access),
        };
      }),
      choicesFor: () => ({
        mode: "bypassPermissions",
        modeEnd: undefined,
        model: { providerID: "anthropic", modelID: "claude-sonnet-5" },
        agent: "build",
        thinking: "default",
        appended: "",
      }),
    });
  }

  const at = (name: string) => path.join(folder, name);
  const text = (name: string) => readFile(at(name), "utf8");
  const go = (name: string) => path.join(storage, name);
  const bash = (command: string) => ({ call: { name: "bash", input: { command } } });
  /** A command that says that it has come this far, and waits. */
  const pause = (name: string) => `touch ${go(`${name}-waits`)}; until [ -e ${go(name)} ]; do sleep 0.02; done`;
  const edit = (name: string, from: string, to: string) => ({
    call: { name: "edit", input: { file_path: at(name), old_string: from, new_string: to } },
  });
  const read = (name: string) => ({ call: { name: "read", input: { file_path: at(name) } } });

  async function until(what: string, holds: () => boolean): Promise<void> {
    for (const end = Date.now() + 30_000; !holds(); await wait(20)) if (Date.now() > end) assert.fail(`never: ${what}`);
  }
  const waits = (name: string) => until(`${name} waits`, () => existsSync(go(`${name}-waits`)));

  /** Gives a task to a new session; `word` names it. */
  async function start(word: string, ...script: Answer[]) {
    answers.set(word, script);
    conversations.startNew();
    const session = conversations.current;
    const turn = session.prompt(textPrompt(word));
    let ended = false;
    void turn.finally(() => {
      ended = true;
    });
    // A short turn may have ended before anyone looks.
    await until("it works", () => session.running || ended);
    return { session, id: session.chat.session.id, turn };
  }

  /** Returns what a restore to before the first message would do, and who else has changed each file. */
  async function planned(id: string): Promise<{ snapshot: string; own: string[]; lines: string[] }> {
    const { messages } = conversations.chat(id);
    const parts = messages.flatMap((entry) => entry.parts);
    const begun = parts.find((part) => part.type === "step-start" && part.snapshot !== undefined);
    assert.ok(begun?.type === "step-start" && begun.snapshot !== undefined);
    conversations.show(id);
    const plan = await conversations.checkpoints.preview(begun.snapshot, signal);
    const files = plan.files.map((file) => ({ ...file, name: path.basename(file.file) }));
    return {
      snapshot: begun.snapshot,
      own: files.flatMap(({ edited, path: shown }) => (edited ? [] : [shown])),
      lines: files.map(({ name, edited }) => `${name} ${edited || "own"}`).sort(),
    };
  }
  const listed = () =>
    review
      .files()
      .filter(({ hunks }) => hunks > 0)
      .map(({ path: file }) => path.basename(file))
      .sort();
  const authorsOf = (name: string) => new Set(authors.byPath().get(at(name)));
  const endOf = async ({ turn }: { turn: ReturnType<Session["prompt"]> }) => {
    const result = await turn;
    return result.type === "ended" ? result.end.reason : result.type;
  };

  it("W1 commands and edits of both at once: each row names its session, and a restore takes back its own alone", async () => {
    const one = await start("apple", [
      bash(`sed -i s/one/1/ ${at("a.txt")}; ${pause("one")}; sed -i s/two/2/ ${at("a.txt")}`),
    ]);
    await waits("one");
    const two = await start(
      "banana",
      [read("b.txt")],
      [edit("b.txt", "two", "2")],
      [bash(`sed -i s/three/3/ ${at("c.txt")}`)],
    );
    assert.equal(await endOf(two), "end_turn");
    assert.ok(one.session.running, "the other one goes on");
    await writeFile(go("one"), "");
    assert.equal(await endOf(one), "end_turn");

    assert.deepEqual(listed(), ["a.txt", "b.txt", "c.txt"]);
    assert.deepEqual(authorsOf("a.txt"), new Set([one.id]));
    assert.deepEqual(authorsOf("b.txt"), new Set([two.id]));
    assert.deepEqual(authorsOf("c.txt"), new Set([one.id, two.id]), "both ran commands when it was changed");
    assert.deepEqual(authors.count(two.id), { files: 2, changes: 2 });

    const plan = await planned(one.id);
    assert.deepEqual(plan.lines, ["a.txt own", "b.txt session", "c.txt session"]);
    assert.deepEqual((await conversations.checkpoints.restore(plan.snapshot, plan.own, signal)).left, []);
    assert.deepEqual(await Promise.all(["a.txt", "b.txt", "c.txt"].map(text)), [
      original,
      "one\n2\nthree\n",
      "one\ntwo\n3\n",
    ]);
    await until("the restored file has left the review", () => !listed().includes("a.txt"));
    assert.deepEqual(listed(), ["b.txt", "c.txt"]);
    assert.equal((await planned(two.id)).own.length, 1, "b.txt alone is certainly its own");
  });

  it("W1 a file that one changes after the other is named after both, and all of it is rejected", async () => {
    const two = await start("banana", [read("b.txt")], [edit("b.txt", "two", "2")]);
    await endOf(two);
    const one = await start("apple", [bash(`sed -i s/one/1/ ${at("b.txt")}; ${pause("one")}`)]);
    await waits("one");
    await writeFile(go("one"), "");
    await endOf(one);
    assert.deepEqual(listed(), ["b.txt"]);
    assert.deepEqual(authorsOf("b.txt"), new Set([one.id, two.id]));
    const plan = await planned(two.id);
    assert.deepEqual(plan.lines, ["b.txt session"], "a restore of the first would take back the second's");
    assert.deepEqual(plan.own, []);
    await review.decide("reject");
    assert.equal(await text("b.txt"), original);
  });

  it("W2 Stop of one ends its command alone; the other goes on, and keeps its lock", async () => {
    const one = await start("apple", [bash(`${pause("one")}; echo never > ${at("a.txt")}`)]);
    const two = await start("banana", [bash(`${pause("two")}; sed -i s/one/1/ ${at("b.txt")}`)]);
    await Promise.all([waits("one"), waits("two")]);
    await conversations.stop(one.id);
    assert.equal(await endOf(one), "interrupted");
    assert.ok(two.session.running);
    const locks = async () => (await readdir(path.join(storage, "sessions"))).filter((name) => name.includes("lock"));
    assert.equal((await locks()).length, 1);
    await writeFile(go("one"), "");
    await writeFile(go("two"), "");
    assert.equal(await endOf(two), "end_turn");
    assert.deepEqual([await text("a.txt"), await text("b.txt")], [original, "1\ntwo\nthree\n"]);
    assert.deepEqual(authorsOf("b.txt"), new Set([two.id]), "the stopped one had ended before");
    assert.deepEqual(await locks(), []);
  });

  it("T12 a file that the other session has changed is read again before it is edited", async () => {
    const first = await start("apple", [read("a.txt")]);
    await endOf(first);
    await endOf(await start("banana", [read("a.txt")], [edit("a.txt", "two", "2")]));
    answers.set("apple", [[{ call: { name: "write", input: { file_path: at("a.txt"), content: "mine\n" } } }]]);
    conversations.show(first.id);
    await conversations.current.prompt(textPrompt("apple again"));
    assert.equal(await text("a.txt"), "one\n2\nthree\n");
    assert.match(model.requests.at(-1)?.raw ?? "", /changed since|read it again/i);
  });

  it("W5 what one is told about the rate limit, the other keeps to without asking", async () => {
    const refusal = { type: "error", error: { type: "rate_limit_error", message: "Slow down." } };
    const one = await start("apple", { status: 429, headers: { "retry-after": "30" }, body: refusal });
    await until("the first waits", () => one.session.chat.status.type === "retry");
    const two = await start("banana");
    await until("the second waits, too", () => two.session.chat.status.type === "retry");
    assert.equal(model.requests.length, 1, "the second did not ask");
    const { status } = two.session.chat;
    assert.ok(status.type === "retry");
    assert.match(status.message, /rate limit/);
    await Promise.all([one, two].map(({ id }) => conversations.stop(id)));
    assert.deepEqual(await Promise.all([endOf(one), endOf(two)]), ["interrupted", "interrupted"]);
  });
});
