import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { copyNewFile } from "../../src/worktrees/copy-files.ts";

describe("the copy of a file", () => {
  let folder: string;
  const at = (name: string) => path.join(folder, name);
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "rondo-copy-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("W1 has the bytes and the permissions", async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));
    await writeFile(at("run"), bytes);
    await chmod(at("run"), 0o750);
    await copyNewFile(at("run"), at("copy"), (await stat(at("run"))).mode);
    assert.deepEqual(await readFile(at("copy")), bytes);
    assert.equal((await stat(at("copy"))).mode & 0o777, 0o750);
  });

  it("W1 replaces nothing", async () => {
    await writeFile(at("a"), "a");
    await writeFile(at("b"), "b");
    await assert.rejects(copyNewFile(at("a"), at("b"), 0o644), { code: "EEXIST" });
    assert.equal(await readFile(at("b"), "utf8"), "b");
  });

  it("W1 leaves nothing of a file that cannot be read", async () => {
    await assert.rejects(copyNewFile(at("none"), at("copy"), 0o644), { code: "ENOENT" });
    assert.ok(!existsSync(at("copy")));
  });

  // As if it had been shortened after its size was read: Linux says 4,096 bytes of each file there.
  const shorter = "/sys/kernel/uevent_seqnum";
  (existsSync(shorter) ? it : it.skip)("W1 ends when the file is shorter than it was", async () => {
    assert.equal((await stat(shorter)).size, 4096);
    await copyNewFile(shorter, at("copy"), 0o644);
    assert.match(await readFile(at("copy"), "utf8"), /^\d+\n$/);
  });
});
