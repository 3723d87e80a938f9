/** Reviewing, merging and throwing away the work of a worktree. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { changedLines, previewMerge, stateOfWorktree, textsOf } from "../../src/worktrees/changes.ts";
import { removeWorktree } from "../../src/worktrees/create.ts";
import { lossesOf } from "../../src/worktrees/losses.ts";
import { commitWork, mergeWorktree } from "../../src/worktrees/merge.ts";
import type { Worktree } from "../../src/worktrees/worktree-store.ts";
import { World } from "./world.ts";

describe("the work of a worktree", () => {
  let world: World;
  let worktree: Worktree;
  beforeEach(async () => {
    world = new World();
    world.write({ ".rondoignore": "private/\n" });
    ({ worktree } = await world.make());
    world.git("add", "--all");
    world.git("rm", "--quiet", "--cached", ".rondoignore");
  });
  afterEach(() => world.remove());

  const inTree = (...args: string[]) =>
    execFileSync("git", ["-C", worktree.path, ...args], { encoding: "utf8" }).trim();

  it("W4 is counted with what is not committed; looking changes nothing", async () => {
    world.write({ "a.txt": "a1\na2\nours\n", "new.txt": "n" }, worktree.path);
    inTree("add", "new.txt");
    const before = [inTree("status", "--porcelain"), inTree("rev-parse", "HEAD"), world.git("status", "--porcelain")];
    world.write({ "other.txt": "o" });
    world.git("add", "other.txt");
    world.git("commit", "--quiet", "-m", "Other");
    const state = await stateOfWorktree(worktree);
    assert.deepEqual(state, {
      ...{ branch: "rondo/add-gift-cards", target: "main", files: ["a.txt", "new.txt"], ahead: 0, behind: 1 },
    });
    const texts = await textsOf(worktree, state.files);
    assert.deepEqual(texts.get("a.txt"), { before: "a1\na2\na3\n", after: "a1\na2\nours\n" });
    assert.deepEqual(texts.get("new.txt"), { before: undefined, after: "n" });
    assert.deepEqual([inTree("status", "--porcelain"), inTree("rev-parse", "HEAD")], before.slice(0, 2));
    assert.equal(world.git("status", "--porcelain"), before[2]);
  });

  it("W4 runs no filter of a repository inside, and keeps the commit at which that stands", async () => {
    const inside = path.join(worktree.path, "inside");
    const ran = path.join(world.root, ".git", "ran");
    const git = (...args: string[]) => execFileSync("git", ["-C", inside, ...args], { encoding: "utf8" }).trim();
    const unfiltered = ["-c", "filter.x.clean=cat", "-c", "user.name=Dev", "-c", "user.email=dev@example.com"];
    const commit = (text: string) => {
      world.write({ "a.txt": text }, inside);
      git(...unfiltered, "add", "--all");
      git(...unfiltered, "commit", "--quiet", "-m", text.trim());
      // Of the same size at another time: only its content says whether it has changed.
      world.write({ "a.txt": text.toUpperCase() }, inside);
      utimesSync(path.join(inside, "a.txt"), 1, 1);
    };
    mkdirSync(inside);
    git("init", "--quiet");
    commit("one\n");
    git("config", "filter.x.clean", `touch "${ran}"; cat`);
    writeFileSync(path.join(inside, ".git/info/attributes"), "* filter=x\n");
    await commitWork(worktree, "With a repository");
    commit("two\n");
    assert.deepEqual((await stateOfWorktree(worktree)).files, ["inside"]);
    await commitWork(worktree, "With its next commit");
    assert.equal(inTree("rev-parse", "HEAD:inside"), git("rev-parse", "HEAD"));
    await commitWork(worktree, "Where only files have changed");
    assert.ok(!existsSync(ran), "a filter of the repository inside ran");
    git("status", "--short");
    assert.ok(existsSync(ran), "git itself runs it");
    rmSync(inside, { recursive: true });
    rmSync(ran);
    await commitWork(worktree, "Without it");
    assert.equal(inTree("ls-files", "inside"), "");
  });

  it("W4 is merged; the user's uncommitted changes and files stay, and no hook runs", async () => {
    const hook = path.join(world.root, ".git/hooks/pre-commit");
    mkdirSync(path.dirname(hook), { recursive: true });
    writeFileSync(hook, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    world.write({ "a.txt": "a1\na2\nours\n" }, worktree.path);
    world.write({ "src/b.txt": "mine\n", "notes.txt": "mine\n" });
    const preview = await previewMerge(worktree);
    assert.deepEqual([preview.clean, preview.conflicts, preview.blocked], [["a.txt"], [], []]);
    assert.deepEqual(preview.stay.toSorted(), [".rondoignore", "notes.txt", "src/b.txt"]);
    const result = await mergeWorktree(worktree, "Add gift cards", "user");
    assert.deepEqual(result, { type: "merged", into: "main", files: 1 });
    assert.equal(world.read("a.txt"), "a1\na2\nours\n");
    assert.equal(world.read("src/b.txt"), "mine\n");
    assert.equal(world.read("notes.txt"), "mine\n");
    assert.equal(world.git("log", "-1", "--format=%an %s"), "Dev Add gift cards");
  });

  it("W4 an uncommitted or unknown file in the way stops the merge before anything is done", async () => {
    world.write({ "a.txt": "ours\n", "new.txt": "ours\n" }, worktree.path);
    world.write({ "a.txt": "mine\n", "new.txt": "mine\n" });
    const head = world.git("rev-parse", "HEAD");
    assert.deepEqual((await previewMerge(worktree)).blocked.toSorted(), ["a.txt", "new.txt"]);
    await assert.rejects(mergeWorktree(worktree, "x", "user"), /in the way: a\.txt, new\.txt/);
    assert.equal(world.git("rev-parse", "HEAD"), head);
    assert.equal(world.read("a.txt"), "mine\n");
    assert.equal(inTree("rev-parse", "HEAD"), head, "nothing is committed either");
  });

  it("W4 a conflict is left to the session in its worktree; after it is solved the merge is clean", async () => {
    world.write({ "a.txt": "a1\nours\na3\n", "new.txt": "n\n" }, worktree.path);
    world.write({ "a.txt": "a1\nmine\na3\n" });
    world.git("commit", "--quiet", "-am", "Mine");
    const preview = await previewMerge(worktree);
    assert.deepEqual([preview.conflicts, preview.clean, preview.behind], [["a.txt"], ["new.txt"], 1]);
    const result = await mergeWorktree(worktree, "Ours", "session");
    assert.deepEqual(result, { type: "conflicts", in: "worktree", files: ["a.txt"] });
    assert.equal(world.read("a.txt"), "a1\nmine\na3\n", "the user's folder has no marks");
    assert.match(world.read("a.txt", worktree.path) ?? "", /^<{7} /m);
    await assert.rejects(mergeWorktree(worktree, "Ours", "session"), /a\.txt still has conflicts/);

    world.write({ "a.txt": "a1\nmine and ours\na3\n" }, worktree.path);
    const solved = await previewMerge(worktree);
    assert.deepEqual([solved.conflicts, solved.clean.toSorted()], [[], ["a.txt", "new.txt"]]);
    assert.equal((await mergeWorktree(worktree, "Ours", "session")).type, "merged");
    assert.equal(world.read("a.txt"), "a1\nmine and ours\na3\n");
    assert.equal(world.git("log", "--format=%s", "--grep=Mine"), "Mine");
  });

  it("W4 a conflict that the user solves is marked in the user's files", async () => {
    world.write({ "a.txt": "ours\n" }, worktree.path);
    world.write({ "a.txt": "mine\n" });
    world.git("commit", "--quiet", "-am", "Mine");
    const result = await mergeWorktree(worktree, "Ours", "user");
    assert.deepEqual(result, { type: "conflicts", in: "folder", files: ["a.txt"] });
    assert.match(world.read("a.txt") ?? "", /^<{7} /m);
    await assert.rejects(mergeWorktree(worktree, "Ours", "user"), /Another merge is open|in the way/);
  });

  it("W4 is kept as a branch without copied files, or thrown away", async () => {
    world.write({ "a.txt": "ours\n" }, worktree.path);
    await commitWork(worktree, "Ours");
    await removeWorktree(world.store, worktree, "keep-branch");
    assert.equal(existsSync(worktree.path), false);
    assert.equal(world.git("show", "rondo/add-gift-cards:a.txt"), "ours");
    assert.equal(world.git("ls-tree", "--name-only", "rondo/add-gift-cards", ".rondoignore"), "");

    const { worktree: other } = await world.make("ses_2", { words: "other" });
    world.write({ "a.txt": "other\n" }, other.path);
    await removeWorktree(world.store, other, "branch", await lossesOf(other, { at: other.path, branchGoes: false }));
    assert.deepEqual(world.branches(), ["main", "rondo/add-gift-cards"]);
    assert.equal(world.read("a.txt"), "a1\na2\na3\n");
  });

  it("W4 needs a branch to merge into", async () => {
    world.write({ "a.txt": "ours\n" }, worktree.path);
    world.git("checkout", "--quiet", "--detach");
    assert.equal((await previewMerge(worktree)).target, undefined);
    await assert.rejects(mergeWorktree(worktree, "x", "user"), /No branch is checked out/);
  });

  it("W4 moved, deleted and oddly named files are part of it", async () => {
    inTree("mv", "a.txt", "moved.txt");
    inTree("rm", "--quiet", "src/b.txt");
    world.write({ 'with space "and\tquotes.txt': "odd", "--option.txt": "o" }, worktree.path);
    assert.equal((await mergeWorktree(worktree, "Move", "user")).type, "merged");
    assert.equal(world.read("a.txt"), undefined);
    assert.equal(world.read("src/b.txt"), undefined);
    assert.equal(world.read("moved.txt"), "a1\na2\na3\n");
    assert.equal(world.read('with space "and\tquotes.txt'), "odd");
    assert.equal(world.read("--option.txt"), "o");
  });

  it("W4 work that a command of the session has put on another branch is not lost", async () => {
    inTree("switch", "--quiet", "-c", "mine");
    world.write({ "a.txt": "ours\n" }, worktree.path);
    inTree("commit", "--quiet", "-am", "On another branch");
    const { path: top } = worktree;
    const commit = await commitWork(worktree, "Ours");
    assert.equal(world.git("rev-parse", "rondo/add-gift-cards"), commit);
    assert.equal((await mergeWorktree(worktree, "Ours", "user")).type, "merged");
    assert.equal(world.read("a.txt"), "ours\n");

    execFileSync("git", ["-C", top, "checkout", "--quiet", "--orphan", "unrelated"]);
    world.write({ "b.txt": "unrelated\n" }, top);
    await assert.rejects(commitWork(worktree, "Unrelated"), /no longer on rondo\/add-gift-cards/);
    assert.equal(world.git("rev-parse", "rondo/add-gift-cards"), commit);
    assert.equal(world.git("show", "unrelated:b.txt"), "unrelated");
  });

  it("W4 a branch that the user has checked out elsewhere is not moved, and stays when the worktree goes", async () => {
    inTree("switch", "--quiet", "--detach");
    const elsewhere = path.join(world.root, "../elsewhere");
    world.git("worktree", "add", "--quiet", elsewhere, "rondo/add-gift-cards");
    world.write({ "a.txt": "ours\n" }, worktree.path);
    await assert.rejects(mergeWorktree(worktree, "Ours", "user"), /no longer on rondo\/add-gift-cards/);
    assert.equal(world.read("a.txt"), "a1\na2\na3\n");
    const lost = await lossesOf(worktree, { at: worktree.path, branchGoes: false });
    assert.deepEqual(lost, [{ type: "commits", count: 1 }]);
    await removeWorktree(world.store, worktree, "branch", lost);
    assert.deepEqual(world.branches(), ["main", "rondo/add-gift-cards"]);
  });

  it("W4 counts the lines of each changed file", async () => {
    inTree("rm", "--quiet", "src/b.txt");
    world.write({ "a.txt": "a1\nnew\na3\nmore\n", "with\ttab.txt": "t\n", "image.bin": "\0\0" }, worktree.path);
    assert.deepEqual(await changedLines(worktree), [
      { path: "a.txt", added: 2, removed: 1 },
      { path: "image.bin", added: 0, removed: 0 },
      { path: "src/b.txt", added: 0, removed: 1 },
      { path: "with\ttab.txt", added: 1, removed: 0 },
    ]);
  });
});
