/** Previews and restores in detail: what they count and say, and what they leave. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileState } from "../../src/checkpoints/files/file-state.ts";
import { ChangeLog } from "../../src/checkpoints/store/change-log.ts";
import { never, noise, World } from "./world.ts";

describe("previews and restores", () => {
  let world: World;
  const unsaved: string[] = [];
  beforeEach(() => {
    unsaved.length = 0;
    world = new World({ writer: { unsaved: async () => unsaved, write: async () => false, written: async () => {} } });
  });
  afterEach(() => world.dispose());

  const shown = async (snapshot: string) =>
    (await world.preview(snapshot)).files.map(({ path, added, removed }) => [path, added, removed]).sort();

  it("count lines, but not those of binary and large contents", async () => {
    const lines = (count: number, size: number) => `${"x".repeat(size - 1)}\n`.repeat(count);
    world.put("text", "one\ntwo\nthree\n");
    world.put("zero", "a\0b\n");
    world.put("exact", lines(512, 1024));
    world.put("large", `${lines(512, 1024)}x`);
    world.put("gone", "one\ntwo\n");
    const { begun } = await world.command(
      "printf 'one\\n2\\n' > text; echo a > zero; echo > exact; echo > large; rm gone; printf 'a\\nb\\nc\\n' > made",
    );
    assert.deepEqual(await shown(begun), [
      ["exact", 512, 1],
      ["gone", 2, 0],
      ["large", 0, 0],
      ["made", 0, 3],
      ["text", 2, 1],
      ["zero", 0, 0],
    ]);
  });

  it("say what will happen to each path", async () => {
    world.put("file", "one\n");
    world.put("becomes", "one\n");
    world.put("dir/inner", "one\n");
    symlinkSync("file", world.path("link"));
    const { begun } = await world.command(
      "echo two > file; rm link becomes; mkdir becomes; rm -r dir; echo x > dir; echo x > new",
    );
    assert.deepEqual(await world.planned(begun), [
      "change file",
      "create becomes",
      "create dir/inner",
      "create link",
      "delete dir",
      "delete new",
    ]);
  });

  it("leave files with unsaved changes that the preview did not show", async () => {
    world.put("a", "one\n");
    world.put("b", "one\n");
    const { begun } = await world.command("echo two > a; echo two > b");
    assert.deepEqual(await world.planned(begun), ["change a", "change b"]);
    unsaved.push(world.path("a"));
    assert.deepEqual(await world.checkpoints.restore(begun, ["a", "b"], never), {
      restored: ["b"],
      left: [{ path: "a", problem: "It has unsaved changes in the editor." }],
    });
    assert.deepEqual(await world.planned(begun), ["change a edited"]);
    assert.deepEqual(await world.checkpoints.restore(begun, ["a"], never), { restored: ["a"], left: [] });
  });

  it("say why a file cannot be restored", async () => {
    world.put("huge", "");
    truncateSync(world.path("huge"), 3 << 20);
    world.put("grown", "one\n");
    const { begun } = await world.command("echo x > huge; truncate -s 17M grown");
    assert.deepEqual(await world.planned(begun), [
      "change grown It is too large to be saved, so the restore could not be undone.",
      "change huge It is larger than 2 MB, so Rondo saved no copy of it.",
    ]);
  });

  it("say what was in the way when it was too late for the preview", async () => {
    world.put("a", "one\n");
    world.put("b", "one\n");
    const { begun } = await world.command("rm a; mkdir a; echo two > b");
    await world.preview(begun);
    world.put("a/mine", "mine\n");
    const { restored, left } = await world.checkpoints.restore(begun, ["a", "b"], never);
    assert.deepEqual(restored, ["b"]);
    assert.deepEqual(left, [{ path: "a", problem: "A folder with other files is in its place." }]);
    assert.equal(world.text("a/mine"), "mine\n");
    await world.checkpoints.undo(never);
    assert.equal(world.text("b"), "two\n");
  });

  it("restore only what a preview of the same snapshot showed", async () => {
    world.put("a", "one\n");
    const first = await world.write("a", "two\n");
    const second = await world.write("a", "three\n");
    await world.preview(second.begun);
    assert.deepEqual(await world.checkpoints.restore(first.begun, ["a"], never), { restored: ["a"], left: [] });
    assert.equal(world.text("a"), "one\n");
    assert.deepEqual(await world.checkpoints.restore(first.begun, ["a"], never), {
      restored: [],
      left: [{ path: "a", problem: "It is not in the preview." }],
    });
    assert.deepEqual(await world.checkpoints.restore(first.begun, [], never), { restored: [], left: [] });
  });

  it("return earlier contents by the names of the preview", async () => {
    world.put("d/a", "one\n");
    symlinkSync("d/a", world.path("link"));
    const { begun } = await world.command("echo two > d/a; ln -sfn x link; echo x > new");
    const content = async (name: string) => {
      const bytes = await world.checkpoints.content(begun, name);
      return bytes && Buffer.from(bytes).toString();
    };
    assert.deepEqual([await content("d/a"), await content(world.path("d/a"))], ["one\n", "one\n"]);
    for (const name of ["link", "new", "a", "none"]) assert.equal(await content(name), undefined, name);
  });

  it("tell the newest restore: files without folders, and when it was", async () => {
    const before = Date.now();
    const { begun } = await world.command("mkdir -p new/er; echo x > new/er/a; echo y > b");
    assert.equal(await world.checkpoints.restored(), undefined);
    await world.restore(begun);
    const restored = await world.checkpoints.restored();
    assert.equal(restored?.files, 2);
    assert.ok(restored.at >= before && restored.at <= Date.now());
    assert.deepEqual(readdirSync(world.folder), []);
    assert.deepEqual((await world.checkpoints.undo(never)).restored.sort(), ["b", "new/er/a"]);
    assert.deepEqual(await world.checkpoints.undo(never), { restored: [], left: [] });
  });

  it("finish in the log what a killed restore did, and remove its temporary files alone", async () => {
    world.put("done", "one\n");
    world.put("d/open", "one\n");
    const { begun } = await world.command("echo two > done; echo two > d/open");
    const state = (text: string) => fileState(Buffer.from(text), 0o644);
    const files = ["done", "d/open"].map((name) => ({
      path: world.path(name),
      before: state("two\n"),
      after: state("one\n"),
    }));
    const log = new ChangeLog(path.join(world.store, "ses_one"));
    log.append({ type: "restore", id: "killed", at: 5, files });
    world.put("done", "one\n");
    const temporary = [".rondo-0123456789ab", "d/.rondo-abcdefabcdef"];
    const kept = [".rondo-0123456789abc", ".rondo-0123456789AB", "x.rondo-0123456789ab", "e/.rondo-0123456789ab"];
    for (const name of [...temporary, ...kept]) world.put(name, "x");
    mkdirSync(world.path(".rondo-999999999999"));
    await world.preview(begun);
    assert.deepEqual(
      log.read().filter((line) => line.type === "restored"),
      [{ type: "restored", id: "killed", paths: [world.path("done")] }],
    );
    const names = readdirSync(world.folder, { recursive: true }).map(String);
    assert.deepEqual(
      [...temporary, ...kept].filter((name) => names.includes(name)),
      kept,
    );
    assert.deepEqual(await world.checkpoints.restored(), { files: 1, at: 5, open: 0, isUndo: false, rewindTo: "" });
    await world.checkpoints.undo(never);
    assert.deepEqual([world.text("done"), world.text("d/open")], ["two\n", "two\n"]);
  });

  it("undo a killed restore as far as it got, without a preview", async () => {
    world.put("a", "one\n");
    await world.write("a", "two\n");
    const state = (text: string) => fileState(Buffer.from(text), 0o644);
    const files = [{ path: world.path("a"), before: state("two\n"), after: state("one\n") }];
    new ChangeLog(path.join(world.store, "ses_one")).append({ type: "restore", id: "killed", at: 5, files });
    world.put("a", "one\n");
    assert.deepEqual(await world.checkpoints.undo(never), { restored: ["a"], left: [] });
    assert.equal(world.text("a"), "two\n");
  });

  it("go through the editor for contents and deletions alone, not for links and folders", async () => {
    const calls: [string, string | undefined][] = [];
    const editor = new World({
      writer: {
        unsaved: async () => [],
        written: async () => {},
        write: async (file, bytes) => {
          calls.push([path.basename(file), bytes && Buffer.from(bytes).toString()]);
          return false;
        },
      },
    });
    for (const name of ["changed", "deleted", "was-file"]) editor.put(name, `${name}\n`);
    symlinkSync("changed", editor.path("link"));
    symlinkSync("changed", editor.path("was-link"));
    mkdirSync(editor.path("empty"));
    const before = editor.tree();
    const { begun } = await editor.command(
      "echo x > changed; rm deleted; echo x > made; rm was-file; ln -s x was-file; ln -sfn x link; rm was-link; echo x > was-link; rmdir empty; mkdir new",
    );
    await editor.restore(begun);
    assert.deepEqual(editor.tree(), before);
    assert.deepEqual(calls.sort(), [
      ["changed", "changed\n"],
      ["deleted", "deleted\n"],
      ["made", undefined],
    ]);
    await editor.dispose();
  });

  it("change nothing that could not be undone", async () => {
    const small = new World({ limitBytes: 3000 });
    small.put("a", noise(1000));
    small.put("b", "one\n");
    const { begun } = await small.command("head -c 2500 /dev/urandom > a; echo two > b");
    const changed = small.text("a");
    const { restored, left } = await small.restore(begun);
    assert.deepEqual(restored, ["b"]);
    assert.deepEqual(left, [{ path: "a", problem: "Its current content could not be saved." }]);
    assert.equal(small.text("a"), changed);
    await small.dispose();
  });

  it("do nothing for a snapshot that is not known", async () => {
    world.put("a", noise(10));
    await world.write("a", "two\n");
    writeFileSync(path.join(world.store, "ses_one/log.jsonl"), "");
    assert.deepEqual(await world.preview("snp_x"), { snapshot: "snp_x", at: 0, known: false, files: [] });
  });
});
