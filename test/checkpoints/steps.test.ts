/** Changes of steps by any means, and their restores (spec E1, D3). */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync } from "node:fs";
import path from "node:path";
import { never, World } from "./world.ts";

describe("checkpoints of steps", () => {
  const world = new World();
  afterEach(() => world.clear());
  after(() => world.dispose());

  /** Checks that a restore and its undo are exact to the byte. */
  async function goesBack(step: () => Promise<{ begun: string }>): Promise<void> {
    const before = world.tree();
    const { begun } = await step();
    const after = world.tree();
    assert.notDeepEqual(after, before);
    await world.restore(begun);
    assert.deepEqual(world.tree(), before);
    await world.checkpoints.undo(never);
    assert.deepEqual(world.tree(), after);
  }

  it("E1 name the files that a tool wrote, and restore them", async () => {
    world.put("a.txt", "one\n");
    const before = world.tree();
    const { begun, change } = await world.write("a.txt", "two\nthree\n");
    assert.deepEqual(change?.files, ["a.txt"]);
    const { files, known, at } = await world.preview(begun);
    const [file] = files;
    assert.ok(known && Math.abs(at - Date.now()) < 10_000);
    const shown = { path: "a.txt", effect: "change", added: 1, removed: 2, edited: false, problem: "" };
    assert.deepEqual(file, { ...shown, file: world.path("a.txt") });
    assert.deepEqual(await world.restore(begun), { restored: ["a.txt"], left: [] });
    assert.deepEqual(world.tree(), before);
  });

  it("E1 find what a command changed, created and deleted", async () => {
    world.put("a.txt", "one\n");
    world.put("gone/b.txt", "two\n");
    const command = "echo three > a.txt; rm -r gone; mkdir -p new/deep none; echo x > new/deep/c.txt; touch empty";
    await goesBack(async () => {
      const step = await world.command(command);
      assert.deepEqual(step.change?.files, ["a.txt", "empty", "gone/b.txt", "new/deep/c.txt"]);
      const planned = ["change a.txt", "create gone/b.txt", "delete empty", "delete new/deep/c.txt"];
      assert.deepEqual(await world.planned(step.begun), planned);
      return step;
    });
  });

  it("D3 have equal hashes for equal changes, and name the state afterwards", async () => {
    world.put("a.txt", "one\n");
    const first = await world.write("a.txt", "two\n");
    await world.restore(first.begun);
    const again = await world.command("echo two > a.txt");
    const other = await world.write("a.txt", "three\n");
    assert.equal(first.change?.hash, again.change?.hash);
    assert.notEqual(first.change?.hash, other.change?.hash);
    await world.restore(again.change?.snapshot ?? "");
    assert.equal(world.text("a.txt"), "two\n");
  });

  it("report nothing if a step changed nothing", async () => {
    world.put("a.txt", "one\n");
    assert.equal((await world.command("cat a.txt; touch a.txt; mkdir empty")).change, undefined);
    assert.equal((await world.write("a.txt", "one\n")).change, undefined);
    const begun = world.checkpoints.begin();
    assert.equal(await world.checkpoints.end(), undefined);
    assert.deepEqual(await world.planned(begun), []);
  });

  it("notice a change of the same size whose times were set back", async () => {
    world.put("a.txt", "one\n");
    const old = new Date(Date.now() - 1e7);
    utimesSync(world.path("a.txt"), old, old);
    await goesBack(() => world.command("touch -r a.txt mark; echo two > a.txt; touch -r mark a.txt; rm mark"));
  });

  it("restore modes, links, renames, and files that became folders", async () => {
    world.put("run.sh", "true\n", 0o755);
    world.put("plain", "text\n");
    world.put("folder/inner", "in\n");
    symlinkSync("plain", world.path("link"));
    await goesBack(() =>
      world.command(
        "chmod 644 run.sh; ln -sfn run.sh link; mv plain moved; rm -r folder; echo f > folder; mkdir plain; echo p > plain/p",
      ),
    );
  });

  it("restore binary contents and line endings", async () => {
    world.put("bytes", Buffer.from([0, 255, 13, 10, 128]));
    world.put("crlf", "a\r\nb\rc\n");
    await goesBack(() => world.command("printf '\\001' >> bytes; echo x >> crlf"));
  });

  it("follow no link out of the folder", async () => {
    mkdirSync(path.join(world.root, "outside"));
    world.put("../outside/file", "secret\n");
    world.put("d/file", "mine\n");
    const { begun } = await world.command("rm -r d; ln -s ../outside d");
    const { files } = await world.preview(begun);
    assert.deepEqual(files.map(({ path, problem }) => `${path} ${problem}`).sort(), ["d ", "d/file "]);
    // The user chooses the file alone, so the target of the link does not change.
    const { left } = await world.checkpoints.restore(begun, ["d/file"], never);
    assert.match(left[0]?.problem ?? "", /link/);
    assert.equal(world.text("../outside/file"), "secret\n");
    await world.restore(begun);
    assert.equal(world.text("d/file"), "mine\n");
    assert.equal(world.text("../outside/file"), "secret\n");
  });

  it("include ignored files and secrets only if a tool has named them", async () => {
    world.put(".gitignore", "*.log\n/build/\n");
    world.put(".rondoignore", "private/\n");
    world.put("sub/.gitignore", "!keep.log\nlocal\n");
    for (const name of [
      "a.log",
      "build/out",
      "private/p",
      "sub/keep.log",
      "sub/local",
      ".env",
      "node_modules/m/i.js",
    ]) {
      world.put(name, "one\n");
    }
    const all = "a.log build/out private/p sub/keep.log sub/local .env node_modules/m/i.js";
    const { change } = await world.command(`for f in ${all}; do echo two > $f; done`);
    assert.deepEqual(change?.files, ["sub/keep.log"]);
    const named = await world.write(".env", "three\n");
    assert.deepEqual(named.change?.files, [".env"]);
    const later = await world.command(`for f in ${all}; do echo four > $f; done`);
    assert.deepEqual(later.change?.files, [".env", "sub/keep.log"]);
    await world.restore(named.begun);
    assert.equal(world.text(".env"), "two\n");
  });

  it("do not count files as changed that new ignore rules show or hide", async () => {
    world.put(".gitignore", "dist\n");
    world.put("dist/out.js", "one\n");
    const before = world.tree();
    const { begun, change } = await world.command("echo '*.md' > .gitignore");
    assert.deepEqual(change?.files, [".gitignore"]);
    await world.restore(begun);
    assert.deepEqual(world.tree(), before);
    rmSync(world.path(".gitignore"));
    await world.command("true");
    const shown = await world.command("echo two > dist/out.js");
    assert.deepEqual(shown.change?.files, ["dist/out.js"]);
    await world.restore(shown.begun);
    assert.equal(world.text("dist/out.js"), "one\n");
  });

  it("say which contents were not saved, and save large files that a tool named", async () => {
    world.put("large", Buffer.alloc(3 << 20, 1));
    const { begun } = await world.command("echo >> large");
    assert.deepEqual(await world.planned(begun), [
      "change large It is larger than 2 MB, so Rondo saved no copy of it.",
    ]);
    assert.equal((await world.checkpoints.restore(begun, ["large"], never)).restored.length, 0);
    const size = statSync(world.path("large")).size;
    const named = await world.tool(["large", () => world.put("large", "small\n")]);
    await world.restore(named.begun);
    assert.equal(statSync(world.path("large")).size, size);
  });

  it("stop waiting on abort", async () => {
    const stop = new AbortController();
    world.checkpoints.begin();
    const waiting = world.checkpoints.ready("unknown", stop.signal);
    stop.abort(new Error("stopped"));
    await assert.rejects(waiting, /stopped/);
    await assert.rejects(world.checkpoints.ready([world.path("a")], stop.signal), /stopped/);
    assert.equal(await world.checkpoints.end(), undefined);
  });

  it("do not scan their own store", async () => {
    const own = new World({ folders: ["."] });
    own.put("a", "one\n");
    await own.command("echo two > a");
    assert.deepEqual((await own.command("echo three > a")).change?.files, ["a"]);
    await own.dispose();
  });

  it("do not change special files", async () => {
    world.put("a", "one\n");
    const { change } = await world.command("mkfifo pipe; echo two > a");
    assert.deepEqual(change?.files, ["a"]);
    const replaced = await world.command("rm a; mkfifo a");
    assert.match((await world.planned(replaced.begun)).join(), /not a regular file/);
  });

  it("never change .git, even if a tool names it", async () => {
    world.put("a", "one\n");
    world.commit();
    const listing = () =>
      execFileSync("find", [".git", "-printf", "%p %s %T@ %C@ %m\n"], { cwd: world.folder }).toString();
    const before = listing();
    const { begun } = await world.tool([".git/hooks/pre-commit", () => {}]);
    const step = await world.command("echo two > a");
    await world.restore(step.begun);
    await world.checkpoints.undo(never);
    assert.deepEqual(await world.planned(begun), ["change a"]);
    assert.equal(listing(), before);
    const committed = await world.command("git -c user.name=n -c user.email=e commit -qam two");
    assert.equal(committed.change, undefined);
  });

  it("delete the folders that a tool created together with its file", async () => {
    await goesBack(() => world.write("deep/er/new.txt", "x\n"));
    const { begun } = await world.write("other/new.txt", "x\n");
    world.put("other/mine.txt", "mine\n");
    await world.restore(begun);
    assert.ok(existsSync(world.path("other/mine.txt")) && !existsSync(world.path("other/new.txt")));
  });

  it("work over several folders, and tell files of the same name apart", async () => {
    const both = new World({ folders: ["one", "two"] });
    both.put("../one/same", "1\n");
    both.put("../two/same", "2\n");
    both.put("../two/only", "3\n");
    const before = both.tree();
    const { begun, change } = await both.command("for f in one/same two/same two/only; do echo x > ../$f; done");
    assert.deepEqual(change?.files, ["only", "same", "same"]);
    const names = (await both.preview(begun)).files.map(({ path }) => path).sort();
    assert.deepEqual(names, [...both.roots.map((root) => path.join(root, "same")), "only"].sort());
    await both.restore(begun);
    assert.deepEqual(both.tree(), before);
    await both.dispose();
  });

  it("copy nothing of a folder that is deleted during the scan", async () => {
    world.put("a/b/c", "one\n");
    const begun = world.checkpoints.begin();
    await world.checkpoints.ready("unknown", never);
    renameSync(world.path("a"), path.join(world.root, "elsewhere"));
    const change = await world.checkpoints.end();
    assert.deepEqual(change?.files, ["a/b/c"]);
    rmSync(path.join(world.root, "elsewhere"), { recursive: true });
    await world.restore(begun);
    assert.equal(world.text("a/b/c"), "one\n");
  });

  it("report a file that cannot be written, and restore the others", async function () {
    if (process.getuid?.() === 0) return this.skip();
    world.put("shut/a", "one\n");
    world.put("b", "one\n");
    const { begun } = await world.command("echo two > shut/a; echo two > b");
    chmodSync(world.path("shut"), 0o555);
    const { restored, left } = await world.restore(begun);
    chmodSync(world.path("shut"), 0o755);
    assert.deepEqual(restored, ["b"]);
    assert.deepEqual(
      left.map(({ path }) => path),
      ["shut/a"],
    );
  });
});
