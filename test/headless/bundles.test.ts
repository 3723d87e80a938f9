import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { root } from "../build.ts";
import { calls, places, says } from "./headless-run.ts";

const dist = path.join(root, "dist");

describe("the bundles of the command line", () => {
  const open = places();

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

  it("a first run keeps what it has compiled, in the state folder, and the next one uses it as it is", async () => {
    const place = await open([says("One."), says("Two."), says("Three.")]);
    const env = { XDG_STATE_HOME: path.join(place.home, "state") };
    const kept = () => {
      const folder = path.join(place.home, "state/rondo/compiled");
      return readdirSync(folder).map((name) => [name, statSync(path.join(folder, name)).mtimeMs] as const);
    };
    assert.deepEqual(await place.run(["Hi"], { env }), { code: 0, stdout: "One.\n", stderr: "" });
    const first = kept();
    const bundles = ["anthropic.cjs", "headless-main.cjs"].map((name) => `${name}-${process.version}-${process.arch}`);
    assert.deepEqual(first.map(([name]) => name).sort(), bundles);
    assert.deepEqual(await place.run(["Hi"], { env }), { code: 0, stdout: "Two.\n", stderr: "" });
    assert.deepEqual(kept(), first);
    place.write(".rondo/agents/poet.md", "---\nname: poet\ndescription: Writes verse.\n---\nYou write verse.");
    const args = ["--agent", "poet", "Hi"];
    assert.deepEqual(await place.run(args, { env }), { code: 0, stdout: "Three.\n", stderr: "" });
    assert.match(JSON.stringify(place.server.requests.at(-1)), /You write verse/);
    assert.deepEqual(
      kept().flatMap(([name]) => (bundles.includes(name) ? [] : [name.split("-")[0]])),
      ["yaml.cjs"],
    );
  });

  it("what is loaded by import() is found, and nobody is warned: the packaged ripgrep", async () => {
    const place = await open([calls("grep", { pattern: "needle" }), says("Done.")]);
    place.write("hay.txt", "a needle\n");
    const { stdout, stderr } = await place.run(["Hi"], { env: { PATH: place.folder } });
    assert.deepEqual([stdout, stderr], ["Done.\n", ""]);
    assert.match(JSON.stringify(place.server.requests.at(-1)), /hay\.txt/);
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
