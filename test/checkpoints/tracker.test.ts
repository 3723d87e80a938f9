/** What the tracker of steps writes into the change log: after crashes, between steps, and for steps that overlap. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type FileState, fileState } from "../../src/checkpoints/files/file-state.ts";
import { Restorer } from "../../src/checkpoints/restore/restorer.ts";
import { CopyPool } from "../../src/checkpoints/steps/copy-pool.ts";
import { StepTracker } from "../../src/checkpoints/steps/step-tracker.ts";
import { ChangeLog, type LogLine } from "../../src/checkpoints/store/change-log.ts";
import { SessionStore } from "../../src/checkpoints/store/session-store.ts";

describe("the tracker of steps", () => {
  let root: string;
  let work: string;
  let open: { steps: StepTracker; store: SessionStore }[];
  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "tracker-test-")));
    work = path.join(root, "work");
    mkdirSync(work);
    open = [];
  });
  afterEach(async () => {
    for (const { steps, store } of open) {
      await steps.close();
      store.close();
    }
    rmSync(root, { recursive: true, force: true });
  });

  /** Opens the session as a new process does. */
  function start() {
    const folder = path.join(root, "store");
    const log = (line: string) => assert.fail(line);
    const store = new SessionStore({ folder, sessionID: "ses", limitBytes: 1e9, log });
    const pool = new CopyPool(path.join(folder, "scratch"));
    const steps = new StepTracker({
      roots: [work],
      storeFolder: folder,
      store,
      pool,
      log,
      changed: undefined,
      settle() {},
    });
    const opened = { steps, store, restores: new Restorer([work], store, steps, undefined) };
    open.push(opened);
    return opened;
  }

  const at = (name: string) => path.join(work, name);
  const put = (name: string, text: string) => writeFileSync(at(name), text);
  const file = (text: string) => fileState(Buffer.from(text), 0o644);
  const lines = () => new ChangeLog(path.join(root, "store/ses")).read();
  const changes = (by: "agent" | "user") =>
    lines().filter((line): line is LogLine & { type: "change" } => line.type === "change" && line.by === by);
  const missing: FileState = { type: "missing" };

  it("records what a killed run may have written, once, and claims to know none of it", async () => {
    for (const name of ["changed", "deleted", "same"]) put(name, "one\n");
    const killed = start().steps;
    await killed.begin({ id: "snp_1", at: 1 });
    await killed.ready(["changed", "deleted", "same", "made"].map(at));
    put("changed", "two\n");
    rmSync(at("deleted"));
    put("made", "new\n");
    const { steps, restores } = start();
    await steps.begin({ id: "snp_2", at: 2 });
    const unknown = (text: string) => ({ ...file(text), hash: "" });
    assert.deepEqual(changes("agent"), [
      {
        type: "change",
        by: "agent",
        files: [
          { path: at("changed"), before: file("one\n"), after: unknown("two\n") },
          { path: at("deleted"), before: file("one\n"), after: missing },
          { path: at("made"), before: missing, after: unknown("new\n") },
        ],
      },
    ]);
    await steps.end("snp_3");
    await steps.begin({ id: "snp_4", at: 4 });
    assert.equal(changes("agent").length, 1);
    const { files } = await restores.preview("snp_1");
    assert.deepEqual(
      files.map(({ path, effect, edited }) => [path, effect, edited]),
      [
        ["changed", "change", "user"],
        ["deleted", "create", false],
        ["made", "delete", "user"],
      ],
    );
  });

  it("ends a step that was not ended when the next one begins, and waits for one that is ending", async () => {
    const { steps, store } = start();
    await steps.begin({ id: "snp_1", at: 1 });
    await steps.ready([at("a")]);
    put("a", "one\n");
    await steps.begin({ id: "snp_2", at: 2 });
    assert.deepEqual(
      lines().map((line) => (line.type === "snapshot" ? line.id : line.type)),
      ["snp_1", "intent", "change", "snp_2-0", "snp_2"],
    );
    await steps.ready([at("a")]);
    put("a", "two\n");
    const ended = steps.end("snp_3");
    const begun = steps.begin({ id: "snp_4", at: 4 });
    const change = await ended;
    await begun;
    assert.deepEqual([change?.snapshot, change?.files], ["snp_3", ["a"]]);
    assert.equal(store.history().at("snp_4"), 4);
    assert.deepEqual(
      lines().flatMap((line) => (line.type === "snapshot" ? line.id : [])),
      ["snp_1", "snp_2-0", "snp_2", "snp_3", "snp_4"],
    );
    assert.equal(await steps.end("snp_5"), undefined);
    assert.equal(lines().length, 9, "a step without changes is not in the log");
  });

  it("remembers the first state of a file that is written several times in a step", async () => {
    const { steps, store } = start();
    put("a", "one\n");
    await steps.begin({ id: "snp_1", at: 1 });
    for (const text of ["two\n", "three\n"]) {
      await steps.ready([at("a")]);
      put("a", text);
    }
    await steps.ready("unknown");
    put("b", "one\n");
    await steps.ready("unknown");
    put("c", "one\n");
    assert.ok(steps.busy);
    const change = await steps.end("snp_2");
    assert.ok(!steps.busy);
    assert.deepEqual(change?.files, ["a", "b", "c"]);
    const past = store.history().since("snp_1");
    assert.deepEqual(past.get(at("a")), { before: file("one\n"), last: file("three\n"), edited: false });
    assert.deepEqual([...past.keys()].sort(), ["a", "b", "c"].map(at));
    assert.deepEqual(store.blobs.get(hash("one\n")), Buffer.from("one\n"));
    assert.deepEqual(changes("user"), []);
  });

  const hash = (text: string) => {
    const state = file(text);
    return state.type === "file" ? state.hash : "";
  };

  it("records up to 200 changes of the user, before the step that begins", async () => {
    const { steps, store } = start();
    const step = async (id: string) => {
      await steps.begin({ id, at: 1 });
      await steps.ready("unknown");
      return await steps.end(`${id}+`);
    };
    await step("snp_1");
    await step("snp_2");
    assert.deepEqual([changes("user"), changes("agent")], [[], []]);
    for (let n = 0; n < 200; n++) put(`a${n}`, "x");
    await step("snp_3");
    assert.equal(changes("user")[0]?.files.length, 200);
    assert.equal(changes("user")[0]?.until, "snp_3");
    assert.equal(store.history().since("snp_2").size, 200);
    assert.ok([...store.history().since("snp_2").values()].every(({ edited }) => edited));
    assert.equal(store.history().since("snp_3").size, 0);
    for (let n = 0; n < 201; n++) put(`b${n}`, "x");
    await step("snp_4");
    assert.equal(changes("user").length, 1, "more are a switched branch or an installation");
    assert.deepEqual(changes("agent"), []);
  });

  it("knows what a restore has written, so that no one seems to have changed it", async () => {
    const { steps, restores } = start();
    mkdirSync(at("old/er"), { recursive: true });
    put("old/er/a", "one\n");
    put("b", "one\n");
    symlinkSync("b", at("link"));
    await steps.begin({ id: "snp_1", at: 1 });
    await steps.ready("unknown");
    rmSync(at("old"), { recursive: true });
    rmSync(at("link"));
    mkdirSync(at("new/er"), { recursive: true });
    put("new/er/c", "one\n");
    put("b", "two\n");
    const change = await steps.end("snp_2");
    assert.deepEqual(change?.files, ["b", "link", "new/er/c", "old/er/a"]);
    const { files } = await restores.preview("snp_1");
    const result = await restores.restore(
      "snp_1",
      files.map(({ path }) => path),
    );
    assert.deepEqual(result.left, []);
    await steps.begin({ id: "snp_3", at: 3 });
    await steps.ready("unknown");
    assert.equal(await steps.end("snp_4"), undefined);
    assert.deepEqual(changes("user"), []);
    const undone = await restores.undo();
    assert.deepEqual([undone.left, undone.restored.length], [[], 4]);
    await steps.begin({ id: "snp_5", at: 5 });
    await steps.ready("unknown");
    assert.equal(await steps.end("snp_6"), undefined);
    assert.deepEqual(changes("user"), []);
  });
});
