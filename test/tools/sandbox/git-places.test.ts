/** Git folders in the real bubblewrap: nothing that a command leaves there makes git run a program outside of it. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { until } from "../../loop/harness.ts";
import { sandboxed } from "./sandboxed.ts";

describe("T10 git folders in bubblewrap", () => {
  const box = sandboxed();
  const { run } = box;
  const identity = {
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@b.c",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@b.c",
  };
  const env = () => ({
    PATH: process.env["PATH"],
    HOME: os.homedir(),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TEMPLATE_DIR: "",
    ...identity,
  });
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "protocol.file.allow=always", ...words], {
      cwd: box.work.folder,
      env: env(),
      stdio: "pipe",
      encoding: "utf8",
    });

  /** None of the repositories has hooks. */
  function makeRepository(): void {
    git("init", "-q", "-b", "main", ".");
    git("commit", "-q", "--allow-empty", "-m", "one");
  }

  /** Of each kind. */
  function makeRepositories(): void {
    makeRepository();
    git("init", "-q", "packages/sub");
    git("-C", "packages/sub", "commit", "-q", "--allow-empty", "-m", "one");
    git("init", "-q", "--separate-git-dir=store", "elsewhere");
    git("-C", "elsewhere", "commit", "-q", "--allow-empty", "-m", "one");
    git("init", "-q", "--bare", "bare");
    git("submodule", "add", "-q", "./packages/sub", "libs/module");
    git("worktree", "add", "-q", "tree");
    git("commit", "-qam", "two");
  }

  const folders = [".git", "packages/sub/.git", "store", "bare", ".git/modules/libs/module"];
  const worktrees = [".", "packages/sub", "elsewhere", "libs/module", "tree"];
  const marker = () => path.join(box.outside, "ran");

  /** What an editor does at once, and what its user does then. Returns whether a planted program ran. */
  function ranOutside(): boolean {
    const there = worktrees.filter((folder) => existsSync(box.work.path(`${folder}/.git`)));
    const script = there.map(
      (folder) => `(cd ${folder} && git status; git add -A; git commit --allow-empty -m x; git diff HEAD~1)`,
    );
    spawnSync("bash", ["-c", `${script.join("\n")}; git gc`], { cwd: box.work.folder, env: env() });
    return existsSync(marker());
  }

  /** A program that a sandboxed command can make: only outside of the sandbox can it write the marker. */
  const plant = () =>
    `printf '#!/bin/sh\\ntouch ${marker()}\\nprintf "\\\\0"\\n' > evil; chmod +x evil; mkdir -p own/hooks; cp evil own/hooks/pre-commit; printf '[core]\\nfsmonitor = "${box.work.path("evil")}"\\nhooksPath = "${box.work.path("own/hooks")}"\\n' > own/config`;
  const shown = () => readdirSync(box.work.folder, { recursive: true, encoding: "utf8" }).sort();

  it("the planted programs do run where nothing protects from them", () => {
    makeRepositories();
    execFileSync(
      "bash",
      ["-c", `${plant()}; cp own/config .git/config.worktree; git config extensions.worktreeConfig true`],
      { cwd: box.work.folder },
    );
    assert.ok(ranOutside());
  });

  describe("what does not exist yet cannot be created", () => {
    const ways = [
      (file: string) => `cp own/config ${file}`,
      (file: string) => `rm -rf ${file}; cp own/config ${file}`,
      (file: string) => `cp own/config own/c; mv -f own/c ${file}`,
      (file: string) => `ln -sf $PWD/own/config ${file}`,
      (file: string) => `ln -f own/config ${file}`,
      (file: string) => `mv -T ${file} own/away; cp own/config ${file}`,
      (file: string) => `mkdir -p ${file}; cp evil ${file}/pre-commit`,
      (file: string) => `umount ${file}; unshare -Urm sh -c 'umount ${file}; cp own/config ${file}'`,
    ];
    for (const way of ways) {
      it(way("FILE"), async () => {
        makeRepositories();
        await run(plant());
        const files = folders.flatMap((folder) =>
          ["commondir", "config.worktree", "hooks", "remotes", "branches"].map((name) => `${folder}/${name}`),
        );
        const output = await run(files.map(way).join("\n"));
        for (const file of files)
          assert.ok(!lstatSync(box.work.path(file), { throwIfNoEntry: false }), `${file}\n${output}`);
        assert.ok(!ranOutside());
      });
    }

    it("settings of a worktree", async () => {
      makeRepositories();
      git("config", "extensions.worktreeConfig", "true");
      await run(
        `${plant()}; for d in .git .git/worktrees/tree; do cp own/config $d/config.worktree; done; mv .git/worktrees .git/w`,
      );
      assert.deepEqual(
        shown().filter((name) => name.endsWith("config.worktree")),
        [],
      );
      assert.ok(!ranOutside());
    });

    it("of what is a bare repository itself", async () => {
      git("init", "-q", "--bare", ".");
      const before = box.work.text("config");
      await run("for f in config config.worktree commondir hooks/post-update; do mv -f $f x; echo evil > $f; done");
      assert.equal(box.work.text("config"), before);
      for (const name of ["config.worktree", "commondir", "hooks/post-update"])
        assert.ok(!existsSync(box.work.path(name)));
    });
  });

  it("programs outside that read git folders meanwhile find what they found before", async () => {
    makeRepositories();
    const ask = () =>
      worktrees.map((folder) => [
        git("-C", folder, "status", "--porcelain=v2", "--branch"),
        git("-C", folder, "rev-parse", "--show-toplevel", "--is-bare-repository", "--absolute-git-dir", "HEAD"),
        realpathSync(path.resolve(box.work.path(folder), git("-C", folder, "rev-parse", "--git-common-dir").trim())),
        git("-C", folder, "config", "--list", "--show-scope"),
        git("-C", folder, "worktree", "list", "--porcelain"),
      ]);
    const before = ask();
    const slow = run("until [ -e own/go ]; do sleep 0.02; done");
    await until(() => folders.every((folder) => existsSync(box.work.path(`${folder}/commondir`))));
    const meanwhile = ask();
    box.work.put("own/go", "");
    await slow;
    assert.deepEqual(meanwhile, before);
    for (const folder of folders) assert.ok(!existsSync(box.work.path(`${folder}/commondir`)));
  });

  describe("files of the workspace that git's settings name", () => {
    const cases: { name: string; prepare(): void; attack: string }[] = [
      ...["../shared.config", "own.config", "../no/such/folder/config"].map((file) => ({
        name: `settings that do not exist: ${file}`,
        prepare: () => git("config", "include.path", file),
        attack: `f=.git/${file}; mkdir -p "$(dirname "$f")"; cp own/config "$f"`,
      })),
      {
        name: "settings that exist, and those that they include",
        prepare: () => {
          box.work.put("shared.config", "[include]\n\tpath = more/config\n");
          box.work.put("more/config", "[core]\n");
          git("config", "includeIf.onbranch:main.path", "../shared.config");
        },
        attack:
          "mv more away; mkdir more; for f in shared.config more/config; do cp -f own/config $f; mv -f own/config $f; done",
      },
      {
        name: "hooks",
        prepare: () => {
          box.work.put("tools/hooks/other", "");
          git("config", "core.hooksPath", "tools/hooks");
        },
        attack: "mv tools t; mkdir -p tools/hooks; cp evil tools/hooks/pre-commit",
      },
      {
        name: "hooks that do not exist",
        prepare: () => git("config", "core.hooksPath", "tools/hooks"),
        attack: "mkdir -p tools/hooks; cp evil tools/hooks/pre-commit",
      },
      {
        name: "hooks that the user's own settings name",
        prepare: () => {
          makeRepositories();
          git("config", "--global", "core.hooksPath", "own-hooks");
        },
        attack: "for d in . packages/sub elsewhere; do mkdir -p $d/own-hooks; cp evil $d/own-hooks/pre-commit; done",
      },
      {
        name: "hooks of a submodule and a worktree",
        prepare: () => {
          makeRepositories();
          git("config", "core.hooksPath", "its-hooks");
          git("-C", "libs/module", "config", "core.hooksPath", "its-hooks");
        },
        attack: "for d in libs/module tree; do mkdir -p $d/its-hooks; cp evil $d/its-hooks/pre-commit; done",
      },
      {
        name: "what links among hooks lead to",
        prepare: () => {
          box.work.put("scripts/check.sh", "#!/bin/sh\n", 0o755);
          mkdirSync(box.work.path(".git/hooks"));
          symlinkSync("../../scripts/check.sh", box.work.path(".git/hooks/pre-commit"));
        },
        attack: "cp -f evil scripts/check.sh; mv scripts s; mkdir scripts; cp evil scripts/check.sh",
      },
      ...[
        ["core.fsmonitor", "scripts/watch.sh"],
        ["core.fsmonitor", "./missing/watch.sh"],
        ["filter.x.clean", "sh scripts/watch.sh %f"],
        ["diff.external", '"scripts/watch.sh"'],
      ].map(([key = "", value = ""]) => ({
        name: `a program: ${key} = ${value}`,
        prepare: () => {
          box.work.put("scripts/watch.sh", "#!/bin/sh\n", 0o755);
          box.work.put(".gitattributes", "* filter=x\n");
          box.work.put("some.txt", "x");
          git("config", key, value);
        },
        attack:
          "mkdir -p missing; for f in scripts/watch.sh missing/watch.sh; do cp -f evil $f; done; mv scripts s; mkdir scripts; cp evil scripts/watch.sh",
      })),
      {
        name: "the user's own settings, where they are in the workspace",
        prepare: () => {
          const own = path.join(os.homedir(), ".gitconfig");
          box.work.put("dotfiles/gitconfig", "[user]\n\tname = a\n");
          symlinkSync(box.work.path("dotfiles/gitconfig"), own);
        },
        attack: "cp -f own/config dotfiles/gitconfig; mv dotfiles d; mkdir dotfiles; cp own/config dotfiles/gitconfig",
      },
    ];
    for (const { name, prepare, attack } of cases) {
      it(name, async () => {
        makeRepository();
        prepare();
        const before = shown();
        await run(`${plant()}; ${attack}`);
        assert.ok(!ranOutside());
        const added = shown().filter(
          (one) => !before.includes(one) && !/^(own\b|evil|\.git\/|packages|store)/.test(one),
        );
        assert.deepEqual(added, name.startsWith("a program") ? added : []);
      });
    }

    it("a link in their place is refused with words", async () => {
      makeRepository();
      symlinkSync(box.outside, box.work.path("tools"));
      git("config", "core.hooksPath", "tools/hooks");
      assert.match(await box.work.refusal("bash", { command: "true" }), /tools\S* is a symbolic link/);
    });

    it("what a setting names by chance stays as it was", async () => {
      makeRepository();
      git("config", "alias.test", "!npm run src");
      git("config", "filter.x.clean", "sed s/a/b/");
      git("config", "user.name", "README.md");
      box.work.put("src/a.ts", "");
      box.work.put("README.md", "");
      assert.equal(await run("echo x > src/a.ts && echo x > README.md && mkdir s && echo done"), "done");
    });
  });

  it("a repository cannot be moved away with its folder", async () => {
    makeRepositories();
    await run(
      `${plant()}; for d in packages libs store; do mv $d away-$d; cp -r away-$d $d; done; cp own/config packages/sub/.git/config`,
    );
    for (const name of ["packages", "libs", "store"]) assert.ok(!existsSync(box.work.path(`away-${name}`)));
    assert.ok(!ranOutside());
  });

  it("what is in a folder of settings stays read-only, even a repository", async () => {
    git("init", "-q", ".vscode/deep/x");
    await run("echo x > .vscode/tasks.json; echo x > .vscode/deep/y; echo x > .vscode/deep/x/.git/description");
    assert.deepEqual(readdirSync(box.work.path(".vscode")), ["deep"]);
    assert.deepEqual(readdirSync(box.work.path(".vscode/deep")), ["x"]);
  });

  describe("git works in the sandbox as outside", () => {
    const date = "2020-01-01T00:00:00Z";
    const scripts = {
      "changes and commits":
        "echo 1 > a; git add a; git status --short; git commit -qm a; echo 2 > a; git stash -q; git stash list | wc -l; git stash pop -q; git commit -qam b; git diff HEAD~1 --stat; git reset -q --hard HEAD~1; echo 3 > d; git clean -fq d; git log --format=%s",
      "branches and history":
        "git switch -qc other; echo 2 > b; git add b; git commit -qm c; git switch -q main; echo 3 > c; git add c; git commit -qm d; git merge -qm m other; git rebase -q --onto HEAD~1 HEAD; git tag t; git branch -d other; git cherry-pick --quit; git revert --no-edit HEAD >/dev/null; git bisect start -q; git bisect reset -q; git notes add -m n; git log --format=%s; git branch -a",
      worktrees:
        "git worktree add -q new 2>&1; git -C new commit -q --allow-empty -m w; git -C new status --short; git worktree list | wc -l; git worktree remove new; git worktree prune; git -C tree commit -q --allow-empty -m w; git -C tree log --format=%s",
      submodules:
        "git submodule status | wc -l; git -C libs/module commit -q --allow-empty -m s; git submodule summary; git -C libs/module status --short --branch; git submodule foreach -q 'git rev-parse --is-inside-work-tree'; git diff --submodule=log",
      "the folder of objects":
        "git gc -q; git fsck; git repack -adq; git pack-refs --all; git prune; git count-objects; git maintenance run -q; git rev-parse HEAD",
      "other folders":
        "git -C packages/sub commit -q --allow-empty -m p; git -C elsewhere commit -q --allow-empty -m p; git -C bare log; git -C bare rev-parse --is-bare-repository; git clone -q packages/sub cloned && git -C cloned log --format=%s; git init -q fresh && git -C fresh commit -q --allow-empty -m f && git -C fresh config a.b c && git -C fresh status --short",
      "where it looks":
        "git rev-parse --git-dir --show-toplevel --is-inside-work-tree; cd packages/sub; git rev-parse --show-toplevel --show-superproject-working-tree; cd ../../libs/module; git rev-parse --show-toplevel --show-superproject-working-tree",
    };
    for (const [name, script] of Object.entries(scripts)) {
      it(name, async () => {
        makeRepositories();
        const fixed = Object.entries({
          ...identity,
          GIT_COMMITTER_DATE: date,
          GIT_AUTHOR_DATE: date,
          GIT_TEMPLATE_DIR: "",
        });
        const script2 = `export ${fixed.map(([key, value]) => `${key}='${value}'`).join(" ")}; ${script}`;
        const copy = path.join(box.outside, "copy");
        execFileSync("cp", ["-r", box.work.folder, copy]);
        // Worktrees and such name their folder by its absolute path, so both run in the same one.
        const inside = await run(script2);
        rmSync(box.work.folder, { recursive: true });
        execFileSync("cp", ["-r", copy, box.work.folder]);
        const outside = await run(script2, { outside_sandbox: "to compare" });
        assert.equal(inside, outside);
      });
    }
  });
});
