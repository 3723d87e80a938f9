/** Changes that the review has before a scan has found all (spec V3). */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FolderWatch } from "../../src/checkpoints/scan/folder-watch.ts";
import { CopyPool } from "../../src/checkpoints/steps/copy-pool.ts";
import type { StepFiles } from "../../src/checkpoints/steps/step-files.ts";
import { StepTracker } from "../../src/checkpoints/steps/step-tracker.ts";
import { joinedChanges } from "../../src/checkpoints/store/change-log.ts";
import { SessionStore } from "../../src/checkpoints/store/session-store.ts";

describe("changes that events tell", () => {
  let root: string;
  let work: string;
  before(function () {
    if (process.platform !== "linux") this.skip();
  });
  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "watch-test-")));
    work = path.join(root, "work");
    mkdirSync(path.join(work, "sub"), { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const at = (name: string) => path.join(work, name);
  const shell = (command: string) => execFileSync("/bin/sh", ["-c", command], { cwd: work });
  const told = async (watch: FolderWatch) =>
    (await watch.take())?.map((file) => path.relative(work, file) || ".").sort();

  it("are the files that were written, and the folders in which something came or went", async () => {
    writeFileSync(at("a"), "1\n");
    writeFileSync(at("sub/b"), "1\n");
    const watch = new FolderWatch();
    assert.equal(await told(watch), undefined);
    watch.follow(new Set([work, at("sub")]));
    shell("echo 2 >> a");
    assert.deepEqual(await told(watch), ["a"]);
    assert.deepEqual(await told(watch), []);
    shell("mv sub/b c; echo 2 > new");
    assert.deepEqual(await told(watch), [".", "c", "new", "sub", "sub/b"]);
    watch.follow(new Set([work]));
    shell("echo 3 > sub/b; echo 3 > a");
    assert.deepEqual(await told(watch), ["a"]);
    watch.close();
    assert.equal(await told(watch), undefined);
  });

  it("are told again of a folder that was deleted and made again", async () => {
    const watch = new FolderWatch();
    watch.follow(new Set([work, at("sub")]));
    shell("rmdir sub; mkdir sub");
    await watch.take();
    watch.follow(new Set([work, at("sub")]));
    shell("echo 1 > sub/b");
    assert.deepEqual(await told(watch), ["sub", "sub/b"]);
    watch.close();
  });

  it("are not told if they are very many, or the folders are gone", async () => {
    const watch = new FolderWatch();
    watch.follow(new Set([work]));
    shell("for i in $(seq 1100); do : > f$i; done");
    assert.equal(await told(watch), undefined);
    shell("echo 1 > f1");
    assert.deepEqual(await told(watch), ["f1"]);
    watch.follow(new Set([work, at("none")]));
    assert.equal(await told(watch), undefined);
  });

  it("V3 come to the review before a scan, which finds those that no event has told", async () => {
    for (let file = 0; file < 5000; file++) writeFileSync(at(`sub/${file}`), `${file}\n`);
    writeFileSync(at("a"), "1\n");
    // A write through another name has no event in this folder.
    writeFileSync(path.join(root, "outside"), "1\n");
    linkSync(path.join(root, "outside"), at("linked"));
    // A file that has just changed is always looked at.
    while (Date.now() - statSync(at("linked")).ctimeMs < 100) await sleep(20);
    const reviewed: string[][] = [];
    const folder = path.join(root, "store");
    const log = (line: string) => assert.fail(line);
    const store = new SessionStore({ folder, sessionID: "ses", limitBytes: 1e9, log });
    const pool = new CopyPool(path.join(folder, "scratch"));
    const changed = ({ files }: StepFiles) =>
      void reviewed.push(
        files.map((file) => `${path.relative(work, file.path)} ${file.movedFrom ?? ""}`.trim()).sort(),
      );
    const steps = new StepTracker({ roots: [work], storeFolder: folder, store, pool, log, changed, settle() {} });
    await steps.begin({ id: "chk_1", at: Date.now() });
    await steps.ready("unknown");
    shell("echo 2 > a; mkdir -p new; mv sub/1 new/1; echo 2 > ../outside");
    const change = await steps.end("chk_2");
    assert.deepEqual(reviewed, [["a", `new/1 ${at("sub/1")}`], ["linked"]]);
    assert.deepEqual(change?.files, ["a", "linked", "new/1", "sub/1"]);
    // The first scan has left nothing for the next step.
    await steps.begin({ id: "chk_3", at: Date.now() });
    await steps.ready("unknown");
    assert.equal(await steps.end("chk_4"), undefined);
    await steps.close();
    store.close();
  });

  it("are one change of a file together with what a scan finds", () => {
    const [one, two, three] = ["1", "2", "3"].map((hash) => ({ type: "file" as const, mode: 0o644, size: 1, hash }));
    assert.ok(one && two && three);
    const early = [
      { path: "/a", before: one, after: two },
      { path: "/b", before: one, after: two },
      { path: "/c", before: one, after: two },
    ];
    const late = [
      { path: "/b", before: two, after: three },
      { path: "/c", before: two, after: one },
      { path: "/d", before: one, after: two },
    ];
    assert.deepEqual(joinedChanges(early, late), [
      { path: "/a", before: one, after: two },
      { path: "/b", before: one, after: three },
      { path: "/d", before: one, after: two },
    ]);
  });
});
