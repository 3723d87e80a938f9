/** The pool of copies: which files it keeps, in how much space, and what is left of it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { lstat, toStamp } from "../../src/checkpoints/files/file-state.ts";
import { TimeSlices } from "../../src/checkpoints/files/time-slices.ts";
import { CopyPool } from "../../src/checkpoints/steps/copy-pool.ts";
import { openFiles } from "./world.ts";

const MiB = 1 << 20;

describe("the pool of copies", () => {
  let folder: string;
  let scratch: string;
  let pool: CopyPool;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "pool-test-"));
    scratch = path.join(folder, "scratch");
    pool = new CopyPool(scratch);
  });
  afterEach(() => {
    pool.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Writes a file of this size, filled with this byte, that was changed so many seconds after 1970. */
  function put(name: string, size: number, byte: number, changed = 1000) {
    const file = path.join(folder, name);
    writeFileSync(file, Buffer.alloc(size, byte));
    utimesSync(file, changed, changed);
    return { path: file, stamp: toStamp(lstat(file) ?? assert.fail()) };
  }
  const fill = (...files: ReturnType<typeof put>[]) => pool.fill(files, new TimeSlices());
  const isKept = ({ path, stamp }: ReturnType<typeof put>, byte: number) =>
    pool.get(path, stamp)?.equals(Buffer.alloc(stamp.size, byte)) ?? false;

  it("returns what a file was at its stamp, and nothing for another stamp", async () => {
    const [a, b, empty] = [put("a", 100, 1), put("b", 200, 2), put("empty", 0, 0)];
    assert.equal(pool.get(a.path, a.stamp), undefined);
    assert.deepEqual(await fill(a, b, empty), []);
    assert.ok(isKept(a, 1) && isKept(b, 2) && isKept(empty, 0));
    assert.equal(pool.get(a.path, { ...a.stamp, mtime: 1 }), undefined);
    const changed = put("a", 50, 3, 2000);
    assert.ok(isKept(a, 1), "the file itself is not read again");
    assert.ok(!isKept(changed, 3));
    pool.renew(changed.path, changed.stamp, undefined);
    assert.ok(isKept(changed, 3) && !isKept(a, 1) && isKept(b, 2));
    pool.renew(b.path, { ...b.stamp, ctime: 1 }, Buffer.alloc(200, 9));
    assert.ok(!isKept(b, 2));
    assert.ok(isKept({ path: b.path, stamp: { ...b.stamp, ctime: 1 } }, 9), "bytes that were read already");
    pool.drop(b.path);
    assert.ok(!isKept({ path: b.path, stamp: { ...b.stamp, ctime: 1 } }, 9));
  });

  it("keeps the newest files within 64 MiB, and says which it left", async () => {
    const files = Array.from({ length: 33 }, (_, at) => put(`f${at}`, 2 * MiB, at, 1000 + at));
    const small = put("small", 1, 7, 1);
    const [oldest = small, next = small] = files;
    assert.deepEqual(await fill(small, ...files), [oldest, small]);
    assert.ok(!isKept(oldest, 0) && isKept(next, 1) && isKept(files[32] ?? next, 32));
    assert.deepEqual(await fill(...files), [oldest], "what it has is not copied again");
    pool.drop(next.path);
    assert.deepEqual(await fill(oldest, small), [small]);
    assert.ok(isKept(oldest, 0));
  });

  it("makes room for a changed file by leaving the oldest ones", async () => {
    const files = Array.from({ length: 32 }, (_, at) => put(`f${at}`, 2 * MiB, at, 1000 + at));
    assert.deepEqual(await fill(...files), []);
    const [first, second, third] = [put("x", 2 * MiB, 50), put("y", 2 * MiB, 51), put("z", 1, 52)];
    pool.renew(first.path, first.stamp, undefined);
    assert.deepEqual(
      files.filter((file, at) => !isKept(file, at)),
      files.slice(0, 1),
    );
    pool.renew(second.path, second.stamp, undefined);
    pool.renew(third.path, third.stamp, undefined);
    assert.deepEqual(
      files.filter((file, at) => !isKept(file, at)),
      files.slice(0, 3),
    );
    assert.ok(isKept(first, 50) && isKept(second, 51) && isKept(third, 52));
  });

  it("does not grow with each change of a file", function () {
    if (process.platform !== "linux") return this.skip();
    const kept = put("kept", 1000, 1);
    pool.renew(kept.path, kept.stamp, undefined);
    const own = () =>
      readdirSync("/proc/self/fd")
        .map((name) => `/proc/self/fd/${name}`)
        .filter((name) => isScratch(name, scratch));
    const bytes = Buffer.alloc(2 * MiB, 5);
    const stamp = { ...put("f", 1, 1).stamp, size: 2 * MiB };
    let largest = 0;
    for (let round = 0; round < 70; round++) {
      pool.renew("f", { ...stamp, mtime: round }, bytes);
      largest = Math.max(largest, ...own().map((name) => statSync(name).size));
    }
    assert.ok(largest > 128 * MiB && largest <= 132 * MiB, `${largest}`);
    assert.ok((statSync(own()[0] ?? "").size ?? 0) < 64 * MiB);
    assert.equal(own().length, 1);
    assert.ok(isKept(kept, 1));
    assert.ok(isKept({ path: "f", stamp: { ...stamp, mtime: 69 } }, 5));
    assert.equal(pool.get("f", { ...stamp, mtime: 68 }), undefined);
  });

  it("copies no file of more than 2 MiB, and none that cannot be read", async () => {
    const [exact, large] = [put("exact", 2 * MiB, 1), put("large", 2 * MiB + 1, 2)];
    const gone = put("gone", 5, 3);
    rmSync(gone.path);
    assert.deepEqual(await fill(exact, large, gone), [large, gone]);
    assert.ok(isKept(exact, 1));
    const other = put("other", 2 * MiB, 4);
    pool.renew(other.path, other.stamp, undefined);
    pool.renew(large.path, large.stamp, undefined);
    pool.renew(gone.path, gone.stamp, undefined);
    assert.ok(isKept(other, 4) && !isKept(large, 2) && !isKept(gone, 3));
    pool.renew(exact.path, large.stamp, undefined);
    assert.ok(!isKept(exact, 1), "its older copy is outdated");
  });

  it("leaves nothing, and copies nothing after it is closed", async () => {
    const a = put("a", 100, 1);
    const before = process.platform === "linux" ? openFiles() : 0;
    await fill(a);
    assert.equal(statSync(scratch).mode & 0o777, 0o700);
    if (process.platform !== "win32") assert.deepEqual(readdirSync(scratch), [], "the file has no name any more");
    pool.close();
    pool.close();
    assert.equal(pool.get(a.path, a.stamp), undefined);
    const b = put("b", 100, 2);
    assert.deepEqual(await fill(b), [b]);
    pool.renew(a.path, { ...a.stamp, mtime: 1 }, Buffer.alloc(100));
    assert.equal(pool.get(a.path, { ...a.stamp, mtime: 1 }), undefined);
    if (before > 0) assert.equal(openFiles(), before);
    assert.deepEqual(readdirSync(scratch), []);
  });

  it("removes what killed processes left, and nothing else", async () => {
    const dead = spawnSync(process.execPath, ["-e", ""]).pid;
    mkdirSync(scratch);
    const names = [`scratch-${dead}-ab`, `scratch-${process.pid}-cd`, `old-scratch-${dead}-ef`, "scratch-x-1", "other"];
    for (const name of names) writeFileSync(path.join(scratch, name), "");
    await fill(put("a", 1, 1));
    assert.deepEqual(readdirSync(scratch).sort(), names.slice(1).sort());
  });
});

function isScratch(descriptor: string, folder: string): boolean {
  try {
    return readlinkSync(descriptor).startsWith(folder);
  } catch {
    return false;
  }
}
