/** The contents of files that the store of checkpoints keeps on disk. */
import assert from "node:assert/strict";
import fs, { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { hashOf } from "../../src/checkpoints/files/file-state.ts";
import { BlobStore } from "../../src/checkpoints/store/blobs.ts";
import { randomly } from "../random.ts";
import { filesIn, noise, sizeOf } from "./world.ts";

describe("the contents in the store of checkpoints", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "store-test-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const open = () => new BlobStore(path.join(folder, "blobs"));

  randomly("come back to the byte, in this process and in another", () => {
    const contents = fc.oneof(
      fc.uint8Array({ maxLength: 700 }),
      fc.tuple(fc.nat(255), fc.integer({ min: 505, max: 520 })).map(([byte, size]) => Buffer.alloc(size, byte)),
    );
    const store = open();
    fc.assert(
      fc.property(contents, (content) => {
        const bytes = Buffer.from(content);
        const hash = hashOf(bytes);
        store.put(hash, bytes);
        assert.ok(store.has(hash) && open().has(hash));
        assert.deepEqual(store.get(hash), bytes);
        assert.deepEqual(open().get(hash), bytes);
      }),
    );
    assert.equal(store.writtenBytes, sizeOf(folder));
  });

  it("are compressed from 512 bytes on, if that saves a tenth", () => {
    const written = (bytes: Buffer) => {
      const store = open();
      store.put(hashOf(bytes), bytes);
      return store.writtenBytes;
    };
    assert.equal(written(Buffer.alloc(511)), 512);
    assert.ok(written(Buffer.alloc(512)) < 100);
    assert.equal(written(noise(5000)), 5001);
    assert.equal(written(Buffer.concat([noise(5000), Buffer.alloc(400)])), 5401, "saves less than a tenth");
    assert.ok(written(Buffer.concat([noise(5000), Buffer.alloc(1000)])) < 5200, "saves more");
  });

  it("are written once", () => {
    const [one, two] = [open(), open()];
    const bytes = noise(2000);
    one.put(hashOf(bytes), bytes);
    one.put(hashOf(bytes), bytes);
    two.put(hashOf(bytes), bytes);
    assert.deepEqual([one.writtenBytes, two.writtenBytes], [2001, 0]);
  });

  it("that are damaged or deleted are missing, and can be saved again", () => {
    for (const damage of [
      (file: string) => writeFileSync(file, readFileSync(file).subarray(0, -1)),
      (file: string) => writeFileSync(file, Buffer.concat([Buffer.of(1), noise(2000)])),
      (file: string) => writeFileSync(file, ""),
      (file: string) => rmSync(file),
    ]) {
      const store = open();
      const bytes = noise(2000);
      const hash = hashOf(bytes);
      store.put(hash, bytes);
      const [file = ""] = filesIn(folder);
      damage(file);
      assert.equal(store.get(hash), undefined);
      rmSync(file, { force: true });
      assert.equal(store.has(hash), false);
      assert.equal(store.get(hash), undefined);
      store.put(hash, bytes);
      assert.deepEqual(store.get(hash), bytes);
      rmSync(path.join(folder, "blobs"), { recursive: true });
    }
  });

  it("have names that are hashes and nothing else", () => {
    const store = open();
    writeFileSync(path.join(folder, "secret"), "x");
    const hash = hashOf(Buffer.of(1));
    for (const name of ["", "../secret", "~1-2-3", `${hash}0`, `0${hash}`, hash.toUpperCase(), hash.slice(1)]) {
      assert.equal(store.has(name), false, name);
      assert.equal(store.get(name), undefined, name);
    }
    // Names that end or begin with a hash, and lead to another file.
    writeFileSync(path.join(folder, hash), "x");
    for (const name of [`../${hash}`, `${hash}/../../../secret`]) assert.equal(store.has(name), false, name);
  });

  it("are for the user alone, and written once", function () {
    if (process.platform === "win32") return this.skip();
    const store = open();
    const bytes = noise(2000);
    store.put(hashOf(bytes), bytes);
    const [file = ""] = filesIn(folder);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(path.dirname(file)).mode & 0o777, 0o700);
    const { ino } = statSync(file);
    const written = store.writtenBytes;
    store.put(hashOf(bytes), bytes);
    assert.deepEqual([statSync(file).ino, store.writtenBytes], [ino, written]);
  });

  it("that cannot be written leave no file, and the error is the system's", () => {
    const store = open();
    for (const name of ["writeFileSync", "renameSync"] as const) {
      const { [name]: original } = fs;
      fs[name] = () => {
        throw Object.assign(new Error("disk full"), { code: "ENOSPC" });
      };
      syncBuiltinESMExports();
      try {
        assert.throws(() => store.put(hashOf(Buffer.of(1)), Buffer.of(1)), { code: "ENOSPC" });
      } finally {
        Object.assign(fs, { [name]: original });
        syncBuiltinESMExports();
      }
    }
    assert.deepEqual(filesIn(folder), []);
    assert.deepEqual([store.has(hashOf(Buffer.of(1))), store.writtenBytes], [false, 0]);
  });
});
