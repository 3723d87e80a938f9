import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { build, root } from "../build.ts";

const dist = path.join(root, "dist");

describe("the bundles of the command line", () => {
  before(build);

  it("--help loads the start alone, and of Node what that uses", () => {
    const args = ["--require", path.join(import.meta.dirname, "loaded.cjs"), path.join(dist, "headless.js"), "--help"];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    const { files, builtIn }: { files: string[]; builtIn: string[] } = JSON.parse(stderr);
    assert.deepEqual(
      files.map((file) => path.basename(file)),
      ["headless-start.cjs"],
    );
    const large = ["http", "https", "crypto", "child_process", "worker_threads", "zlib", "internal/deps/undici/undici"];
    assert.deepEqual(
      large.filter((name) => builtIn.includes(`NativeModule ${name}`)),
      [],
    );
  });

  // V8 keeps a text with one other character in two bytes for each, and decodes it slowly.
  it("those for Node are ASCII", () => {
    const files = readdirSync(dist).filter((name) => /\.cjs$|^(headless|loop)\.js$/.test(name));
    assert.ok(files.length > 10, files.join());
    for (const file of files) {
      const others = /.{0,40}[^\0-\x7f].{0,40}/.exec(readFileSync(path.join(dist, file), "utf8"));
      assert.equal(others, null, `${file}: write \\u and the number in the regular expression of ${others?.[0]}`);
    }
  });
});
