/** Settings of repositories below the workspace's own one, made by git itself. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, realpathSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { protectedPlaces } from "../../src/tools/sandbox/protected-places.ts";
import { allowing, decisionOf } from "./command/judged.ts";
import { TestWorkspace } from "./workspace.ts";

const identity = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b.c",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b.c",
};
const { PATH } = process.env;
const env = { PATH, HOME: "/nowhere", GIT_CONFIG_NOSYSTEM: "1", ...identity };

describe("settings of nested repositories", () => {
  let work: TestWorkspace;
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "protocol.file.allow=always", ...words], { cwd: work.folder, env, stdio: "pipe" });
  const commit = (folder: string) => git("-C", folder, "commit", "-q", "--allow-empty", "-m", "x");

  before(() => {
    work = new TestWorkspace();
    git("init", "-q", ".");
    commit(".");
    git("init", "-q", "sub");
    git("init", "-q", "packages/deep/er");
    git("init", "-q", "--separate-git-dir=store", "elsewhere");
    git("init", "-q", "--bare", "bare");
    commit("sub");
    commit("elsewhere");
    git("submodule", "add", "-q", "./sub", "libs/module");
    git("worktree", "add", "-q", "tree");
    git("-C", "elsewhere", "worktree", "add", "-q", "../other-tree");
    git("init", "-q", "../main");
    commit("../main");
    git("-C", "../main", "worktree", "add", "-q", path.join(work.folder, "linked"));
    // A worktree's own files, moved: git finds the objects through `commondir`.
    git("worktree", "add", "-q", "moved");
    cpSync(work.path(".git/worktrees/moved"), work.path("meta"), { recursive: true });
    work.put("meta/commondir", "../.git\n");
    work.put("moved/.git", "gitdir: ../meta\n");
    git("-C", "moved", "status");
    git("-C", "libs/module", "status");
  });
  after(() => work.dispose());

  const folders = [
    ...["sub/.git", "packages/deep/er/.git", "store", "bare", ".git/modules/libs/module", ".git/worktrees/tree"],
    ...["store/worktrees/other-tree", "meta"],
  ];
  const names = ["config", "config.worktree", "hooks/pre-commit", "info/attributes", "commondir", "gitdir", "HEAD"];
  const files = [
    ...folders.flatMap((folder) => names.map((name) => `${folder}/${name}`)),
    ...["elsewhere/.git", "libs/module/.git", "tree/.git", "moved/.git", "linked/.git", "new/.git", "new/.git/config"],
    ...["../main/.git/config", "../main/.git/hooks/pre-commit", "../main/.git/worktrees/linked/config.worktree"],
  ];

  for (const file of files) {
    it(`${file} is protected from tools`, async () => {
      assert.equal((await work.host.workspace.locate(file)).protection, "settings");
    });
    const folder = path.dirname(file);
    const commands = [
      `echo x > ${file}`,
      `cp a.txt ${file}`,
      `d=${folder}; echo x >> "$d/${path.basename(file)}"`,
      `tee "$(pwd)/${file}" < a.txt`,
    ];
    for (const command of commands) {
      it(`asks in Bypass: ${command}`, async () => {
        assert.equal(await decisionOf(command, work, [], "bypassPermissions"), "ask");
      });
    }
  }

  for (const command of [
    "git -C sub config core.hooksPath x",
    "cd sub && git config core.fsmonitor ./x",
    "cd packages/deep && git -C er config alias.x '!rm'",
    "cd sub && echo x > .git/hooks/pre-commit",
    "cd sub/.git && echo x > config",
    "cd store && echo x > config",
    "cd store/hooks && cp ../../a.txt pre-commit",
    "cp a.txt sub/.git/hooks",
    "cp a.txt store/hooks/",
    'echo x > "$(git -C sub rev-parse --git-dir)/config"',
    'echo x > "$(cd elsewhere && git rev-parse --git-path hooks)/pre-commit"',
    'for d in sub libs/module; do echo x > "$d/.git/config"; done',
    "git --git-dir=store config core.pager ./x",
    "git -C elsewhere config core.pager ./x",
    "git config --worktree core.pager ./x",
    "git config -f store/config core.pager ./x",
    "git config --file sub/.git/config core.pager ./x",
    "git config --file=store/config core.pager ./x",
    "GIT_DIR=store git config core.pager ./x",
    "sed -i s/a/b/ store/config",
    "mv a.txt store/hooks/pre-commit",
    "ln -sf ../../a.txt store/hooks/pre-commit",
  ]) {
    it(`asks in Bypass: ${command}`, async () => {
      assert.equal(await decisionOf(command, work, [], "bypassPermissions"), "ask");
    });
    it(`asks although every command is allowed: ${command}`, async () => {
      assert.equal(await decisionOf(command, work, allowing("*")), "ask");
    });
  }

  for (const command of [
    "git -C sub status",
    "git -C sub commit -m x",
    "cd sub && git log",
    "cat sub/.git/config",
    "echo x > sub/a.ts",
  ]) {
    it(`asks nothing in Bypass: ${command}`, async () => {
      assert.equal(await decisionOf(command, work, [], "bypassPermissions"), "allow");
    });
  }

  it("the sandbox lets commands read them only", () => {
    const folder = realpathSync(work.folder);
    const { readOnly } = protectedPlaces(folder);
    const isCovered = (file: string) => readOnly.some((place) => file === place || file.startsWith(`${place}/`));
    const inside = files.filter((file) => !file.startsWith("../") && existsSync(work.path(file)));
    const settings = inside.filter((file) => !/\/(HEAD|attributes)$/.test(file));
    const hooks = ["sub/.git", "packages/deep/er/.git", "store", ".git/modules/libs/module"].map(
      (git) => `${git}/hooks/new`,
    );
    assert.deepEqual(
      [...settings, ...hooks].filter((file) => !isCovered(path.join(folder, file))),
      [],
    );
  });
});
