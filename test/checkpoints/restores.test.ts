/** Restores while a user works on the same files, and after restarts, crashes and other processes (spec E1, D3). */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { never, noise, World } from "./world.ts";

describe("restores", () => {
  const world = new World();
  afterEach(() => world.clear());
  after(() => world.dispose());

  it("leave out files that the user has changed since, unless they are chosen", async () => {
    world.put("a", "one\n");
    world.put("b", "one\n");
    const { begun } = await world.command("echo two > a; echo two > b");
    world.put("a", "mine\n");
    assert.deepEqual(await world.planned(begun), ["change a edited", "change b"]);
    await world.restore(begun);
    assert.deepEqual([world.text("a"), world.text("b")], ["mine\n", "one\n"]);
    await world.restore(begun, "all");
    assert.equal(world.text("a"), "one\n");
    await world.checkpoints.undo(never);
    assert.equal(world.text("a"), "mine\n");
  });

  it("recognize the user's changes before, between and during steps", async () => {
    world.put("a", "one\n");
    world.put("b", "one\n");
    world.put("c", "one\n");
    const first = await world.write("a", "agent\n");
    world.put("b", "mine\n");
    const second = await world.command("echo agent > c", () => world.put("a", "mine\n"));
    assert.deepEqual(await world.planned(second.begun), ["change a edited", "change c"]);
    assert.deepEqual(await world.planned(first.begun), ["change a edited", "change b edited", "change c"]);
    await world.restore(first.begun, "all");
    assert.deepEqual([world.text("a"), world.text("b"), world.text("c")], ["one\n", "one\n", "one\n"]);
  });

  it("do not change a file that differs from the preview", async () => {
    world.put("a", "one\n");
    const { begun } = await world.write("a", "two\n");
    await world.preview(begun);
    world.put("a", "mine\n");
    const { restored, left } = await world.checkpoints.restore(begun, ["a", "none"], never);
    assert.deepEqual(restored, []);
    assert.deepEqual(left.map(({ path, problem }) => `${path}: ${problem}`).sort(), [
      "a: It has changed in the meantime.",
      "none: It is not in the preview.",
    ]);
    assert.equal(world.text("a"), "mine\n");
  });

  it("are undone, except for files that have changed since", async () => {
    world.put("a", "one\n");
    world.put("b", "one\n");
    const { begun } = await world.command("echo two > a; echo two > b; echo two > c");
    await world.restore(begun);
    assert.deepEqual((await world.checkpoints.restored())?.files, 3);
    world.put("a", "mine\n");
    const { restored, left } = await world.checkpoints.undo(never);
    assert.deepEqual(restored.sort(), ["b", "c"]);
    assert.deepEqual(
      left.map(({ path }) => path),
      ["a"],
    );
    assert.deepEqual([world.text("a"), world.text("b"), world.text("c")], ["mine\n", "two\n", "two\n"]);
    assert.equal(await world.checkpoints.restored(), undefined);
  });

  it("go back, and further back, and forward again", async () => {
    world.put("a", "one\n");
    const steps = [];
    for (const text of ["two\n", "three\n", "four\n"]) steps.push(await world.write("a", text));
    await world.restore(steps[1]?.begun ?? "");
    assert.equal(world.text("a"), "two\n");
    await world.restore(steps[0]?.begun ?? "");
    assert.equal(world.text("a"), "one\n");
    await world.restore(steps[2]?.change?.snapshot ?? "");
    assert.equal(world.text("a"), "four\n");
  });

  it("keep hard links and their content", async () => {
    world.put("a", "one\n");
    world.shell("ln a other");
    const { begun } = await world.command("echo two > a");
    await world.restore(begun);
    assert.equal(world.text("other"), "one\n");
    assert.equal(statSync(world.path("a")).nlink, 2);
  });

  it("leave no partly written and no temporary file", async () => {
    world.put("a", "one\n");
    const { begun } = await world.write("a", "two\n");
    await world.restore(begun);
    assert.deepEqual(readdirSync(world.folder), ["a"]);
  });

  it("go through the editor for open files, and recognize unsaved changes", async () => {
    const written: string[] = [];
    const dirty: string[] = [];
    const editor = new World({
      writer: {
        unsaved: async () => dirty,
        written: async () => {},
        write: async (file, bytes) => {
          if (path.basename(file) === "closed") return false;
          written.push(path.basename(file));
          // A formatter changes the text.
          if (bytes)
            writeFileSync(file, `${Buffer.from(bytes).toString()}${path.basename(file) === "formatted" ? "!" : ""}`);
          return true;
        },
      },
    });
    for (const name of ["open", "closed", "formatted", "dirty"]) editor.put(name, "one\n");
    const before = editor.tree();
    const { begun } = await editor.command("for f in open closed formatted dirty; do echo two > $f; done");
    dirty.push(editor.path("dirty"));
    assert.deepEqual(await editor.planned(begun), [
      "change closed",
      "change dirty edited",
      "change formatted",
      "change open",
    ]);
    await editor.restore(begun, "all");
    assert.deepEqual(editor.tree(), before);
    assert.deepEqual(written.sort(), ["dirty", "formatted", "open"]);
    await editor.dispose();
  });

  it("work after a restart of the window, including undo", async () => {
    world.put("a", "one\n");
    const { begun } = await world.command("echo two > a; echo two > b");
    await world.restart();
    assert.deepEqual(await world.planned(begun), ["change a", "delete b"]);
    await world.restore(begun);
    await world.restart();
    assert.equal((await world.checkpoints.restored())?.files, 2);
    await world.checkpoints.undo(never);
    assert.deepEqual([world.text("a"), world.text("b")], ["two\n", "two\n"]);
    assert.deepEqual(
      readdirSync(path.join(world.store, "scratch")).filter((name) => name.startsWith("scratch")),
      [],
    );
  });

  it("do not know snapshots of another session", async () => {
    world.put("a", "one\n");
    const { begun } = await world.write("a", "two\n");
    const other = world.open("ses_other");
    const { known, files } = await other.preview(begun, never);
    assert.deepEqual([known, files], [false, []]);
  });

  it("read a log with broken and hostile lines", async () => {
    world.put("a", "one\n");
    const { begun } = await world.write("a", "two\n");
    const log = path.join(world.store, "ses_one", "log.jsonl");
    const missing = { type: "missing" };
    const file = (name: string) => ({ path: name, before: missing, after: { type: "folder" } });
    const hostile = ["/etc/passwd", world.path(".git/config"), `${world.folder}/../up`].map((name) =>
      JSON.stringify({ type: "change", by: "agent", files: [file(name)] }),
    );
    writeFileSync(log, `${readFileSync(log, "utf8")}{"type":"chan\n${hostile.join("\n")}\n{"type":"change","by":"age`);
    const plan = await world.planned(begun);
    assert.deepEqual(plan, ["change a"]);
    const later = await world.write("a", "three\n");
    await world.restore(later.begun);
    assert.equal(world.text("a"), "two\n");
  });

  it("return the earlier content of a file, for comparing", async () => {
    world.put("a", "one\n");
    const { begun } = await world.command("rm a; echo two > b");
    assert.equal(Buffer.from((await world.checkpoints.content(begun, "a")) ?? []).toString(), "one\n");
    assert.equal(await world.checkpoints.content(begun, "b"), undefined);
  });

  it("refuse a file whose folder has become a link in the meantime", async () => {
    world.put("d/a", "one\n");
    const { begun } = await world.write("d/a", "two\n");
    await world.preview(begun);
    rmSync(path.join(world.root, "outside"), { recursive: true, force: true });
    world.shell("mv d ../outside");
    symlinkSync("../outside", world.path("d"));
    const { left } = await world.checkpoints.restore(begun, ["d/a"], never);
    assert.match(left[0]?.problem ?? "", /link/);
    assert.equal(readFileSync(path.join(world.root, "outside/a"), "utf8"), "two\n");
  });
});

