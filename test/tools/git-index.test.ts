/** Which files git has, read from its index (T7). */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { lstatSync, utimesSync } from "node:fs";
import { findRepository } from "../../src/base/node/repository.ts";
import { hasChanged, readGitIndex } from "../../src/tools/node-host/git-index.ts";
import { TestWorkspace } from "./workspace.ts";

const indexOf = (folder: string) => {
  const repository = findRepository(folder);
  return repository && readGitIndex(repository.gitDir);
};

describe("T7 the index of git", () => {
  let work: TestWorkspace;
  const git = (...args: string[]) => execFileSync("git", ["-C", work.folder, ...args], { encoding: "utf8" });
  beforeEach(() => {
    work = new TestWorkspace();
    git("init", "-q");
  });
  afterEach(() => work.dispose());

  for (const version of ["2", "3", "4"]) {
    it(`T7 version ${version}: the files that git lists`, () => {
      for (let at = 0; at < 300; at++) work.put(`${"deep/".repeat(at % 7)}ä ${"x".repeat(at % 190)} ${at}.ts`, "x");
      git("add", ".");
      if (version === "3") {
        work.put("later.ts", "x");
        git("add", "-N", "later.ts");
      } else git("update-index", "--index-version", version);
      const listed = git("ls-files", "-z").split("\0").filter(Boolean);
      assert.ok(listed.length > 200);
      assert.deepEqual([...(indexOf(work.folder)?.keys() ?? [])], listed);
    });
  }

  it("T7 none without an index, in a worktree its own, and unknown for what is no index", () => {
    assert.equal(indexOf(work.folder)?.size, 0);
    work.put("a.ts", "x");
    git("add", ".");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x");
    git("worktree", "add", "-q", "../other");
    assert.deepEqual([...(indexOf(`${work.root}/other`)?.keys() ?? [])], ["a.ts"]);
    work.put(".git/index", "DIRC");
    assert.equal(indexOf(work.folder), undefined);
    assert.equal(indexOf(work.root), undefined);
  });

  it("T7 a file with another size or time may have another text", () => {
    const file = work.put("a.ts", "x");
    git("add", ".");
    const entry = indexOf(work.folder)?.get("a.ts");
    assert.ok(entry);
    assert.equal(hasChanged(entry, lstatSync(file)), false);
    utimesSync(file, 1, 1);
    assert.equal(hasChanged(entry, lstatSync(file)), true);
    work.put("a.ts", "longer");
    assert.equal(hasChanged(entry, lstatSync(file)), true);
  });
});
