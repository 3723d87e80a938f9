/** D2: the top folder of the repository, without a process of git. Git itself says what is right. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { findRepository } from "../../src/base/node/repository.ts";

describe("D2 path.root", () => {
  let home: string;
  let work: string;

  const git = (cwd: string, ...args: string[]) => {
    const who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "protocol.file.allow=always"];
    execFileSync("git", [...who, ...args], { cwd, stdio: "pipe" });
  };
  const folder = (...names: string[]) => {
    const made = path.join(home, ...names);
    mkdirSync(made, { recursive: true });
    return made;
  };
  function repository(...names: string[]): string {
    const made = folder(...names);
    git(made, "init", "-q");
    git(made, "commit", "-q", "--allow-empty", "-m", "first");
    return made;
  }

  beforeEach(() => {
    home = realpathSync(mkdtempSync(path.join(os.tmpdir(), "rondo-root-")));
    work = repository("work");
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const cases: Record<string, () => string> = {
    "the top folder itself": () => work,
    "a folder deep below": () => folder("work", "a", "b", "c"),
    "a folder outside": () => folder("elsewhere"),
    "a worktree": () => {
      git(work, "worktree", "add", "-q", path.join(home, "tree"));
      return path.join(home, "tree");
    },
    "a folder of a worktree within the repository": () => {
      git(work, "worktree", "add", "-q", path.join(work, "trees", "one"));
      return folder("work", "trees", "one", "src");
    },
    "a submodule": () => {
      git(work, "submodule", "add", "-q", repository("library"), "library");
      return folder("work", "library", "src");
    },
    "a repository within a repository": () => {
      repository("work", "inner");
      return folder("work", "inner", "src");
    },
    "an empty folder named .git below a repository": () => {
      folder("work", "a", ".git");
      return folder("work", "a", "b");
    },
    "a link from outside to a folder of the repository": () => {
      symlinkSync(folder("work", "src"), path.join(home, "link"));
      return path.join(home, "link");
    },
    "a link within a repository to a folder outside": () => {
      symlinkSync(folder("elsewhere"), path.join(work, "link"));
      return path.join(work, "link");
    },
    "a repository whose git folder lies elsewhere": () => {
      const made = folder("separate");
      git(made, "init", "-q", `--separate-git-dir=${path.join(home, "git-files")}`);
      return folder("separate", "src");
    },
    "a file named .git that names no folder": () => {
      writeFileSync(path.join(folder("work", "a"), ".git"), "junk\n");
      return folder("work", "a", "b");
    },
  };
  for (const [name, make] of Object.entries(cases)) {
    it(`D2 ${name}: as \`git rev-parse --show-toplevel\``, () => {
      const cwd = make();
      const { stdout } = spawnSync("git", ["rev-parse", "--show-toplevel"], { cwd, encoding: "utf8" });
      assert.equal(findRepository(cwd)?.root ?? "", stdout.trim());
    });
  }
});
