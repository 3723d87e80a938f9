/** Restores that are killed at each of their writes: they can be finished or undone, and nothing of the user's is lost. */
import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { isPartlyWritten } from "../../src/checkpoints/restore/broken-restore.ts";
import { Restorer } from "../../src/checkpoints/restore/restorer.ts";
import { CopyPool } from "../../src/checkpoints/steps/copy-pool.ts";
import { StepTracker } from "../../src/checkpoints/steps/step-tracker.ts";
import { ChangeLog } from "../../src/checkpoints/store/change-log.ts";
import { SessionStore } from "../../src/checkpoints/store/session-store.ts";
import { randomly } from "../random.ts";
import { World } from "./world.ts";

const writers = [
  "appendFileSync",
  "fchmodSync",
  "ftruncateSync",
  "mkdirSync",
  "openSync",
  "renameSync",
  "rmdirSync",
  "rmSync",
  "symlinkSync",
  "unlinkSync",
  "writeFileSync",
  "writeSync",
] as const;

/**
 * Runs `work` in a process that dies at its write number `at`: that one is done in half, and no later one at all. Returns
 * whether it got that far.
 */
async function killedAt(at: number, work: () => Promise<unknown>): Promise<boolean> {
  const originals = writers.map((name) => [name, fs[name]] as const);
  let count = 0;
  const dead = new Error("killed");
  for (const [name, original] of originals) {
    const replacement = (...args: unknown[]) => {
      if (name === "openSync" && args[1] !== "wx" && !(Number(args[1]) & fs.constants.O_WRONLY))
        return Reflect.apply(original, fs, args);
      count++;
      if (count < at) return Reflect.apply(original, fs, args);
      if (count === at) halfOf(name, args, originals);
      throw dead;
    };
    Object.assign(fs, { [name]: replacement });
  }
  syncBuiltinESMExports();
  try {
    await work().catch((error) => assert.equal(error, dead));
  } finally {
    Object.assign(fs, Object.fromEntries(originals));
    syncBuiltinESMExports();
  }
  return count >= at;
}

/** Does the first half of a write. Other calls cannot be divided. */
function halfOf(name: string, args: unknown[], originals: readonly (readonly [string, unknown])[]): void {
  const original = originals.find(([other]) => other === name)?.[1];
  assert.ok(typeof original === "function");
  const [file, content, from, length, ...more] = args;
  if (name === "writeSync") Reflect.apply(original, fs, [file, content, from, Number(length) >> 1, ...more]);
  if (name === "appendFileSync") {
    const text = String(content);
    Reflect.apply(original, fs, [file, text.slice(0, text.length >> 1), from]);
  }
}

