/** Making, filling, removing and cleaning up worktrees. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { stateOfWorktree } from "../../src/worktrees/changes.ts";
import { cleanUpWorktrees } from "../../src/worktrees/clean-up.ts";
import { createWorktree, folderOf, namesFor, removeWorktree, slugOf } from "../../src/worktrees/create.ts";
import { lossesOf } from "../../src/worktrees/losses.ts";
import { randomly } from "../random.ts";
import { mustFind, World } from "./world.ts";

describe("making a worktree", () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.remove());

  it("W3 has the committed files and a branch named after the task; the user's folder stays as it is", async () => {
    world.write({ "a.txt": "not committed\n", "new.txt": "new\n" });
    const { worktree } = await world.make();
    assert.equal(worktree.branch, "rondo/add-gift-cards");
    assert.equal(world.read("a.txt", worktree.path), "a1\na2\na3\n");
    assert.equal(world.read("new.txt", worktree.path), undefined);
    assert.equal(world.read("a.txt"), "not committed\n");
    assert.equal(world.git("rev-parse", "--abbrev-ref", "HEAD"), "main");
    assert.deepEqual(world.store.of("ses_1"), worktree);
  });

  it("W3 takes another name where one is taken", async () => {
    world.git("branch", "rondo/add-gift-cards");
    const first = await world.make("ses_1");
    const second = await world.make("ses_2");
    assert.deepEqual(
      [first.worktree.branch, second.worktree.branch],
      ["rondo/add-gift-cards-2", "rondo/add-gift-cards-3"],
    );
  });

  it("W3 works in a folder below the repository's top", async () => {
    const { worktree } = await world.make("ses_1", { folder: path.join(world.root, "src") });
    assert.equal(world.read("b.txt", folderOf(worktree)), "b\n");
  });

  randomly("W3 names are plain whatever the task says", () => {
    assert.equal(slugOf("Füge „Gutscheine“ hinzu: ../../etc; rm -rf /"), "fuge-gutscheine-hinzu-etc-rm");
    assert.equal(slugOf("修复"), "task");
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (words) => {
        const [first = "", second = ""] = namesFor(words);
        for (const name of [first, second]) assert.match(name, /^[a-z0-9]+(-[a-z0-9]+)*$/);
        assert.ok(second.length <= 43);
      }),
    );
  });

  it("W3 says why a folder can have none", async () => {
    const outside = path.join(world.root, "..");
    await assert.rejects(world.make("ses_1", { folder: outside }), /not in a git repository/);
    const empty = path.join(outside, "empty");
    mkdirSync(empty);
    world.git("init", "--quiet", empty);
    await assert.rejects(world.make("ses_1", { folder: empty }), /no commit yet/);
    assert.deepEqual(world.store.all(), []);
  });

  it("W3 runs no hook of the repository", async () => {
    const hook = path.join(world.root, ".git/hooks/post-checkout");
    mkdirSync(path.dirname(hook), { recursive: true });
    writeFileSync(hook, "#!/bin/sh\ntouch hooked\n", { mode: 0o755 });
    const { worktree } = await world.make();
    assert.equal(world.read("hooked", worktree.path), undefined);
    assert.equal(world.read("hooked"), undefined);
  });

  it("W3 leaves nothing behind when it is cancelled", async () => {
    const stop = new AbortController();
    const wanted = { sessionID: "ses_1", folder: world.root, words: "x", copy: [], secrets: [], rival: "" };
    const making = createWorktree(world.store, wanted, stop.signal);
    stop.abort();
    await assert.rejects(making, { name: "AbortError" });
    assert.deepEqual(world.store.all(), []);
    assert.deepEqual(world.branches(), ["main"]);
  });

  it("W3 says so if git is missing, and leaves nothing behind", async () => {
    const { PATH } = process.env;
    process.env["PATH"] = path.join(world.root, "src");
    try {
      await assert.rejects(world.make(), { message: "git could not be started." });
    } finally {
      process.env["PATH"] = PATH;
    }
    assert.deepEqual(world.store.all(), []);
    assert.deepEqual(world.branches(), ["main"]);
  });

  it("W3 two at the same moment have different names", async () => {
    const made = await Promise.all(["ses_1", "ses_2", "ses_3"].map((id) => world.make(id)));
    assert.equal(new Set(made.map(({ worktree }) => worktree.path)).size, 3);
    assert.deepEqual(
      world.branches().filter((name) => name !== "main"),
      made.map(({ worktree }) => worktree.branch).sort(),
    );
  });

  it("W3 leaves submodules empty and unchanged, and can be made of one", async () => {
    const library = path.join(world.root, "../library");
    mkdirSync(library);
    for (const args of [
      ["init", "--quiet"],
      ["commit", "--quiet", "--allow-empty", "-m", "First"],
    ]) {
      world.git("-C", library, "-c", "user.name=Dev", "-c", "user.email=dev@example.com", ...args);
    }
    world.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib");
    world.commit("A submodule");
    const { worktree } = await world.make();
    assert.deepEqual(readdirSync(path.join(worktree.path, "lib")), []);
    assert.deepEqual((await stateOfWorktree(worktree)).files, []);
    await removeWorktree(world.store, worktree, "branch");
    assert.equal(existsSync(worktree.path), false);

    const inside = await world.make("ses_2", { folder: path.join(world.root, "lib"), words: "inside" });
    world.write({ "made.txt": "made" }, inside.worktree.path);
    assert.equal(inside.worktree.root, path.join(world.root, "lib"));
    assert.deepEqual((await stateOfWorktree(inside.worktree)).files, ["made.txt"]);
    const { path: at } = inside.worktree;
    const made = await lossesOf(inside.worktree, { at, branchGoes: false });
    await removeWorktree(world.store, inside.worktree, "branch", made);
  });

  it("W3 can be made while a commit alone is checked out", async () => {
    world.git("checkout", "--quiet", "--detach");
    const { worktree } = await world.make();
    assert.equal((await stateOfWorktree(worktree)).target, undefined);
  });

  describe("copies", () => {
    it("W3 ignored files by the user's list and the repository's; only the user's may name secrets", async () => {
      world.write({
        ".worktreeinclude": "# a comment\n.env\nlocal/\nplain.txt\n",
        ".env": "KEY=1",
        "local/settings.txt": "s",
        "node_modules/m/index.js": "m",
        "plain.txt": "not ignored",
        "x.cache": "c",
      });
      const { worktree, left } = await world.make("ses_1", { copy: ["*.cache"] });
      assert.equal(world.read("local/settings.txt", worktree.path), "s");
      assert.equal(world.read("x.cache", worktree.path), "c");
      assert.equal(world.read(".env", worktree.path), undefined);
      assert.equal(world.read("plain.txt", worktree.path), undefined, "the user's work, which git does not ignore");
      assert.equal(world.read("node_modules/m/index.js", worktree.path), undefined);
      assert.deepEqual(left, [".env may hold secrets, so only your setting rondo.worktree.copy can have them copied."]);

      const other = await world.make("ses_2", { copy: [".env"] });
      assert.equal(world.read(".env", other.worktree.path), "KEY=1");
      const own = await world.make("ses_3", { secrets: ["local/"] });
      assert.equal(world.read("local/settings.txt", own.worktree.path), undefined);
    });

    it("W3 settings that protect and guide, ignored or not, which are no change of the session", async () => {
      world.write({ ".rondoignore": "private/\n", ".rondo/rules/a.md": "Rule", "AGENTS.md": "Be brief." });
      const { worktree } = await world.make();
      assert.equal(world.read(".rondoignore", worktree.path), "private/\n");
      assert.equal(world.read(".rondo/rules/a.md", worktree.path), "Rule");
      assert.deepEqual(worktree.copied.toSorted(), [".rondo/rules/a.md", ".rondoignore", "AGENTS.md"]);
    });

    it("W3 follows no link out, and replaces no file", async () => {
      world.write({ "../outside/secret.txt": "outside", "node_modules/m/cli.js": "cli", "tracked/keep.txt": "k" });
      symlinkSync("../../outside", path.join(world.root, "src/out"));
      world.commit("A link to a folder outside");
      mkdirSync(path.join(world.root, "node_modules/.bin"), { recursive: true });
      symlinkSync("../m/cli.js", path.join(world.root, "node_modules/.bin/cli"));
      symlinkSync("/etc/passwd", path.join(world.root, "node_modules/absolute"));
      symlinkSync("../../outside/secret.txt", path.join(world.root, "node_modules/upward"));
      const { worktree, left } = await world.make("ses_1", { copy: ["node_modules/", "src/out/"] });
      assert.equal(readlinkSync(path.join(worktree.path, "node_modules/.bin/cli")), "../m/cli.js");
      assert.equal(existsSync(path.join(worktree.path, "node_modules/absolute")), false);
      assert.equal(existsSync(path.join(worktree.path, "node_modules/upward")), false);
      const out = (name: string) => `${name} is a link that leads out: not copied.`;
      assert.deepEqual(left.toSorted(), ["node_modules/absolute", "node_modules/upward"].map(out));
      assert.deepEqual(readdirSync(path.join(world.root, "../outside")), ["secret.txt"]);
    });
  });

  describe("after a crash", () => {
    const hour = 3_600_000;
    const cleanUp = (...sessions: string[]) =>
      cleanUpWorktrees(world.store, (id) => sessions.includes(id), Date.now() + hour);

    it("W3 one that another window is making now is left to it", async () => {
      const { worktree } = await world.make();
      world.store.save({ ...worktree, state: "making" });
      assert.deepEqual(await cleanUpWorktrees(world.store, () => false), []);
      assert.ok(existsSync(worktree.path));
    });

    it("W3 one that was half made is removed with its branch, unless there is a commit on it", async () => {
      const { worktree } = await world.make();
      world.store.save({ ...worktree, state: "making" });
      await cleanUp("ses_1");
      assert.equal(existsSync(worktree.path), false);
      assert.deepEqual(world.branches(), ["main"]);

      world.git("checkout", "--quiet", "-b", "rondo/mine");
      world.write({ "mine.txt": "m" });
      world.commit("Mine");
      world.git("checkout", "--quiet", "main");
      world.store.save({
        ...worktree,
        branch: "rondo/mine",
        path: path.join(world.store.folder, "mine"),
        state: "making",
      });
      await cleanUp();
      assert.deepEqual(world.branches(), ["main", "rondo/mine"]);
    });

    it("W3 a removal is finished; one without session and work goes, one with work stays", async () => {
      const { worktree: removing } = await world.make("ses_1", { words: "removing" });
      world.store.save({ ...removing, state: "removing" });
      const { worktree: unused } = await world.make("ses_2", { words: "unused" });
      const { worktree: used } = await world.make("ses_3", { words: "used" });
      world.write({ "work.txt": "w" }, used.path);
      const { worktree: open } = await world.make("ses_4", { words: "open" });
      const notes = await cleanUp("ses_1", "ses_4");
      assert.deepEqual(
        [removing, unused, used, open].map(({ path: top }) => existsSync(top)),
        [false, false, true, true],
      );
      assert.equal(notes.length, 3);
      assert.equal(world.read("work.txt", used.path), "w");
    });

    it("W3 a folder that the user has removed is forgotten; a broken or foreign note is not followed", async () => {
      const { worktree } = await world.make();
      await removeWorktree(world.store, worktree, "keep-branch");
      assert.deepEqual(world.branches(), ["main", "rondo/add-gift-cards"]);
      world.store.save({ ...worktree, path: world.root });
      assert.equal(world.store.of("ses_1"), undefined);
      await assert.rejects(
        removeWorktree(world.store, { ...worktree, path: world.root }, "branch"),
        /no worktree of Rondo/,
      );
      await cleanUp();
      assert.ok(existsSync(world.root));
      assert.equal(world.store.of("../../etc/passwd"), undefined);
      assert.throws(() => mustFind(world.store, "ses_1"));
    });
  });
});
