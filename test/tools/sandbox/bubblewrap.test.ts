/** Commands in the real bubblewrap: what they may do, and what they cannot. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { nodeTerminal } from "../../../src/tools/node-host/terminal.ts";
import { until } from "../../loop/harness.ts";
import { running } from "../run-command/living.ts";
import { hidden, visible } from "../secret-files.ts";
import { nap, put, sandboxed } from "./sandboxed.ts";

describe("commands in bubblewrap", () => {
  const box = sandboxed();
  const { open, run } = box;

  describe("writing", () => {
    it("changes the workspace and its own temporary folders, and nothing else", async () => {
      const file = put(path.join(box.outside, "file.txt"));
      const places = [
        file,
        path.join(box.outside, "new.txt"),
        "~/.bashrc",
        "/etc/rondo-test",
        "/usr/rondo-test",
        "/rondo-test",
      ];
      const output = await run(
        `for f in ${places.join(" ")}; do echo x > $f && echo WROTE $f; done; echo in > inside.txt`,
      );
      assert.doesNotMatch(output, /WROTE/);
      assert.match(output, /Read-only file system/);
      assert.equal(box.work.text("inside.txt"), "in\n");
      assert.equal(readFileSync(file, "utf8"), "before");
      for (const place of places.slice(1)) assert.ok(!existsSync(place), place);
    });

    it("keeps temporary files from one command to the next, apart from those of the system", async () => {
      const name = path.basename(box.work.root);
      await run(`echo one > /tmp/${name}.txt; echo two > /var/tmp/${name}-2.txt; mktemp`);
      assert.ok(!existsSync(`/tmp/${name}.txt`));
      assert.equal(await run(`cat /tmp/${name}.txt /var/tmp/${name}-2.txt; rm /tmp/${name}*.txt`), "one\ntwo");
      const theirs = put(path.join(os.tmpdir(), `${name}-theirs`));
      assert.match(await run(`cat ${theirs}`), /No such file/);
      rmSync(theirs);
    });

    it("does not follow a link of the workspace to the outside", async () => {
      const file = put(path.join(box.outside, "file.txt"));
      symlinkSync(box.outside, box.work.path("link"));
      symlinkSync(file, box.work.path("file"));
      await run(`echo x > link/file.txt; echo x > link/new.txt; echo x > file; ln ${file} hard && echo x > hard`);
      assert.equal(readFileSync(file, "utf8"), "before");
      assert.deepEqual(readdirSync(box.outside).sort(), ["file.txt", "home"]);
    });

    it("changes every folder of the workspace", async () => {
      const second = path.join(box.outside, "second");
      mkdirSync(second);
      const terminal = nodeTerminal({ sandbox: () => "workspace", folders: () => [box.work.folder, second] });
      const end = await terminal.run({
        command: `echo a > one && echo b > ${second}/two`,
        ...{ cwd: box.work.folder, signal: new AbortController().signal, onOutput() {}, onWaiting() {} },
      });
      assert.deepEqual(end, { type: "exit", code: 0, left: [] });
      assert.equal(readFileSync(path.join(second, "two"), "utf8"), "b\n");
    });
  });

  describe("files that control what runs outside", () => {
    const existing = [
      ...[".git/config", ".git/hooks/pre-commit", ".git/modules/a/b/config", ".git/modules/a/b/hooks/post-checkout"],
      ...[".git/worktrees/w/commondir", ".vscode/settings.json", ".rondo/rules/one.md", ".claude/settings.json"],
      ...[".mcp.json", ".rondoignore", "some.code-workspace", ".devcontainer/devcontainer.json", ".husky/pre-commit"],
    ];
    const evasions = [
      (file: string) => `echo evil > ${file}`,
      (file: string) => `rm -f ${file}; echo evil > ${file}`,
      (file: string) => `echo evil > x; mv -f x ${file}`,
      (file: string) => `ln -f x ${file}; ln -sf /etc/passwd ${file}`,
      (file: string) => `mv $(echo ${file} | cut -d/ -f1) away; mkdir -p $(dirname ${file}); echo evil > ${file}`,
      (file: string) => `d=$(dirname ${file}); mv $d away; mkdir -p $d; echo evil > ${file}`,
      (file: string) => `rm -rf $(echo ${file} | cut -d/ -f1); mkdir -p $(dirname ${file}); echo evil > ${file}`,
      (file: string) => `chmod 777 ${file}; umount ${file}; mount -o remount,rw . ; echo evil > ${file}`,
      (file: string) =>
        `unshare -Urm sh -c 'umount ${file}; umount .git; mount -o remount,rw,bind . ; echo evil > ${file}'`,
      (file: string) => `cp -r . ../copy; mv ../copy/* ../copy/.* . ; python3 -c "open('${file}', 'w').write('evil')"`,
    ];
    for (const file of existing) {
      it(`${file} cannot be changed`, async () => {
        for (const evade of evasions) {
          execFileSync("rm", ["-rf", box.work.folder]);
          mkdirSync(box.work.folder);
          box.work.put(".git/HEAD", "ref: refs/heads/main\n");
          box.work.put(".git/config", "before");
          for (const folder of [".git/modules/a/b", ".git/worktrees/w"]) box.work.put(`${folder}/HEAD`, "x");
          box.work.put(file, "before");
          const output = await run(evade(file));
          assert.equal(existsSync(box.work.path(file)) && box.work.text(file), "before", `${evade(file)}\n${output}`);
        }
      });
    }

    for (const file of [
      ".git/config",
      ".git/hooks/pre-commit",
      ".vscode/tasks.json",
      ".rondo/MEMORY.md",
      ".claude/x",
    ]) {
      it(`${file} cannot be created`, async () => {
        const [top = ""] = file.split("/");
        const ways = [
          `mkdir -p $(dirname ${file}); echo evil > ${file}`,
          `rmdir ${top}; mkdir -p n/$(dirname ${file}); echo evil > n/${file}; mv -T n/${top} ${top}`,
          `ln -s /tmp ${top}`,
        ];
        for (const way of ways) await run(way);
        assert.ok(!existsSync(box.work.path(file)));
        assert.ok(!existsSync(box.work.path(top)), "nothing is left of what held its place");
      });
    }

    it("T8 the state of editors and of Rondo cannot be changed in a workspace that holds it", async () => {
      const files = [".config/Code/User/settings.json", ".vscode-server/data/Machine/settings.json"];
      files.push(".local/share/code-server/User/settings.json", ".local/state/rondo/sessions/a.jsonl");
      for (const file of files) box.work.put(file, "before");
      box.work.put("dotfiles/keys.json", "before");
      symlinkSync(box.work.path("dotfiles/keys.json"), box.work.path(".config/Code/User/keybindings.json"));
      box.work.put(".config/other/a", "before");
      process.env["HOME"] = box.work.folder;
      for (const file of [...files, "dotfiles/keys.json"]) {
        const top = file.slice(0, file.indexOf("/"));
        await run(
          `echo evil > ${file}; rm -rf ${file}; mv ${top} away; mkdir -p $(dirname ${file}); echo evil > ${file}`,
        );
        assert.equal(box.work.text(file), "before", file);
      }
      assert.equal(await run("echo x > .config/other/a && cat .config/other/a"), "x");
    });

    it("hooks cannot be created in a repository without hooks", async () => {
      execFileSync("git", ["init", "-q", "."], { cwd: box.work.folder });
      rmSync(box.work.path(".git/hooks"), { recursive: true });
      await run(`mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit`);
      assert.ok(!existsSync(box.work.path(".git/hooks")));
    });

    it("git works: status, add, commit, branches, stash", async () => {
      execFileSync("git", ["init", "-q", "."], { cwd: box.work.folder });
      execFileSync("git", ["config", "user.email", "a@b.c"], { cwd: box.work.folder });
      execFileSync("git", ["config", "user.name", "a"], { cwd: box.work.folder });
      const output = await run(
        "set -e; echo 1 > a; git add a; git commit -qm one; git switch -qc other; echo 2 > a; git stash -q; git stash pop -q; git commit -qam two; git switch -q -; git merge -q other; git log --oneline | wc -l; git status --short",
      );
      assert.equal(output.trim(), "2");
    });

    it("a link in place of a settings folder is refused with words, since it could be replaced", async () => {
      symlinkSync(box.outside, box.work.path(".vscode"));
      assert.match(
        await box.work.refusal("bash", { command: "true" }),
        /\.vscode is a symbolic link, which it cannot protect/,
      );
    });

    it("what holds the place of a missing folder goes when the last command ends", async () => {
      const slow = run("until [ -e go ]; do sleep 0.02; done");
      await until(() => existsSync(box.work.path(".vscode")));
      await run("true");
      assert.ok(existsSync(box.work.path(".vscode")), "the other command still needs it");
      box.work.put("go", "");
      await slow;
      assert.deepEqual(readdirSync(box.work.folder), ["go"]);
    });
  });

  describe("what is hidden", () => {
    it("processes of others, with their environments", async () => {
      const other = spawn("sleep", [nap.slice(6)], { env: { PATH: process.env["PATH"], SECRET: "sandbox-secret" } });
      try {
        const output = await run(
          `cat /proc/${other.pid}/environ /proc/$PPID/environ /proc/*/environ | tr '\\0' '\\n' | grep -a SECRET; ps ax 2>&1 | grep -c '[s]leep'; kill ${other.pid}`,
        );
        assert.doesNotMatch(output, /sandbox-secret/);
        assert.equal(other.exitCode, null);
        assert.equal(running(nap), 1);
      } finally {
        other.kill();
      }
    });

    it("keys in the home folder, and links to them", async () => {
      for (const name of [".ssh/id_ed25519", ".aws/credentials", ".netrc", ".config/gh/hosts.yml", ".git-credentials"])
        put(path.join(os.homedir(), name), "home-secret");
      symlinkSync(path.join(os.homedir(), ".netrc"), box.work.path("link"));
      put(path.join(os.homedir(), "notes.txt"), "notes");
      const output = await run("cat ~/.ssh/* ~/.aws/* ~/.netrc ~/.config/gh/* ~/.git-credentials link ~/notes.txt");
      assert.doesNotMatch(output, /home-secret/);
      assert.match(output, /notes/);
    });

    it("all secret places of the home folder and of the environment, but for what programs need", async () => {
      for (const name of hidden) put(path.join(os.homedir(), name), "home-secret");
      for (const name of visible) put(path.join(os.homedir(), name), "needed");
      const config = path.join(box.outside, "config");
      put(path.join(config, "gh/hosts.yml"), "home-secret");
      const before = process.env["XDG_CONFIG_HOME"];
      process.env["XDG_CONFIG_HOME"] = config;
      const seen = await run(`grep -rls home-secret ~ ${config}; cat /etc/shadow; grep -rls needed ~ | wc -l`);
      if (before === undefined) delete process.env["XDG_CONFIG_HOME"];
      else process.env["XDG_CONFIG_HOME"] = before;
      assert.doesNotMatch(seen, /home-secret|root:|\/home\/\./);
      // Folders for temporary files are not the sandbox's own.
      const temporary = ["/tmp", "/var/tmp", os.tmpdir()];
      const isThere = !temporary.some((folder) => os.homedir().startsWith(`${folder}/`));
      assert.match(seen, new RegExp(`^${isThere ? visible.length : 0}$`, "m"));
    });

    for (const mode of ["workspace", "workspace-network"] as const) {
      it(`sockets in the file system on which others listen (${mode})`, async () => {
        open(mode);
        const places = [
          path.join(box.outside, "a b.sock"),
          path.join(os.tmpdir(), `${path.basename(box.outside)}.sock`),
        ];
        const server = places.map((place) => net.createServer((socket) => socket.end("answered")).listen(place));
        try {
          await until(() => server.every(({ listening }) => listening));
          for (const place of places) {
            const code = `require("net").connect(${JSON.stringify(place)}).on("data", d => console.log(String(d))).on("error", e => console.log(e.code))`;
            assert.match(await run(`node -e '${code}'`), /ECONNREFUSED|ENOENT|ENOTSOCK/);
          }
        } finally {
          for (const one of server) one.close();
        }
      });
    }

    it("variables that name such sockets are not set; RONDO_SANDBOX is", async () => {
      process.env["SSH_AUTH_SOCK"] = "/tmp/agent";
      try {
        assert.equal(await run("echo $SSH_AUTH_SOCK-$XDG_RUNTIME_DIR-$RONDO_SANDBOX"), "--workspace");
      } finally {
        delete process.env["SSH_AUTH_SOCK"];
      }
    });

    it("devices, and settings of the kernel even for root", async () => {
      const output = await run(
        "ls /dev; find /proc/sys /sys -writable 2>/dev/null | head; for f in /proc/sysrq-trigger /proc/sys/kernel/core_pattern; do test -w $f && echo WRITABLE $f; done; grep -E 'CapEff|NoNewPrivs' /proc/self/status",
      );
      assert.doesNotMatch(output, /WRITABLE|\/proc\/sys|\/sys\/|\bvda|\bsda|\bkvm\b|\bmem\b/);
      assert.match(output, /CapEff:\s+0{16}/);
      assert.match(output, /NoNewPrivs:\s+1/);
    });
  });

  describe("the network", () => {
    async function reach(): Promise<string> {
      const server = net.createServer((socket) => socket.end("answered\n")).listen(0, "127.0.0.1");
      await until(() => server.listening);
      const address = server.address();
      assert.ok(address !== null && typeof address === "object");
      try {
        return await run(`cat < /dev/tcp/127.0.0.1/${address.port}`);
      } finally {
        server.close();
      }
    }

    it("is not there in workspace, not even this machine's own", async () => {
      assert.match(await reach(), /Connection refused[\s\S]*call bash again with outside_sandbox/);
      assert.match(await run("cat /proc/net/dev | tail -n +3 | cut -d: -f1"), /^\s*lo$/);
    });

    it("is there in workspace-network", async () => {
      open("workspace-network");
      assert.match(await reach(), /answered/);
    });

    it("abstract sockets are out of reach in workspace", async () => {
      const place = `\0${path.basename(box.outside)}`;
      const server = net.createServer((socket) => socket.end("answered")).listen(place);
      try {
        await until(() => server.listening);
        const code = `require("net").connect("\\0${place.slice(1)}").on("data", d => console.log(String(d))).on("error", e => console.log(e.code))`;
        assert.match(await run(`node -e '${code}'`), /ECONNREFUSED/);
      } finally {
        server.close();
      }
    });
  });

  it("a command that the user allows runs outside", async () => {
    const file = path.join(box.outside, "new.txt");
    await run(`echo x > ${file}; echo $RONDO_SANDBOX`, { outside_sandbox: "it writes there" });
    assert.equal(readFileSync(file, "utf8"), "x\n");
  });
});