describe("the store of checkpoints", () => {
  let world: World;
  afterEach(() => world.dispose());

  it("is readable by its owner only", async () => {
    world = new World();
    world.put("a", "one\n".repeat(1000));
    await world.write("a", "two\n");
    const modes = execFileSync("find", [world.store, "-printf", "%m %y\n"]).toString().trim().split("\n");
    assert.deepEqual([...new Set(modes)].sort(), ["600 f", "700 d"]);
  });

  it("deletes the oldest sessions, never one in use", async () => {
    world = new World({ limitBytes: 60_000 });
    for (const id of ["ses_a", "ses_b", "ses_c"]) {
      world.checkpoints = world.open(id);
      world.put("a", noise(15_000));
      await world.write("a", "two\n");
      if (id !== "ses_a") await world.checkpoints.close();
      const at = new Date(Date.now() - 1e6 + readdirSync(world.store).length * 1000);
      utimesSync(path.join(world.store, id, "log.jsonl"), at, at);
    }
    world.checkpoints = world.open("ses_d");
    for (let round = 0; round < 3; round++) {
      world.put("a", noise(15_000));
      await world.write("a", "two\n");
    }
    // Deleted sessions leave a log that says so.
    const left = readdirSync(world.store).filter(
      (name) => name.startsWith("ses_") && readdirSync(path.join(world.store, name)).length > 1,
    );
    assert.ok(left.includes("ses_a") && left.includes("ses_d") && !left.includes("ses_b"), left.join());
  });

  it("is bounded even for one session, and logs that the limit is reached", async () => {
    world = new World({ limitBytes: 20_000 });
    const content = noise(15_000);
    world.put("a", content);
    await world.write("a", "two\n");
    world.put("b", content.reverse());
    const { begun } = await world.write("b", "two\n");
    assert.deepEqual(await world.planned(begun), ["change b Rondo has no copy of its earlier content."]);
    assert.match(world.log.join(), /limit/);
  });
});
