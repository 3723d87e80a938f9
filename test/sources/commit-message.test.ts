/** Subjects of commits: the hook `commit-msg`, and what GitHub checks of a pull request, with git itself. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const root = path.join(import.meta.dirname, "../..");
const fits = `Wörter ${"x".repeat(65)}`;
const tooLong = `${fits}y`;

/** The user's settings of git do not count, and git may run from a hook itself. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(GIT_|EDITOR$|VISUAL$)/.test(name)));
for (const who of ["AUTHOR", "COMMITTER"])
  Object.assign(env, { [`GIT_${who}_NAME`]: "a", [`GIT_${who}_EMAIL`]: "a@b.c" });
Object.assign(env, { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: os.devNull, GIT_SEQUENCE_EDITOR: ":" });

describe("subjects of commits", () => {
  let folder: string;
  let commits = 0;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-commits-"));
    for (const file of [".githooks/commit-msg", "scripts/commit-message.mjs"]) {
      cpSync(path.join(root, file), path.join(folder, file));
    }
    mkdirSync(path.join(folder, "node_modules/.bin"), { recursive: true });
    const node = `#!/bin/sh\nexec "${process.execPath.replaceAll("\\", "/")}" "$@"\n`;
    writeFileSync(path.join(folder, "node_modules/.bin/node"), node, { mode: 0o755 });
    git("init", "-q", "-b", "main");
    commit("First");
    git("config", "core.hooksPath", ".githooks");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

  function run(program: string, args: string[], more: NodeJS.ProcessEnv = {}) {
    const options = { cwd: folder, env: { ...env, ...more }, encoding: "utf8" as const };
    const { status, stderr, stdout } = spawnSync(program, args, options);
    return { status, stderr, stdout };
  }
  function git(...args: string[]): string {
    const { status, stdout, stderr } = run("git", args);
    assert.equal(status, 0, `git ${args.join(" ")}: ${stderr}`);
    return stdout.trim();
  }
  /** Makes a commit in which the hook has no part. */
  function commit(message: string): void {
    git("commit", "-q", "--allow-empty", "--allow-empty-message", "--no-verify", "-m", message);
  }
  /** Tries to commit a change, and returns what git says. An editor leaves `written` above what git has prepared. */
  function tryToCommit(args: string[], written?: string) {
    const editor = path.join(folder, ".git/editor.sh");
    writeFileSync(path.join(folder, ".git/written"), written ?? "");
    writeFileSync(editor, `#!/bin/sh\ncat .git/written "$1" > .git/both && cp .git/both "$1"\n`, { mode: 0o755 });
    writeFileSync(path.join(folder, "a.txt"), String(++commits));
    git("add", "a.txt");
    return run("git", ["commit", "-q", ...args], written === undefined ? {} : { GIT_EDITOR: `"${editor}"` });
  }
  const subject = () => git("log", "-1", "--format=%s");

  it("have at most 72 characters, whatever the body has", () => {
    assert.deepEqual(tryToCommit(["-m", fits, "-m", "b".repeat(300)]), { status: 0, stderr: "", stdout: "" });
    assert.equal(subject(), fits);
    const { status, stderr } = tryToCommit(["-m", tooLong]);
    assert.equal(status, 1);
    assert.match(stderr, /has 73 characters, 72 at most/);
    assert.match(stderr, /kept in \.git\/COMMIT_EDITMSG/);
    assert.equal(subject(), fits, "nothing is committed");
  });

  it("are a whole first paragraph, as git takes them", () => {
    assert.equal(tryToCommit(["-m", `${"a".repeat(40)}\n${"b".repeat(31)}`]).status, 0);
    assert.equal(subject().length, 72);
    assert.match(tryToCommit(["-m", `${"a".repeat(40)}\n${"b".repeat(32)}`]).stderr, /73 characters/);
  });

  it("are no sentences with a full stop, and are not missing", () => {
    assert.match(tryToCommit(["-m", "Mends it."]).stderr, /full stop/);
    assert.match(tryToCommit(["--allow-empty-message", "-m", ""]).stderr, /no subject/);
    assert.equal(subject(), "First");
  });

  it("are looked for below comments and above the diff in an editor's text, and may begin with # elsewhere", () => {
    assert.equal(tryToCommit(["--verbose"], `# ${tooLong}\n\n${fits}\n`).status, 0);
    assert.equal(subject(), fits);
    assert.match(tryToCommit(["--verbose"], `\n# ${fits}\n${tooLong}\n`).stderr, /73 characters/);
    assert.match(tryToCommit(["--verbose"], "").stderr, /no subject/);
    git("config", "core.commentChar", ";");
    assert.match(tryToCommit(["--verbose"], `; ${fits}\n#${fits}\n`).stderr, /73 characters/);
    git("config", "--unset", "core.commentChar");
    assert.match(tryToCommit(["-m", `#${fits}`]).stderr, /73 characters/);
    assert.equal(tryToCommit(["-m", "#27 Subjects are checked"]).status, 0);
    assert.equal(subject(), "#27 Subjects are checked");
  });

  it("are left as git makes them for merges, reverts, fixups and rebases", () => {
    commit(tooLong);
    for (const args of [["--fixup=HEAD"], ["--squash=HEAD~1", "--no-edit"], ["-m", `amend! ${tooLong}`]]) {
      assert.equal(tryToCommit(args).status, 0, args.join(" "));
      assert.match(subject(), new RegExp(`! ${tooLong}$`));
    }
    git("reset", "-q", "--hard", "HEAD~3");
    assert.equal(tryToCommit(["-m", "Changes a"]).status, 0);
    git("revert", "--no-edit", "HEAD");
    git("commit", "-q", "--amend", "--no-verify", "-m", `Revert "${tooLong}"`);
    git("revert", "--no-edit", "HEAD");

    const branch = `topic/${"x".repeat(80)}`;
    git("switch", "-q", "-c", branch);
    assert.equal(tryToCommit(["-m", fits]).status, 0);
    assert.equal(tryToCommit(["--fixup=HEAD"]).status, 0);
    git("rebase", "-q", "--interactive", "--autosquash", "main");
    assert.equal(subject(), fits);
    git("switch", "-q", "main");
    git("merge", "-q", "--no-ff", "--no-edit", branch);
    assert.equal(subject(), `Merge branch '${branch}'`);
  });

  it("are checked of new commits of a branch, not of earlier ones", () => {
    commit(tooLong);
    git("switch", "-q", "-c", "topic");
    const range = () => run(process.execPath, ["scripts/commit-message.mjs", "--range", "main..topic"]);
    assert.deepEqual(range(), { status: 0, stderr: "", stdout: "" });
    commit(fits);
    commit(`Revert "${tooLong}"`);
    assert.equal(range().status, 0);
    for (const message of [tooLong, "", "Mends it."]) commit(message);
    const { status, stderr } = range();
    assert.equal(status, 1);
    const [first, second, third] = git("log", "--format=%h", "-3").split("\n");
    assert.match(stderr, new RegExp(`^${first}: .*full stop`, "m"));
    assert.match(stderr, new RegExp(`^${second}: .*no subject`, "m"));
    assert.match(stderr, new RegExp(`^${third}: .*73 characters`, "m"));
    assert.doesNotMatch(stderr, /kept in/);
    const unknown = run(process.execPath, ["scripts/commit-message.mjs", "--range", "main..nowhere"]);
    assert.match(unknown.stderr, /git log failed/);
    assert.equal(unknown.status, 1);
  });
});
