/** I6: a call touches only what was allowed, even if the path changes between question and access. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { TestWorkspace } from "./workspace.ts";

const elsewhere = /now leads elsewhere/;

/** Program that turns a folder into a link and back as fast as possible. */
const swapRepeatedly = `
  const fs = require("node:fs");
  const [folder, out] = process.argv.slice(1);
  process.chdir(folder);
  console.log("begun");
  while (!fs.existsSync("stop")) {
    fs.renameSync("src", "old");
    fs.symlinkSync(out, "src");
    fs.rmSync("src");
    fs.renameSync("old", "src");
    for (const until = performance.now() + 0.2; performance.now() < until; );
  }`;

describe("I6 changes between the question and the access", () => {
  let work: TestWorkspace;
  let out: string;
  beforeEach(() => {
    work = new TestWorkspace();
    out = path.join(work.root, "out");
    mkdirSync(out);
    writeFileSync(path.join(out, "a.txt"), "KEY outside\n");
    work.put("src/a.txt", "KEY\n");
  });
  afterEach(() => work.dispose());

  const swaps: Record<string, () => void> = {
    "the file becomes a link": () => {
      rmSync(work.path("src/a.txt"));
      symlinkSync(path.join(out, "a.txt"), work.path("src/a.txt"));
    },
    "its folder becomes a link": () => {
      renameSync(work.path("src"), work.path("old"));
      symlinkSync(out, work.path("src"));
    },
  };
  const inputs: Record<string, Record<string, unknown>> = {
    read: { file_path: "src/a.txt" },
    grep: { pattern: "KEY", path: "src/a.txt", output_mode: "content" },
    write: { file_path: "src/a.txt", content: "x\n" },
    edit: { file_path: "src/a.txt", old_string: "KEY", new_string: "x" },
    multi_edit: { file_path: "src/a.txt", edits: [{ old_string: "KEY", new_string: "x" }] },
    apply_patch: { input: "*** Begin Patch\n*** Update File: src/a.txt\n@@\n-KEY\n+x\n*** End Patch" },
  };

  for (const [tool, input] of Object.entries(inputs)) {
    for (const [what, swap] of Object.entries(swaps)) {
      it(`${tool}: ${what}, and nothing outside is read or written`, async () => {
        if (tool === "write") await work.run("read", { file_path: "src/a.txt" });
        const plan = await work.plan(tool, input);
        swap();
        await assert.rejects(async () => await plan.run(() => {}), { name: "ToolError", message: elsewhere });
        assert.equal(readFileSync(path.join(out, "a.txt"), "utf8"), "KEY outside\n");
        assert.deepEqual(readdirSync(out), ["a.txt"]);
      });
    }
  }

  for (const [tool, input] of Object.entries({
    glob: { pattern: "*", path: "src" },
    grep: { pattern: "KEY", path: "src" },
  })) {
    it(`${tool}: the folder becomes a link`, async () => {
      const plan = await work.plan(tool, input);
      swaps["its folder becomes a link"]?.();
      await assert.rejects(async () => await plan.run(() => {}), { message: elsewhere });
    });
  }

  it("a new file whose folder becomes a link is not created at the link's target", async () => {
    const plan = await work.plan("write", { file_path: "src/deep/new.txt", content: "x" });
    symlinkSync(out, work.path("src/deep"));
    await assert.rejects(async () => await plan.run(() => {}), { message: elsewhere });
    assert.deepEqual(readdirSync(out), ["a.txt"]);
  });

  it("an allowed link that changes its target still writes the earlier target", async () => {
    symlinkSync("src/a.txt", work.path("link"));
    await work.run("read", { file_path: "link" });
    const plan = await work.plan("write", { file_path: "link", content: "x\n" });
    rmSync(work.path("link"));
    symlinkSync(path.join(out, "a.txt"), work.path("link"));
    await plan.run(() => {});
    assert.equal(work.text("src/a.txt"), "x\n");
    assert.equal(readFileSync(path.join(out, "a.txt"), "utf8"), "KEY outside\n");
  });

  it("a link that replaces a new file is not written through", async () => {
    const plan = await work.plan("write", { file_path: "new.txt", content: "x" });
    symlinkSync(path.join(out, "later.txt"), work.path("new.txt"));
    await assert.rejects(async () => await plan.run(() => {}), { message: elsewhere });
    assert.deepEqual(readdirSync(out), ["a.txt"]);
  });

  it("a folder that is swapped repeatedly never lets a write or read escape", async () => {
    const location = await work.host.workspace.locate("src/a.txt");
    const signal = new AbortController().signal;
    const swapping = spawn(process.execPath, ["-e", swapRepeatedly, work.folder, out], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(swapping.stdout, "data");
    let done = 0;
    for (const until = Date.now() + 300; Date.now() < until; ) {
      try {
        const kind = await work.host.workspace.open(location, signal);
        if (kind.type !== "text") continue;
        assert.doesNotMatch(kind.file.text, /outside/);
        await work.host.workspace.write(location, `KEY ${++done}\n`, kind.file.version, signal);
      } catch (error) {
        if (!(error instanceof Error) || error.name !== "ToolError") throw error;
      }
    }
    writeFileSync(path.join(work.folder, "stop"), "");
    await once(swapping, "close");
    assert.ok(done > 0);
    assert.equal(readFileSync(path.join(out, "a.txt"), "utf8"), "KEY outside\n");
    assert.deepEqual(readdirSync(out), ["a.txt"]);
    assert.deepEqual(readdirSync(work.path("src")), ["a.txt"]);
  });

  it("T12 a file that changed after the comparison is not overwritten, also with two names", async () => {
    for (const name of ["src/a.txt", "src/b.txt"]) {
      if (name === "src/b.txt") {
        work.put("src/c.txt", "KEY\n");
        linkSync(work.path("src/c.txt"), work.path("src/b.txt"));
      }
      await work.run("read", { file_path: name });
      const plan = await work.plan("write", { file_path: name, content: "x\n" });
      writeFileSync(work.path(name), "the user's\n");
      await assert.rejects(async () => await plan.run(() => {}), { message: /has changed since it was read/ });
      assert.equal(work.text(name), "the user's\n");
    }
  });

  it("deletes only the file that was located, if it is unchanged", async () => {
    const signal = new AbortController().signal;
    const location = await work.host.workspace.locate("src/a.txt");
    const kind = await work.host.workspace.open(location, signal);
    assert.ok(kind.type === "text");
    await assert.rejects(work.host.workspace.remove(location, "another", signal), { message: /has changed/ });
    swaps["its folder becomes a link"]?.();
    await assert.rejects(work.host.workspace.remove(location, kind.file.version, signal), { message: elsewhere });
    rmSync(work.path("src"));
    renameSync(work.path("old"), work.path("src"));
    await work.host.workspace.remove(location, kind.file.version, signal);
    assert.deepEqual(readdirSync(work.path("src")), []);
    assert.deepEqual(readdirSync(out), ["a.txt"]);
  });
});
