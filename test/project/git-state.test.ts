/** M1: what the system prompt says of the repository. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { gitState as gitStateWithin } from "../../src/project/git-state.ts";

/** Machines under load are slow. */
const gitState = (folder: string) => gitStateWithin(folder, 15_000);

describe("M1 the state of the repository", () => {
  let root: string;
  let work: string;
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: work, stdio: "pipe" });

  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "rondo-git-")));
    work = path.join(root, "work");
    mkdirSync(work);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function commit(): void {
    git("init", "-q");
    writeFileSync(path.join(work, "a.txt"), "1\n");
    git("add", ".");
    git("commit", "-q", "-m", "first");
  }

  /** Returns a program that leaves a mark when it runs. */
  function trap(): { program: string; hasRun(): boolean } {
    const mark = path.join(root, "has-run");
    const program = path.join(root, "trap.sh");
    writeFileSync(program, `#!/bin/sh\ntouch "${mark}"\ncat\n`);
    chmodSync(program, 0o755);
    return { program, hasRun: () => existsSync(mark) };
  }

  /** Git compares the contents of files whose times have changed. */
  const touch = () => utimesSync(path.join(work, "a.txt"), 1, 1);

  it("M1 is none outside a repository, clean after a commit, else changed", async () => {
    assert.equal(await gitState(work), "none");
    commit();
    assert.equal(await gitState(work), "clean");
    touch();
    assert.equal(await gitState(work), "clean");
    writeFileSync(path.join(work, "new.txt"), "");
    assert.equal(await gitState(work), "changed");
    git("worktree", "add", "-q", "../tree");
    assert.equal(await gitState(path.join(root, "tree")), "clean");
  });

  it("M1 with filters: clean and changed where that is certain, else unknown; none of them runs", async () => {
    commit();
    const { program, hasRun } = trap();
    writeFileSync(path.join(work, ".git/info/attributes"), "*.txt filter=x\n");
    git("config", "filter.x.clean", "tr a-z A-Z");
    writeFileSync(path.join(work, "b.txt"), "text\n");
    // Git compares a file that is as new as its index.
    utimesSync(path.join(work, "b.txt"), 1_600_000_000, 1_600_000_000);
    git("add", ".");
    git("commit", "-q", "-m", "second");
    git("config", "filter.x.clean", program);
    assert.equal(await gitState(work), "clean");
    touch();
    assert.equal(await gitState(work), "clean");
    utimesSync(path.join(work, "b.txt"), 1, 1);
    assert.equal(await gitState(work), "unknown");
    writeFileSync(path.join(work, "new.txt"), "");
    assert.equal(await gitState(work), "changed");
    assert.ok(!hasRun());
  });

  it("M1 runs no hook and no file monitor of the repository", async () => {
    commit();
    const { program, hasRun } = trap();
    git("config", "core.fsmonitor", program);
    for (const name of ["post-index-change", "query-watchman"]) {
      writeFileSync(path.join(work, ".git/hooks", name), `#!/bin/sh\n${program} </dev/null\n`, { mode: 0o755 });
    }
    touch();
    assert.equal(await gitState(work), "clean");
    assert.ok(!hasRun());
  });

  it("M1 is unknown where git is missing, or answers too late", async () => {
    commit();
    const before = process.env["PATH"];
    const bin = path.join(root, "bin");
    mkdirSync(bin);
    try {
      process.env["PATH"] = bin;
      assert.equal(await gitState(work), "unknown");
      writeFileSync(path.join(bin, "git"), "#!/bin/sh\nexec /bin/sleep 20\n", { mode: 0o755 });
      const started = Date.now();
      assert.equal(await gitStateWithin(work, 50), "unknown");
      assert.ok(Date.now() - started < 10_000);
    } finally {
      process.env["PATH"] = before;
    }
  });
});
