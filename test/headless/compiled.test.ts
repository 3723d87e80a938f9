import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { CompiledBundles } from "../../src/headless/compiled.ts";

describe("compiled code of the command line's bundles", () => {
  let folder: string;
  const bundle = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
  const store = () => path.join(folder, "store");
  const stored = () => readdirSync(store()).map((name) => path.join(store(), name));
  const open = () => new CompiledBundles(folder, store(), ["a.cjs", "b.cjs"]);
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-compiled-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("a bundle gets what CommonJS gives, and runs once, also when others load it", () => {
    bundle(
      "a.cjs",
      `globalThis.ran = (globalThis.ran ?? 0) + 1; exports.file = __filename; exports.folder = __dirname;`,
    );
    bundle("b.cjs", `module.exports = { a: require("./a.cjs"), os: require("node:os"), c: require("./c.cjs") };`);
    bundle("c.cjs", `exports.loadedBy = require.main === undefined ? "" : "Node";`);
    const bundles = open();
    assert.deepEqual(bundles.load("b.cjs"), {
      ...{ a: { file: path.join(folder, "a.cjs"), folder }, os },
      c: createRequire(import.meta.url)(path.join(folder, "c.cjs")),
    });
    assert.equal(bundles.load("a.cjs"), (bundles.load("b.cjs") as { a: unknown }).a);
    assert.equal(Reflect.get(globalThis, "ran"), 1);
    Reflect.deleteProperty(globalThis, "ran");
  });

  it("what has run is kept, for the user alone, and used by the next run, which keeps nothing again", () => {
    const called = (name: string) => `exports.${name} = () => { let x = 0; ${"x = 1; ".repeat(200)} return x; };`;
    bundle("a.cjs", called("one"));
    bundle("b.cjs", called("two"));
    const first = open();
    (first.load("a.cjs") as { one(): number }).one();
    first.load("b.cjs");
    first.save();
    const [a, b] = stored();
    assert.ok(a && b && statSync(a).size > statSync(b).size + 200, "the function that was called is compiled");
    if (process.platform !== "win32") assert.equal(statSync(a).mode & 0o077, 0);
    const before = statSync(a, { bigint: true });
    const second = open();
    assert.equal((second.load("a.cjs") as { one(): number }).one(), 1);
    second.save();
    assert.deepEqual(stored(), [a, b]);
    assert.equal(statSync(a, { bigint: true }).ino, before.ino);
  });

  it("compiled code of a text with the same length, or with damage, is not used", () => {
    bundle("a.cjs", "exports.said = () => 1;");
    const first = open();
    assert.equal((first.load("a.cjs") as { said(): number }).said(), 1);
    first.save();
    bundle("a.cjs", "exports.said = () => 2;");
    const second = open();
    assert.equal((second.load("a.cjs") as { said(): number }).said(), 2);
    second.save();
    const [file = ""] = stored();
    const whole = readFileSync(file);
    for (const damaged of [whole.subarray(0, 40), whole.subarray(0, -8), Buffer.alloc(0), Buffer.alloc(whole.length)]) {
      writeFileSync(file, damaged);
      const next = open();
      assert.equal((next.load("a.cjs") as { said(): number }).said(), 2);
      next.save();
      assert.notDeepEqual(readFileSync(file), damaged, "it is replaced");
    }
  });

  it("a store that cannot be written changes nothing", () => {
    bundle("a.cjs", "exports.said = 1;");
    writeFileSync(store(), "a file");
    const bundles = open();
    assert.deepEqual(bundles.load("a.cjs"), { said: 1 });
    bundles.save();
    assert.equal(readFileSync(store(), "utf8"), "a file");
    rmSync(store());
    mkdirSync(store());
    // A folder in the place of the file.
    const other = open();
    other.load("a.cjs");
    mkdirSync(path.join(store(), `a.cjs-${process.version}-${process.arch}`, "x"), { recursive: true });
    other.save();
    assert.equal(stored().length, 1, "nothing is left of the attempt");
  });
});
