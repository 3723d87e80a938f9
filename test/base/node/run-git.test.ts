/** The one runner of git: whatever stands in the environment and in a repository, the asked repository answers, and nothing runs. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { type GitArguments, type GitEnd, type GitOptions, runGit } from "../../../src/base/node/run-git.ts";
import { lstat, toStamp } from "../../../src/checkpoints/files/file-state.ts";
import { GitCommits } from "../../../src/checkpoints/steps/git-commits.ts";
import { GitObjects } from "../../../src/checkpoints/steps/git-objects.ts";
import { gitState } from "../../../src/project/git-state.ts";
import { branchOf } from "../../../src/project/project.ts";

describe("git that Rondo starts", () => {
  let top: string;
  let work: string;
  let other: string;
  let kept: NodeJS.ProcessEnv;
  const mark = () => path.join(top, "has-run");

  /** The system's git as the user would start it, without what a test puts into the environment. */
  function git(folder: string, ...args: string[]): string {
    const who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"];
    return execFileSync("git", ["-C", folder, ...who, ...args], { env: kept, encoding: "utf8", stdio: "pipe" }).trim();
  }
  function write(folder: string, name: string, text: string): string {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    // Older than the index, so that git does not have to compare it.
    utimesSync(file, 1_600_000_000, 1_600_000_000);
    return file;
  }
  function repository(name: string, files: Record<string, string>): string {
    const folder = path.join(top, name);
    mkdirSync(folder);
    git(folder, "init", "-q");
    for (const [file, text] of Object.entries(files)) write(folder, file, text);
    git(folder, "add", "--all");
    git(folder, "commit", "-q", "-m", "first");
    return folder;
  }
  /** Returns a program that leaves a mark when it runs. */
  function trap(): string {
    const program = path.join(top, "trap.sh");
    writeFileSync(program, `#!/bin/sh\ntouch "${mark()}"\ncat\n`);
    chmodSync(program, 0o755);
    return program;
  }

  beforeEach(function () {
    if (process.platform === "win32") this.skip();
    kept = { ...process.env };
    top = realpathSync(mkdtempSync(path.join(os.tmpdir(), "rondo-git-runner-")));
    work = repository("work", { "a.txt": "ours\n", "b.txt": "b\n" });
    other = repository("other", { "a.txt": "theirs\n" });
    git(other, "switch", "-q", "-c", "theirs");
    write(other, "new.txt", "");
  });
  afterEach(() => {
    for (const name of Object.keys(process.env)) if (kept[name] === undefined) delete process.env[name];
    Object.assign(process.env, kept);
    rmSync(top, { recursive: true, force: true });
  });

  /** Variables of git(1) that lead to another repository, or that run or write something: name → value. */
  const variables: Record<string, () => Record<string, string>> = {
    nothing: () => ({}),
    GIT_DIR: () => ({ GIT_DIR: path.join(other, ".git") }),
    "GIT_DIR and GIT_WORK_TREE": () => ({ GIT_DIR: path.join(other, ".git"), GIT_WORK_TREE: other }),
    GIT_WORK_TREE: () => ({ GIT_WORK_TREE: other }),
    GIT_COMMON_DIR: () => ({ GIT_COMMON_DIR: path.join(other, ".git") }),
    GIT_INDEX_FILE: () => ({ GIT_INDEX_FILE: path.join(other, ".git/index") }),
    GIT_OBJECT_DIRECTORY: () => ({ GIT_OBJECT_DIRECTORY: path.join(other, ".git/objects") }),
    GIT_CONFIG_COUNT: () => ({
      ...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "core.worktree", GIT_CONFIG_VALUE_0: other },
    }),
    GIT_CONFIG_PARAMETERS: () => ({ GIT_CONFIG_PARAMETERS: `'core.worktree'='${other}'` }),
    GIT_TRACE: () => ({ GIT_TRACE: mark(), GIT_TRACE2: mark(), GIT_TRACE2_EVENT: mark(), GIT_TRACE_SETUP: mark() }),
    GIT_EXEC_PATH: () => ({ GIT_EXEC_PATH: path.join(top, "nowhere") }),
    GIT_EXTERNAL_DIFF: () => ({ GIT_EXTERNAL_DIFF: trap() }),
    GIT_LITERAL_PATHSPECS: () => ({ GIT_ICASE_PATHSPECS: "1", GIT_NAMESPACE: "x", GIT_PREFIX: "x/" }),
  };
  for (const [name, values] of Object.entries(variables)) {
    it(`M1 answers of the folder's own repository, whatever is in the environment: ${name}`, async () => {
      const outcome = async () => {
        const file = path.join(work, "a.txt");
        const stamp = toStamp(lstat(file) ?? assert.fail());
        const objects = new GitObjects(work);
        await objects.readIndex(new Map([[file, stamp]]));
        const content = await objects.content(file, stamp);
        objects.close();
        const commits = new GitCommits(work);
        commits.open();
        git(work, "switch", "-q", "-c", "next");
        write(work, "b.txt", "new\n");
        git(work, "commit", "-q", "-a", "-m", "second");
        git(work, "switch", "-q", "main");
        const b = path.join(work, "b.txt");
        const before = { type: "file", bytes: Buffer.from("new\n") } as const;
        const after = { type: "file", bytes: Buffer.from("b\n") } as const;
        const taken = await commits.taken([{ path: b, before, after, movedFrom: undefined, isNamed: false }]);
        return [content?.toString(), [...taken], await gitState(work, 15_000), branchOf(work)];
      };
      Object.assign(process.env, values());
      assert.deepEqual(await outcome(), ["ours\n", [path.join(work, "b.txt")], "clean", "main"]);
      assert.ok(!existsSync(mark()), "something ran, or was written");
    });
  }

  it("M1 keeps what is the user's own of the environment", async () => {
    const settings = write(top, "settings", "[user]\n\temail = own@b.c\n");
    Object.assign(process.env, { GIT_CONFIG_GLOBAL: settings, GIT_CONFIG_NOSYSTEM: "1", GIT_AUTHOR_NAME: "Own Name" });
    assert.match(await output(["var", "GIT_AUTHOR_IDENT"]), /^Own Name <own@b\.c> /);
  });

  async function run(args: GitArguments, options?: GitOptions): Promise<GitEnd & { type: "exit" }> {
    const end = await runGit(work, args, options);
    assert.ok(end.type === "exit", end.type);
    return end;
  }
  async function output(args: GitArguments, options?: GitOptions): Promise<string> {
    const { code, stdout, stderr } = await run(args, options);
    assert.equal(code, 0, stderr);
    return stdout.toString();
  }
  const touch = () => utimesSync(path.join(work, "a.txt"), 1, 1);
  const asked: readonly GitArguments[] = [
    ["status", "--porcelain"],
    ["diff"],
    ["diff", "--name-only", "--diff-filter=U"],
    ["diff", "HEAD"],
    ["ls-files", "--others", "--modified"],
    ["ls-files", "--stage"],
    ["check-attr", "filter", "--", "a.txt"],
    ["rev-parse", "HEAD"],
  ];

  /** Where a filter is defined, and a name that git takes for it. */
  const places: Record<string, (program: string) => void> = {
    "the repository": (program) => git(work, "config", "filter.x.clean", program),
    "the repository, as a process": (program) => git(work, "config", "filter.x.process", program),
    "the repository, as required": (program) => {
      git(work, "config", "filter.x.clean", program);
      git(work, "config", "filter.x.required", "true");
    },
    "a section of the old form": (program) => {
      const settings = path.join(work, ".git/config");
      writeFileSync(settings, `[filter.x]\n\tclean = ${program}\n`, { flag: "a" });
    },
    "a worktree's own settings": (program) => {
      git(work, "config", "extensions.worktreeConfig", "true");
      git(work, "config", "--worktree", "filter.x.clean", program);
    },
    "an included file": (program) => {
      write(top, "more", `[filter "x"]\n\tclean = ${program}\n`);
      git(work, "config", "include.path", path.join(top, "more"));
    },
    "a file that is included for this branch": (program) => {
      write(top, "more", `[filter "x"]\n\tclean = ${program}\n`);
      git(work, "config", "includeIf.onbranch:main.path", path.join(top, "more"));
    },
    "the user's settings": (program) => {
      process.env["GIT_CONFIG_GLOBAL"] = write(top, "global", `[filter "x"]\n\tclean = ${program}\n`);
    },
    "the system's settings": (program) => {
      process.env["GIT_CONFIG_SYSTEM"] = write(top, "system", `[filter "x"]\n\tclean = ${program}\n`);
    },
  };
  for (const [place, define] of Object.entries(places)) {
    it(`M1 runs no filter where it only asks, but runs it for what is added: one of ${place}`, async () => {
      const program = trap();
      define(program);
      writeFileSync(path.join(work, ".git/info/attributes"), "* filter=x\n");
      touch();
      const index = readFileSync(path.join(work, ".git/index"));
      for (const args of asked) await output(args);
      await gitState(work, 15_000);
      assert.ok(!existsSync(mark()), "a filter ran");
      assert.deepEqual(readFileSync(path.join(work, ".git/index")), index, "the index was written");
      await run(["add", "--all"]);
      assert.ok(existsSync(mark()), "the files were added as they are");
    });
  }

  it("M1 runs no filter with a strange name, and does not ask where the name cannot be turned off", async () => {
    const program = trap();
    for (const name of ["a b", "a.b", "ü", 'q"q']) {
      git(work, "config", `filter.${name}.clean`, program);
      writeFileSync(path.join(work, ".git/info/attributes"), `* filter=${name}\n`);
      touch();
      await run(["status", "--porcelain"]);
      assert.ok(!existsSync(mark()), name);
    }
    git(work, "config", "filter.a=b.clean", program);
    writeFileSync(path.join(work, ".git/info/attributes"), "* filter=a=b\n");
    touch();
    assert.deepEqual(await runGit(work, ["status", "--porcelain"]), { type: "unsafe" });
    assert.equal(await gitState(work, 15_000), "unknown");
    assert.ok(!existsSync(mark()));
  });

  it("M1 runs no program that compares, checks signatures, edits, pages or asks", async () => {
    const program = trap();
    const names = [
      "diff.external",
      "diff.x.command",
      "diff.x.textconv",
      "core.fsmonitor",
      "core.pager",
      "pager.status",
    ];
    const more = ["pager.diff", "core.editor", "core.askPass", "credential.helper", "alias.status", "gpg.program"];
    for (const name of [...names, ...more, "gpg.ssh.program"]) git(work, "config", name, program);
    for (const name of ["commit.gpgSign", "merge.verifySignatures"]) git(work, "config", name, "true");
    writeFileSync(path.join(work, ".git/info/attributes"), "* diff=x\n");
    const signer = path.join(top, "signer.sh");
    const signature = "-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n";
    // One that does not read what it signs fails where it ends before git has written that.
    writeFileSync(
      signer,
      `#!/bin/sh\ncat > /dev/null\nprintf '\\n[GNUPG:] SIG_CREATED \\n' >&2\nprintf '%b' '${signature}'\n`,
    );
    chmodSync(signer, 0o755);
    git(work, "-c", "core.fsmonitor=false", "switch", "-q", "-c", "topic");
    git(
      work,
      "-c",
      "core.fsmonitor=false",
      "-c",
      `gpg.program=${signer}`,
      "commit",
      "-q",
      "-S",
      "--allow-empty",
      "-m",
      "t",
    );
    git(work, "-c", "core.fsmonitor=false", "switch", "-q", "main");
    rmSync(mark(), { force: true });
    write(work, "a.txt", "changed\n");
    for (const args of asked) await run(args);
    const identity = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a" };
    await output(["commit", "--quiet", "--no-verify", "--all", "-m", "second"], {
      env: identity,
    });
    const { code } = await run(["merge", "--no-edit", "topic"], { env: identity });
    assert.notEqual(code, 0, "nothing could check the signature that the settings ask for");
    assert.ok(!existsSync(mark()));
  });

  it("M1 turns off the hooks that settings define, by their names (git 2.54), and those of the hooks folder", async () => {
    const program = trap();
    const log = path.join(top, "arguments");
    mkdirSync(path.join(top, "bin"));
    const real = `PATH="${kept["PATH"]}" exec git "$@"`;
    write(path.join(top, "bin"), "git", `#!/bin/sh\nprintf '%s\\n' "$@" >> "${log}"\n${real}\n`);
    chmodSync(path.join(top, "bin/git"), 0o755);
    process.env["PATH"] = `${path.join(top, "bin")}:${kept["PATH"]}`;
    for (const event of ["post-checkout", "post-index-change", "reference-transaction"]) {
      git(work, "config", "--add", "hook.my lint.event", event);
      writeFileSync(path.join(work, ".git/hooks", event), `#!/bin/sh\n${program} </dev/null\n`, { mode: 0o755 });
    }
    git(work, "config", "hook.my lint.command", program);
    rmSync(mark(), { force: true });
    await output(["worktree", "add", "--quiet", "-b", "tree", path.join(top, "tree")]);
    await output(["status"]);
    assert.ok(!existsSync(mark()));
    assert.equal(
      readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line === "hook.my lint.enabled=false").length,
      2,
    );
  });

  it("M1 runs nothing in a submodule where it only asks", async () => {
    const sub = path.join(work, "sub");
    mkdirSync(sub);
    git(sub, "init", "-q");
    write(sub, "a.txt", "1\n");
    git(sub, "add", "--all");
    git(sub, "commit", "-q", "-m", "first");
    git(work, "add", "--all");
    git(work, "commit", "-q", "-m", "with sub");
    git(sub, "config", "filter.x.clean", trap());
    writeFileSync(path.join(sub, ".git/info/attributes"), "* filter=x\n");
    utimesSync(path.join(sub, "a.txt"), 1, 1);
    for (const args of asked) await run(args);
    assert.ok(!existsSync(mark()));
  });

  it("M1 reaches no remote, also where the repository allows it", async () => {
    const object = git(work, "rev-parse", "HEAD:a.txt");
    git(work, "config", "core.repositoryFormatVersion", "1");
    git(work, "config", "extensions.partialClone", "far");
    git(work, "config", "remote.far.url", `ext::touch ${mark()}`);
    git(work, "config", "remote.far.promisor", "true");
    git(work, "config", "protocol.ext.allow", "always");
    rmSync(path.join(work, ".git/objects", object.slice(0, 2), object.slice(2)));
    // Versions of git that know this variable load nothing; older ones have the other one alone.
    for (const GIT_NO_LAZY_FETCH of ["1", "0"]) {
      const { code } = await run(["cat-file", "blob", object], { env: { GIT_NO_LAZY_FETCH } });
      assert.notEqual(code, 0);
      assert.ok(!existsSync(mark()), GIT_NO_LAZY_FETCH);
    }
  });

  it("says how git has ended", async () => {
    assert.deepEqual(await runGit(work, ["status"], { maxBytes: 3 }), { type: "killed", because: "size" });
    assert.deepEqual(await runGit(work, ["status"], { timeoutMs: 0 }), { type: "killed", because: "time" });
    const stopped = new Error("stopped");
    await assert.rejects(runGit(work, ["status"], { signal: AbortSignal.abort(stopped) }), stopped);
    assert.equal((await run(["rev-parse", "--verify", "--quiet", "nothing"])).code, 1);
    assert.match(await output(["cat-file", "--batch-check"], { input: "HEAD:a.txt\n" }), /^[0-9a-f]+ blob 5\n$/);
    process.env["PATH"] = path.join(top, "nowhere");
    assert.deepEqual(await runGit(work, ["status"]), { type: "missing" });
    assert.deepEqual(await runGit(work, ["rev-parse", "HEAD"]), { type: "missing" });
  });
});
