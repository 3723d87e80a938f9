/** Random sequences of edits by tools, commands and the user, restores and undos; several processes, and their ends (E1). */
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { actions, Play } from "../checkpoints/play.ts";
import { never, World } from "../checkpoints/world.ts";

const runs = Math.ceil(Number(process.env["RONDO_FUZZ_RUNS"] ?? 2000) / 10);
const seed = Number(process.env["RONDO_FUZZ_SEED"] ?? Date.now() % 2 ** 31);

describe("random checkpoints", () => {
  it(`E1 lose nothing of the user's and come back to the byte in ${runs} sequences (RONDO_FUZZ_SEED=${seed})`, async () => {
    const property = fc.asyncProperty(actions, fc.boolean(), (some, git) => new Play().play(some, git));
    await fc.assert(property, { numRuns: runs, seed });
  }).timeout(60_000 + runs * 2000);
});

describe("checkpoints of several processes", () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.dispose());

  it("serves several processes at once", async () => {
    const children = ["ses_x", "ses_x", "ses_y"].map((id, at) =>
      start([world.store, world.folder, id, `f${at}`, "10"]),
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

  it("comes through kill -9 in the middle of steps and restores", async () => {
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
});

const start = (args: string[]) =>
  fork(path.join(import.meta.dirname, "../checkpoints/child.ts"), args, { stdio: "inherit" });
