/** Where a repository and its files are. Git itself says what is right. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { findRepository, gitFileLine, repositoryAbove, repositoryAt } from "../../../src/base/node/repository.ts";

describe("the repository of a folder", () => {
  let top: string;
  const at = (...names: string[]) => path.join(top, ...names);
  const put = (name: string, text: string) => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };
  const git = (cwd: string, ...args: string[]) => {
    const who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "protocol.file.allow=always"];
    execFileSync("git", [...who, ...args], { cwd, stdio: "pipe" });
  };
  const repository = (name: string) => {
    mkdirSync(at(name), { recursive: true });
    git(at(name), "init", "-q");
    git(at(name), "commit", "-q", "--allow-empty", "-m", "first");
    return at(name);
  };
  /** Root, git folder and common folder, as git says them. */
  const asGitSays = (cwd: string) => {
    const ask = ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir"];
    const { status, stdout } = spawnSync("git", ask, { cwd, encoding: "utf8" });
    return status === 0 ? stdout.trim().split("\n") : undefined;
  };

  beforeEach(() => {
    top = realpathSync(mkdtempSync(path.join(os.tmpdir(), "rondo-repository-")));
  });
  afterEach(() => rmSync(top, { recursive: true, force: true }));

  const cases: Record<string, { make: () => string; kind: string | undefined }> = {
    "a folder of a repository": {
      make: () => {
        repository("work");
        put("work/a/b.txt", "");
        return at("work/a");
      },
      kind: "own",
    },
    "a worktree": {
      make: () => {
        git(repository("work"), "worktree", "add", "-q", at("tree"));
        return at("tree");
      },
      kind: "worktree",
    },
    "a submodule": {
      make: () => {
        const inner = repository("inner");
        git(repository("work"), "submodule", "add", "-q", inner, "sub");
        return at("work/sub");
      },
      kind: "elsewhere",
    },
    "a git folder behind a link": {
      make: () => {
        repository("work");
        mkdirSync(at("other"));
        symlinkSync(at("work/.git"), at("other/.git"));
        return at("other");
      },
      kind: "own",
    },
    "a folder .git without objects": {
      make: () => {
        repository("work");
        put("work/sub/.git/HEAD", "ref: refs/heads/main\n");
        return at("work/sub");
      },
      kind: "own",
    },
    "a file .git that names no git folder": {
      make: () => {
        repository("work");
        put("work/sub/.git", `gitdir: ${at("nowhere")}\n`);
        return at("work/sub");
      },
      kind: undefined,
    },
    "a folder outside": { make: () => top, kind: undefined },
  };
  for (const [name, { make, kind }] of Object.entries(cases)) {
    it(`is what git says: ${name}`, () => {
      const folder = make();
      const found = findRepository(folder);
      const real = (place: string) => realpathSync(place);
      const own = found && [found.root, found.gitDir, found.commonDir].map(real);
      assert.deepEqual(own, asGitSays(folder)?.map(real));
      assert.equal(found?.kind, kind);
    });
  }

  it("is looked for from the path as written, or with its links resolved", () => {
    repository("work");
    put("work/a/b.txt", "");
    symlinkSync(at("work/a"), at("link"));
    assert.equal(findRepository(at("link"))?.root, at("work"));
    assert.equal(repositoryAbove(at("link")), undefined);
    assert.equal(repositoryAbove(at("work/a"))?.root, at("work"));
  });

  it("is of that very folder, or broken", () => {
    repository("work");
    put("work/a/b.txt", "");
    put("broken/.git", "junk\n");
    assert.equal(repositoryAt(at("work/a")), undefined);
    assert.equal(repositoryAt(at("broken")), "broken");
  });

  it("T8 has files of the names that were asked for: a link to another name, a pipe or a folder is not read", function () {
    if (process.platform === "win32") this.skip();
    put("git/HEAD", "ref: refs/heads/main\n");
    put("other/config", "");
    mkdirSync(at("linked"));
    symlinkSync("../git/HEAD", at("linked/HEAD"));
    symlinkSync("../git/HEAD", at("linked/commondir"));
    execFileSync("mkfifo", [at("linked/index")]);
    mkdirSync(at("linked/refs"));
    assert.equal(gitFileLine(at("git"), "HEAD"), "ref: refs/heads/main");
    assert.equal(gitFileLine(at("linked"), "HEAD"), "ref: refs/heads/main");
    for (const name of ["commondir", "index", "refs", "none"]) assert.equal(gitFileLine(at("linked"), name), undefined);
  });
});
