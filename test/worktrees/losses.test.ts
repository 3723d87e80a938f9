/** What git does not hold is never deleted with a worktree unless somebody has agreed to it. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import path from "node:path";
import { cleanUpWorktrees } from "../../src/worktrees/clean-up.ts";
import { removeWorktree } from "../../src/worktrees/create.ts";
import { lossesOf, removedFolder } from "../../src/worktrees/losses.ts";
import { commitWork, mergeWorktree } from "../../src/worktrees/merge.ts";
import type { Worktree } from "../../src/worktrees/worktree-store.ts";
import { mustFind, World } from "./world.ts";

describe("removing a worktree", () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.remove());

  const losses = async (worktree: Worktree, branchGoes = false) =>
    await lossesOf(worktree, { at: worktree.path, branchGoes });
  const lines = async (worktree: Worktree, branchGoes = false) =>
    (await losses(worktree, branchGoes))
      .map((loss) => (loss.type === "commits" ? `commits ${loss.count}` : `${loss.type} ${loss.path} ${loss.files}`))
      .sort();
  const inside = (worktree: Worktree, ...args: string[]) =>
    execFileSync("git", ["-C", worktree.path, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  const own = ["-c", "user.name=Dev", "-c", "user.email=dev@example.com", "-c", "protocol.file.allow=always"];

  /** Each way to remove it is refused, and leaves everything where it is. */
  async function stays(worktree: Worktree, names: RegExp): Promise<void> {
    const before = readdirSync(worktree.path).toSorted();
    for (const and of ["keep-branch", "branch", "unused-branch", "merged-branch"] as const) {
      await assert.rejects(removeWorktree(world.store, worktree, and), { name: "WorktreeError", message: names });
      assert.deepEqual(readdirSync(worktree.path).toSorted(), before);
      assert.equal(mustFind(world.store, worktree.sessionID).state, "ready");
      assert.ok(world.branches().includes(worktree.branch));
      assert.match(inside(worktree, "status"), /On branch/);
    }
  }

  it("W6 ignored files stop it, folders as a whole; agreed ones go", async () => {
    const { worktree } = await world.make();
    world.write(
      { ".env": "KEY=1", "node_modules/m/a.js": "a", "node_modules/m/b.js": "b", "src/x.cache": "x" },
      worktree.path,
    );
    assert.deepEqual(await lines(worktree), ["ignored .env 1", "ignored node_modules/ 2", "ignored src/x.cache 1"]);
    await stays(worktree, /\.env, .*node_modules\//);
    await removeWorktree(world.store, worktree, "branch", await losses(worktree));
    assert.equal(existsSync(worktree.path), false);
    assert.deepEqual(readdirSync(world.store.folder), []);
    assert.deepEqual(world.branches(), ["main"]);
    assert.equal(world.git("worktree", "list").split("\n").length, 1);
  });

  it("W6 what comes after the question stops it: a file, and one in a folder that was named", async () => {
    const { worktree } = await world.make();
    world.write({ "local/one.txt": "1" }, worktree.path);
    const known = await losses(worktree);
    for (const name of ["local/two.db", ".env", "late.txt"]) {
      world.write({ [name]: "late" }, worktree.path);
      await assert.rejects(removeWorktree(world.store, worktree, "branch", known), /does not hold this/);
      assert.equal(world.read(name, worktree.path), "late");
      rmSync(path.join(worktree.path, name));
    }
    await removeWorktree(world.store, worktree, "branch", known);
    assert.equal(existsSync(worktree.path), false);
  });

  it("W6 a copy of Rondo's counts by its content: unchanged it goes, changed it stops", async () => {
    world.write({
      ".env": "KEY=1",
      "local/a": "a",
      "local/b": "b",
      "AGENTS.md": "Be brief.",
      "node_modules/m/i.js": "i",
    });
    mkdirSync(path.join(world.root, "node_modules/.bin"));
    symlinkSync("../m/i.js", path.join(world.root, "node_modules/.bin/i"));
    const copy = [".env", "local/", "node_modules/"];
    const { worktree } = await world.make("ses_1", { copy });
    // The original changes or goes, and the copy is touched: that is no work.
    world.write({ ".env": "KEY=2" });
    rmSync(path.join(world.root, "local/a"));
    utimesSync(path.join(worktree.path, "local/a"), 1, 1);
    assert.deepEqual(await lines(worktree), []);
    appendFileSync(path.join(worktree.path, "local/b"), "!");
    appendFileSync(path.join(worktree.path, "AGENTS.md"), "!");
    assert.deepEqual(await lines(worktree), ["ignored AGENTS.md 1", "ignored local/ 1"]);
    // Committing does not take a copy along.
    await commitWork(worktree, "Work");
    assert.deepEqual(await lines(worktree), ["ignored AGENTS.md 1", "ignored local/ 1"]);
    await stays(worktree, /AGENTS\.md/);

    const other = await world.make("ses_2", { copy });
    await removeWorktree(world.store, other.worktree, "branch");
    assert.equal(existsSync(other.worktree.path), false);
  });

  it("W6 copies of an older version count by the files in the user's folder", async () => {
    world.write({ ".env": "KEY=1", "local/a": "a" });
    const { worktree } = await world.make("ses_1", { copy: [".env", "local/"] });
    const older = { ...worktree, hashes: [] };
    assert.deepEqual(await lines(older), []);
    world.write({ ".env": "KEY=2" }, worktree.path);
    assert.deepEqual(await lines(older), ["ignored .env 1"]);
  });

  it("W6 repositories inside stop it, with commits or without: submodules, and others", async () => {
    const library = path.join(world.root, "../library");
    mkdirSync(library);
    world.git("-C", library, ...own, "init", "--quiet");
    world.git("-C", library, ...own, "commit", "--quiet", "--allow-empty", "-m", "First");
    world.git(...own, "submodule", "--quiet", "add", library, "lib");
    world.commit("A submodule");
    const { worktree } = await world.make();
    assert.deepEqual(await lines(worktree), []);
    inside(worktree, ...own, "submodule", "--quiet", "update", "--init");
    execFileSync("git", [
      "-C",
      path.join(worktree.path, "lib"),
      ...own,
      "commit",
      "--quiet",
      "--allow-empty",
      "-m",
      "Own",
    ]);
    inside(worktree, "init", "--quiet", "nested");
    inside(worktree, "init", "--quiet", "local/deep");
    assert.deepEqual(
      (await lines(worktree)).map((line) => line.replace(/ \d+$/, "")),
      ["ignored local/", "repository lib/", "repository nested/"],
    );
    await stays(worktree, /lib\//);
    // The folder is empty again, and the repository has the commit.
    inside(worktree, ...own, "submodule", "--quiet", "deinit", "--force", "lib");
    assert.ok((await lines(worktree)).some((line) => line.startsWith("repository lib ")));
    await stays(worktree, /lib/);
    await removeWorktree(world.store, worktree, "branch", await losses(worktree));
    assert.equal(existsSync(worktree.path), false);
  });

  it("W6 commits that nothing else holds stop it: a detached HEAD, and one that was left", async () => {
    const { worktree } = await world.make();
    inside(worktree, "checkout", "--quiet", "--detach");
    inside(worktree, ...own, "commit", "--quiet", "--allow-empty", "-m", "Detached");
    assert.deepEqual(await lines(worktree), ["commits 1"]);
    inside(worktree, "switch", "--quiet", worktree.branch);
    assert.deepEqual(await lines(worktree), ["commits 1"]);
    await stays(worktree, /1 commit/);
    inside(worktree, "branch", "kept", "HEAD@{1}");
    assert.deepEqual(await lines(worktree), []);
    inside(worktree, ...own, "commit", "--quiet", "--allow-empty", "-m", "On the branch");
    assert.deepEqual(await lines(worktree), []);
    assert.deepEqual(await lines(worktree, true), ["commits 1"]);
    await assert.rejects(removeWorktree(world.store, worktree, "merged-branch"), /1 commit/);
    await removeWorktree(world.store, worktree, "keep-branch");
    assert.deepEqual(world.branches(), ["kept", "main", worktree.branch]);
  });

  it("W6 after a merge nothing is asked, and a commit or a file that comes then stops it", async () => {
    const { worktree } = await world.make();
    world.write({ "new.txt": "n" }, worktree.path);
    assert.deepEqual(await lines(worktree), ["uncommitted new.txt 1"]);
    await mergeWorktree(worktree, "Work", "user");
    assert.deepEqual(await lines(worktree, true), []);
    world.write({ "late.txt": "l" }, worktree.path);
    await stays(worktree, /late\.txt/);
    await commitWork(worktree, "More");
    await assert.rejects(removeWorktree(world.store, worktree, "merged-branch"), /1 commit/);
    await mergeWorktree(worktree, "More", "user");
    await removeWorktree(world.store, worktree, "merged-branch");
    assert.equal(existsSync(worktree.path), false);
    assert.equal(world.read("late.txt"), "l");
  });

  it("W6 a changed file at which git was told not to look stops it", async () => {
    const { worktree } = await world.make();
    inside(worktree, "update-index", "--skip-worktree", "a.txt");
    inside(worktree, "update-index", "--assume-unchanged", "src/b.txt");
    assert.deepEqual(await lines(worktree), []);
    world.write({ "a.txt": "mine\n", "src/b.txt": "mine\n" }, worktree.path);
    assert.deepEqual(await lines(worktree), ["ignored a.txt 1", "ignored src/b.txt 1"]);
    await commitWork(worktree, "Work");
    await stays(worktree, /a\.txt, src\/b\.txt/);
  });

  it("W6 where git cannot tell, everything counts", async () => {
    const { worktree } = await world.make();
    renameSync(world.root, `${world.root}-moved`);
    const [only, ...more] = await losses(worktree);
    assert.equal(only?.type, "unknown");
    assert.deepEqual(more, []);
    await assert.rejects(removeWorktree(world.store, worktree, "branch"), /does not hold/);
    assert.ok(existsSync(worktree.path));
    renameSync(`${world.root}-moved`, world.root);
  });

  describe("W6 without a question", () => {
    const cleanUp = () => cleanUpWorktrees(world.store, () => false, Date.now() + 3_600_000);

    it("W6 one with ignored files stays, in whatever state it was left", async () => {
      for (const state of ["ready", "making", "removing"] as const) {
        const { worktree } = await world.make(`ses_${state}`, { words: state });
        world.write({ ".env": "KEY=1" }, worktree.path);
        world.store.save({ ...worktree, state });
        const [note = ""] = await cleanUp();
        assert.match(note, /\.env/);
        assert.equal(world.read(".env", worktree.path), "KEY=1", state);
        assert.notEqual(world.store.of(`ses_${state}`)?.state, "removing");
        await removeWorktree(world.store, worktree, "branch", await losses(worktree));
      }
    });

    it("W6 one that was half made goes with its copies, complete or not", async () => {
      world.write({ ".env": "KEY=1" });
      const { worktree } = await world.make("ses_1", { copy: [".env"] });
      world.write({ ".env": "KEY" }, worktree.path);
      rmSync(inside(worktree, "rev-parse", "--path-format=absolute", "--git-path", "index"));
      world.store.save({ ...worktree, copied: [], hashes: [], state: "making" });
      await cleanUp();
      assert.equal(existsSync(worktree.path), false);
      assert.deepEqual(world.store.all(), []);
    });

    it("W6 a removal that had begun is finished; what came to its place since stays", async () => {
      const { worktree } = await world.make();
      world.store.save({ ...worktree, state: "removing" });
      renameSync(worktree.path, removedFolder(worktree));
      world.write({ "late.db": "late" }, worktree.path);
      await cleanUp();
      assert.equal(existsSync(removedFolder(worktree)), false);
      assert.equal(world.read("late.db", worktree.path), "late");
      assert.deepEqual(world.store.all(), []);
      assert.equal(world.git("worktree", "list").split("\n").length, 1);
    });
  });
});