describe("restores that are killed", () => {
  let world: World;
  let open: { steps: StepTracker; store: SessionStore }[] = [];
  afterEach(closeAll);

  async function closeAll() {
    for (const { steps, store } of open) {
      await steps.close();
      store.close();
    }
    open = [];
    await world.dispose();
  }

  /** Opens the session as a new process does. */
  function start() {
    const log = (line: string) => assert.match(line, /killed/);
    const store = new SessionStore({ folder: world.store, sessionID: "ses", limitBytes: 1e9, log });
    const pool = new CopyPool(path.join(world.store, "scratch"));
    const { roots, store: storeFolder } = world;
    const steps = new StepTracker({ roots, storeFolder, store, pool, log, changed: undefined, settle() {} });
    open.push({ steps, store });
    return { steps, restores: new Restorer(roots, store, steps, undefined) };
  }

  /** Each kind of change, among them those that take several writes. */
  function fill() {
    world.put("changed", "one\n".repeat(9));
    world.put("deleted", "one\n");
    world.put("long", "one\n".repeat(9));
    world.put("short", "one\n");
    world.put("names/of-long", "");
    world.shell("ln -f long names/of-long; ln short names/of-short; ln -s one link; ln -s one was-link");
    world.put("was-file", "one\n");
    world.put("dir/inner", "one\n");
    world.shell("mkdir was-folder");
  }
  const changes =
    "echo two > changed; rm deleted; echo x > long; seq 9 > short; chmod 600 short; ln -sfn two link; " +
    "rm was-link; mkdir was-link; rm was-file; mkdir was-file; rm -r dir; echo x > dir; rmdir was-folder; " +
    "echo x > was-folder; mkdir -p new/er; echo x > new/er/a; echo x > b";

  /** Makes a step, and kills a restore of it at a write. */
  async function broken(at: number) {
    world = new World();
    fill();
    const before = world.tree();
    const first = start();
    await first.steps.begin({ id: "snp_1", at: 1 });
    await first.steps.ready("unknown");
    world.shell(changes);
    await first.steps.end("snp_2");
    const after = world.tree();
    const { files } = await first.restores.preview("snp_1");
    assert.deepEqual(
      files.filter(({ problem }) => problem !== ""),
      [],
    );
    const paths = files.map(({ path }) => path);
    const isKilled = await killedAt(at, () => first.restores.restore("snp_1", paths));
    return { before, after, isKilled, paths, ...start() };
  }

  it("V31 are finished, or undone as a whole, whatever the write", async function () {
    this.timeout(240_000);
    let cut = 0;
    for (let at = 1; ; at++) {
      const { before, after, isKilled, paths, restores } = await broken(at);
      if (!isKilled) break;
      const words = `killed at write ${at}`;
      const told = restores.restored();
      if (told && told.open > 0) {
        cut++;
        assert.equal(told.files + told.open, paths.length, words);
        const { left, restored } = await restores.finish();
        assert.deepEqual([left, restored.length], [[], paths.length], words);
      }
      // Before its line in the log is whole, a restore has done nothing.
      assert.deepEqual(world.tree(), told ? before : after, words);
      assert.deepEqual((await restores.undo()).left, [], words);
      assert.deepEqual(world.tree(), after, words);
      assert.equal(restores.restored(), undefined);

      await restores.preview("snp_1");
      await killedAt(at, () => restores.restore("snp_1", paths));
      const { left } = await start().restores.undo();
      assert.deepEqual([left, world.tree()], [[], after], `not finished, ${words}`);
      await closeAll();
    }
    assert.ok(cut > 30, `only ${cut} places cut the restore off`);
  });

  it("V31 leave what the user has changed since, and say so", async () => {
    // Far enough that "changed" and others are restored, and some are not.
    const { restores } = await broken(40);
    const told = restores.restored();
    assert.ok(told && told.files > 0 && told.open > 0, JSON.stringify(told));
    for (const name of ["changed", "b"]) world.put(name, "mine\n");
    const { left } = await restores.finish();
    assert.deepEqual(left.map(({ path, problem }) => `${path}: ${problem}`).sort(), [
      "b: It has changed in the meantime.",
      "changed: It has changed in the meantime.",
    ]);
    await restores.undo();
    assert.deepEqual([world.text("changed"), world.text("b")], ["mine\n", "mine\n"]);
  });

  it("V31 tell at an undo, too, what has changed since", async () => {
    const { after, restores } = await broken(40);
    world.put("changed", "mine\n");
    const { left } = await restores.undo();
    assert.deepEqual(left, [{ path: "changed", problem: "It has changed in the meantime." }]);
    const mode = (world.tree()["work/changed"] ?? "").slice(0, 3);
    assert.deepEqual(world.tree(), { ...after, "work/changed": `${mode} mine\n` });
  });

  it("V31 of an undo can be finished", async () => {
    const { before, after, restores } = await broken(1e9);
    assert.deepEqual(world.tree(), before);
    assert.ok(await killedAt(30, () => restores.undo()));
    const again = start().restores;
    const told = again.restored();
    assert.ok(told?.isUndo && told.open > 0, JSON.stringify(told));
    assert.deepEqual((await again.finish()).left, []);
    assert.deepEqual(world.tree(), after);
    assert.equal(again.restored(), undefined);
  });

  it("V31 end where they are when the session goes on, and can be undone then", async () => {
    const { after, restores } = await broken(40);
    assert.ok((restores.restored()?.open ?? 0) > 0);
    restores.settle();
    const told = restores.restored();
    assert.ok(told && told.files > 0 && told.open === 0, JSON.stringify(told));
    await restores.undo();
    assert.deepEqual(world.tree(), after);
  });

  it("V31 are not taken over from a process that is still at it", async () => {
    const { restores } = await broken(40);
    const log = new ChangeLog(path.join(world.store, "ses"));
    const line = log.read().findLast((one) => one.type === "restore");
    assert.ok(line);
    const other = { ...line, id: "other", at: Date.now(), by: { pid: process.ppid, host: os.hostname() } };
    log.append({ type: "restored", id: line.id, paths: [] });
    log.append(other);
    assert.equal(restores.restored(), undefined);
    assert.deepEqual(await restores.finish(), { restored: [], left: [] });
    // The same line is broken when its process has had more time than a restore takes.
    log.append({ ...other, id: "older", at: Date.now() - 3_600_000 });
    assert.ok((restores.restored()?.open ?? 0) > 0);
  });
});

describe("files of restores that are killed", () => {
  randomly("V31 a half-written file is recognized, whatever the place, and nothing else is taken for one", () => {
    const bytes = fc.uint8Array({ maxLength: 12, max: 3 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(bytes, bytes, fc.nat(12), bytes, (from, to, at, other) => {
        const cut = Math.min(at, to.length);
        const torn = Buffer.concat([to.subarray(0, cut), from.subarray(cut)]);
        assert.ok(isPartlyWritten(torn, from, to));
        const cuts = Array.from({ length: to.length + 1 }, (_, k) =>
          Buffer.concat([to.subarray(0, k), from.subarray(k)]).toString("hex"),
        );
        assert.ok(isPartlyWritten(to, from, to));
        const states = [...cuts, to.toString("hex")];
        assert.equal(isPartlyWritten(other, from, to), states.includes(other.toString("hex")));
      }),
      { numRuns: 2000 },
    );
  });
});
