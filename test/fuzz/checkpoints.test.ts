/**
 * Random sequences of edits by tools, commands and the user, restores and undos; several processes that may be killed
 * (E1).
 */
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { actions, Play } from "../checkpoints/play.ts";
import { never, World } from "../checkpoints/world.ts";
import { randomly } from "../random.ts";

const runs = 50;

describe("random checkpoints", () => {
  randomly(`E1 lose no user changes and restore every byte in ${runs} sequences`, async function () {
    this.timeout(60_000 + runs * 2000);
    const property = fc.asyncProperty(actions, fc.boolean(), (some, git) => new Play().play(some, git));
    await fc.assert(property, { numRuns: runs });
  });
});

describe("checkpoints of several processes and many files", () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.dispose());

  it("serves several processes at once", async () => {
    const children = ["ses_x", "ses_x", "ses_y"].map((id, at) =>
      start([world.store, world.folder, id, `f${at}`, "10", path.join(world.root, `${id}.turn`)]),
    );
    await Promise.all(children.map((child) => once(child, "exit")));
    for (const [at, id] of ["ses_x", "ses_x", "ses_y"].entries()) {
      const checkpoints = world.open(id);
      const lines = readFileSync(path.join(world.store, id, "log.jsonl"), "utf8")
        .split("\n")
        .filter(Boolean);
      assert.ok(lines.every((line) => JSON.parse(line)));
      const first = readFileSync(path.join(world.root, `first-f${at}`), "utf8");
      const { files } = await checkpoints.preview(first, never);
      assert.ok(files.some(({ path, effect }) => path === `f${at}` && effect === "delete"));
    }
  });

  it("finds every change among more files than one thread checks", async () => {
    const name = (at: number) => `d${at % 150}/f${at}`;
    for (let at = 0; at < 21_000; at++) world.put(name(at), `${at}\n`);
    await world.command("true");
    let count = 21_000;
    for (let round = 0; round < 4; round++) {
      const changed = Array.from({ length: 40 }, (_, at) => name(at * 97 + round * 13));
      const gone = Array.from({ length: 300 }, (_, at) => name(5_000 + round * 300 + at));
      const made = Array.from({ length: 350 }, () => name(count++));
      const begun = world.checkpoints.begin();
      await world.checkpoints.ready("unknown", never);
      for (const file of gone) rmSync(world.path(file));
      for (const file of [...changed, ...made]) world.put(file, `${round} ${file}\n`);
      const change = await world.checkpoints.end();
      assert.deepEqual(change?.files, [...changed, ...gone, ...made].sort());
      if (round !== 2) continue;
      await world.restore(begun);
      assert.equal(world.text(gone[7] ?? ""), `${5_000 + round * 300 + 7}\n`);
    }
    // Without a scan right before the command, file times tell which changes are the user's.
    const { begun, change } = await world.command("mv d7 moved; echo agent > d8/f8", () => {
      world.put("d9/f9", "mine\n");
      world.put("d9/new", "mine\n");
      world.shell("sleep 0.05");
    });
    const { files } = await world.preview(begun);
    const edited = files.filter((file) => file.edited).map(({ path }) => path);
    assert.deepEqual(edited.sort(), ["d9/f9", "d9/new"]);
    assert.ok(change?.files.includes("moved/f7") && change.files.includes("d8/f8") && change.files.includes("d7/f7"));
  }).timeout(60_000);

  it("survives kill -9 during steps and restores", async () => {
    for (let round = 0; round < 6; round++) {
      world.clear();
      world.put("f", "the user's\n");
      const child = start([world.store, world.folder, "ses_k", "f", "1000"]);
      await once(child, "message");
      await sleep(20 + round * 23);
      child.kill("SIGKILL");
      await once(child, "exit");
      const first = readFileSync(path.join(world.root, "first-f"), "utf8");
      world.checkpoints = world.open("ses_k");
      await world.restore(first, "all");
      assert.equal(world.text("f"), "the user's\n");
      await world.checkpoints.close();
      assert.deepEqual(readdirSync(world.folder), ["f"]);
    }
  });

  it("takes contents from the repository when there are too many files to copy", async () => {
    for (let at = 0; at < 36; at++) world.put(`big-${at}`, `${at}\n`.repeat(1_900_000 / `${at}\n`.length));
    world.put(".gitattributes", "big-1 filter=own\n");
    world.commit();
    // Racy for git, like all files that change together with the index.
    world.shell("sleep 0.02; touch later; git add later; git update-index --refresh");
    const index = readFileSync(world.path(".git/index"));
    const old = new Date(Date.now() - 1e6);
    for (let at = 0; at < 2; at++) utimesSync(world.path(`big-${at}`), old, old);
    world.shell("git update-index --refresh");
    assert.notDeepEqual(readFileSync(world.path(".git/index")), index);
    const stats = statSync(world.path(".git/index"));
    const before = world.text("big-0");
    const { begun } = await world.command("echo x > big-0; echo x > big-1");
    assert.deepEqual(await world.planned(begun), [
      "change big-0",
      "change big-1 Rondo has no copy of its earlier content.",
    ]);
    await world.restore(begun);
    assert.ok(world.text("big-0") === before);
    assert.equal(statSync(world.path(".git/index")).mtimeMs, stats.mtimeMs);
  });
});

const start = (args: string[]) =>
  fork(path.join(import.meta.dirname, "../checkpoints/child.ts"), args, { stdio: "inherit" });
