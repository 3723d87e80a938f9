/** Commands in the real bubblewrap: what they may do, what they cannot, and how they end. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import type { CommandSandbox } from "../../../src/tools/host.ts";
import { nodeTerminal } from "../../../src/tools/node-host/terminal.ts";
import { bubblewrapProblem, findBubblewrap } from "../../../src/tools/sandbox/availability.ts";
import { until } from "../../loop/harness.ts";
import { living, running } from "../run-command/living.ts";
import { TestWorkspace } from "../workspace.ts";

type Mode = CommandSandbox["mode"];

/** A program that only this run of the tests has started. */
const nap = `sleep ${4_000_000 + process.pid}`;

describe("commands in bubblewrap", () => {
  let work: TestWorkspace;
  /** Not in a folder for temporary files, of which the sandbox has its own. */
  let outside: string;
  const home = process.env["HOME"];

  before(async function () {
    if (process.platform !== "linux") return this.skip();
    const problem = await bubblewrapProblem(findBubblewrap([]), false);
    if (problem === undefined) return;
    console.log(`    The sandbox is not tested: ${problem}`);
    this.skip();
  });
  beforeEach(() => {
    mkdirSync("node_modules/.cache", { recursive: true });
    outside = mkdtempSync(path.resolve("node_modules/.cache/sandbox-test-"));
    process.env["HOME"] = path.join(outside, "home");
    mkdirSync(process.env["HOME"]);
    open("workspace");
  });
  afterEach(async () => {
    process.env["HOME"] = home;
    await work.host.background.endAll("user");
    work.dispose();
    rmSync(outside, { recursive: true, force: true });
  });

  function open(sandbox: Mode, name = "work") {
    work?.dispose();
    work = new TestWorkspace({ sandbox, name });
  }

  async function run(command: string, more: Record<string, unknown> = {}): Promise<string> {
    return (await work.run("bash", { command, ...more })).output;
  }

  function put(file: string, text = "before"): string {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  describe("writing", () => {
    it("changes the workspace and its own temporary folders, and nothing else", async () => {
      const file = put(path.join(outside, "file.txt"));
      const places = [
        file,
        path.join(outside, "new.txt"),
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
      assert.equal(work.text("inside.txt"), "in\n");
      assert.equal(readFileSync(file, "utf8"), "before");
      for (const place of places.slice(1)) assert.ok(!existsSync(place), place);
    });

    it("keeps temporary files from one command to the next, apart from those of the system", async () => {
      const name = path.basename(work.root);
      await run(`echo one > /tmp/${name}.txt; echo two > /var/tmp/${name}-2.txt; mktemp`);
      assert.ok(!existsSync(`/tmp/${name}.txt`));
      assert.equal(await run(`cat /tmp/${name}.txt /var/tmp/${name}-2.txt; rm /tmp/${name}*.txt`), "one\ntwo");
      const theirs = put(path.join(os.tmpdir(), `${name}-theirs`));
      assert.match(await run(`cat ${theirs}`), /No such file/);
      rmSync(theirs);
    });

    it("does not follow a link of the workspace to the outside", async () => {
      const file = put(path.join(outside, "file.txt"));
      symlinkSync(outside, work.path("link"));
      symlinkSync(file, work.path("file"));
      await run(`echo x > link/file.txt; echo x > link/new.txt; echo x > file; ln ${file} hard && echo x > hard`);
      assert.equal(readFileSync(file, "utf8"), "before");
      assert.deepEqual(readdirSync(outside).sort(), ["file.txt", "home"]);
    });

    it("changes every folder of the workspace", async () => {
      const second = path.join(outside, "second");
      mkdirSync(second);
      const terminal = nodeTerminal({ sandbox: () => "workspace", folders: () => [work.folder, second] });
      const end = await terminal.run({
        command: `echo a > one && echo b > ${second}/two`,
        ...{ cwd: work.folder, signal: new AbortController().signal, onOutput() {}, onWaiting() {} },
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
          execFileSync("rm", ["-rf", work.folder]);
          mkdirSync(work.folder);
          work.put(".git/HEAD", "ref: refs/heads/main\n");
          work.put(".git/config", "before");
          for (const folder of [".git/modules/a/b", ".git/worktrees/w"]) work.put(`${folder}/HEAD`, "x");
          work.put(file, "before");
          const output = await run(evade(file));
          assert.equal(existsSync(work.path(file)) && work.text(file), "before", `${evade(file)}\n${output}`);
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
        assert.ok(!existsSync(work.path(file)));
        assert.ok(!existsSync(work.path(top)), "nothing is left of what held its place");
      });
    }

    it("hooks cannot be created in a repository without hooks", async () => {
      execFileSync("git", ["init", "-q", "."], { cwd: work.folder });
      rmSync(work.path(".git/hooks"), { recursive: true });
      await run(`mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit`);
      assert.ok(!existsSync(work.path(".git/hooks")));
    });

    it("git works: status, add, commit, branches, stash", async () => {
      execFileSync("git", ["init", "-q", "."], { cwd: work.folder });
      execFileSync("git", ["config", "user.email", "a@b.c"], { cwd: work.folder });
      execFileSync("git", ["config", "user.name", "a"], { cwd: work.folder });
      const output = await run(
        "set -e; echo 1 > a; git add a; git commit -qm one; git switch -qc other; echo 2 > a; git stash -q; git stash pop -q; git commit -qam two; git switch -q -; git merge -q other; git log --oneline | wc -l; git status --short",
      );
      assert.equal(output.trim(), "2");
    });

    it("a link in place of a settings folder is refused with words, since it could be replaced", async () => {
      symlinkSync(outside, work.path(".vscode"));
      assert.match(
        await work.refusal("bash", { command: "true" }),
        /\.vscode is a symbolic link, which it cannot protect/,
      );
    });

    it("what holds the place of a missing folder goes when the last command ends", async () => {
      const slow = run("until [ -e go ]; do sleep 0.02; done");
      await until(() => existsSync(work.path(".vscode")));
      await run("true");
      assert.ok(existsSync(work.path(".vscode")), "the other command still needs it");
      work.put("go", "");
      await slow;
      assert.deepEqual(readdirSync(work.folder), ["go"]);
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
      symlinkSync(path.join(os.homedir(), ".netrc"), work.path("link"));
      put(path.join(os.homedir(), "notes.txt"), "notes");
      const output = await run("cat ~/.ssh/* ~/.aws/* ~/.netrc ~/.config/gh/* ~/.git-credentials link ~/notes.txt");
      assert.doesNotMatch(output, /home-secret/);
      assert.match(output, /notes/);
    });

    for (const mode of ["workspace", "workspace-network"] as const) {
      it(`sockets in the file system on which others listen (${mode})`, async () => {
        open(mode);
        const places = [path.join(outside, "a b.sock"), path.join(os.tmpdir(), `${path.basename(outside)}.sock`)];
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
      const place = `\0${path.basename(outside)}`;
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

  describe("how commands run and end", () => {
    for (const [command, expected] of [
      ["echo out; echo err >&2; echo dev > /dev/stderr; echo o > /dev/stdout", /^out\nerr\ndev\no$/],
      ["exit 7", /Exit code 7$/],
      ["kill -9 $$", /Exit code 137$/],
      ["cat; echo end", /^end$/],
      ["pwd; echo $PWD", /^(.+)\n\1$/],
      ["FOO='a b' bash -c 'echo \"$FOO\"'; printf '%s\\n' \"it's\"", /^a b\nit's$/],
    ] as const) {
      it(command, async () => assert.match(await run(command), expected));
    }

    it("a folder with spaces, quotes and a colon in its name", async () => {
      open("workspace", "a b'c:d");
      assert.equal(await run("echo x > f; cat f"), "x");
      assert.equal(work.text("f"), "x\n");
    });

    it("Stop lets programs clean up, and ends all of them", async () => {
      const stop = new AbortController();
      const command = `trap '/bin/true; /bin/true; echo clean > cleaned; exit' TERM; ${nap} & (setsid ${nap} &) ; echo started > started; wait`;
      const result = work.run("bash", { command }, stop.signal);
      await until(() => existsSync(work.path("started")));
      stop.abort();
      await result;
      assert.equal(work.text("cleaned"), "clean\n");
      assert.equal(running(nap), 0);
    });

    it("Stop ends programs that ignore signals", async () => {
      const stop = new AbortController();
      const result = work.run(
        "bash",
        {
          command: `trap '' TERM INT HUP; (trap '' TERM; setsid ${nap} & ${nap}) & echo x > started; while :; do sleep 1; done`,
        },
        stop.signal,
      );
      await until(() => existsSync(work.path("started")));
      stop.abort();
      await result;
      assert.equal(running(nap), 0);
      assert.deepEqual(living(work.folder), []);
    });

    it("what a command leaves running ends with it", async () => {
      await run(`(setsid nohup ${nap} > /dev/null 2>&1 &); echo done`);
      await until(() => running(nap) === 0);
    });

    it("a command in the background can be read and ended", async () => {
      await run(`echo ready; ${nap}`, { run_in_background: true });
      await until(() => work.host.background.list()[0]?.last === "ready");
      await work.run("bash_kill", { id: "bash_1" });
      assert.equal(running(nap), 0);
      assert.deepEqual(readdirSync(work.folder), []);
    });

    it("commands end when Rondo's process is killed", async () => {
      const rondo = await startRondo(`setsid ${nap} & echo x > started; ${nap}`);
      rondo.kill("SIGKILL");
      await until(() => running(nap) === 0);
    });
  });

  /** Starts a process of Rondo with a command in the sandbox that writes a file `started`. */
  async function startRondo(command: string): Promise<ChildProcess> {
    const script = `
      import { nodeTerminal } from ${JSON.stringify(path.resolve("src/tools/node-host/terminal.ts"))};
      const folder = ${JSON.stringify(work.folder)};
      await nodeTerminal({ sandbox: () => "workspace", folders: () => [folder] }).run({
        command: ${JSON.stringify(command)}, cwd: folder,
        signal: new AbortController().signal, onOutput() {}, onWaiting() {} });`;
    const rondo = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
    await until(() => existsSync(work.path("started")));
    return rondo;
  }

  describe("what a killed process of Rondo leaves", () => {
    const gone = (rondo: ChildProcess) => new Promise((resolve) => rondo.once("exit", resolve));
    const privateFolders = () => readdirSync(os.tmpdir()).filter((name) => name.startsWith("rondo-sandbox-"));

    async function killed(): Promise<void> {
      const rondo = await startRondo(`echo x > started; ${nap}`);
      const ended = gone(rondo);
      rondo.kill("SIGKILL");
      await ended;
      await until(() => running(nap) === 0);
      rmSync(work.path("started"));
    }

    for (const [name, files] of Object.entries({
      "an empty workspace": [],
      "a repository without hooks": [".git/HEAD", ".git/config"],
    })) {
      it(`is removed before the next command, in ${name}`, async () => {
        for (const file of files) work.put(file, "x");
        const before = readdirSync(work.folder, { recursive: true }).sort();
        const folders = privateFolders();
        await killed();
        assert.ok(existsSync(work.path(".vscode")), "a killed process cannot clean up");
        await run("true");
        assert.deepEqual(readdirSync(work.folder, { recursive: true }).sort(), before);
        // The folders of tests that run at the same time may come and go.
        await until(() => privateFolders().every((one) => folders.includes(one) || isOfLiving(one)));
      });
    }

    it("is removed when the next process starts, even without a command", async () => {
      await killed();
      nodeTerminal({ sandbox: () => "workspace", folders: () => [work.folder] });
      await until(() => readdirSync(work.folder).length === 0);
    });

    it("stays where something was put in it", async () => {
      await killed();
      work.put(".vscode/settings.json", "{}");
      await run("true");
      assert.deepEqual(readdirSync(work.folder), [".vscode"]);
    });

    it("stays while another process needs it, which keeps its protection", async () => {
      const other = await startRondo(
        "echo x > started; until [ -e go ]; do sleep 0.02; done; mkdir .vscode/x; echo $? > end",
      );
      const ended = gone(other);
      rmSync(work.path("started"));
      await killed();
      await run("true");
      assert.ok(existsSync(work.path(".vscode")));
      work.put("go", "");
      await ended;
      assert.deepEqual(readdirSync(work.folder).sort(), ["end", "go"]);
      assert.notEqual(work.text("end").trim(), "0");
    });

    it("is not believed where a note names another folder, or is another process's", async () => {
      for (const name of ["mine", ".vscode"]) mkdirSync(work.path(name));
      const note = path.join(os.tmpdir(), `rondo-sandbox-test-${process.pid}.held.json`);
      const namespace = readlinkSync("/proc/self/ns/pid");
      const dead = { pid: 2 ** 22 + 1, host: os.hostname(), processStart: "1", namespace };
      for (const content of [
        { ...dead, places: [work.path("mine")] },
        { ...dead, namespace: "pid:[1]", places: [work.path(".vscode")] },
        { ...dead, places: [".vscode"] },
        "no note",
      ]) {
        writeFileSync(note, JSON.stringify(content));
        await run("true");
        assert.deepEqual(readdirSync(work.folder).sort(), [".vscode", "mine"]);
      }
      rmSync(note);
    });

    function isOfLiving(name: string): boolean {
      const note = path.join(os.tmpdir(), `${name.replace(/\..*/, "")}.held.json`);
      const text = existsSync(note) ? readFileSync(note, "utf8") : "{}";
      return existsSync(`/proc/${JSON.parse(text).pid}`);
    }
  });

  it("a command that the user allows runs outside", async () => {
    const file = path.join(outside, "new.txt");
    await run(`echo x > ${file}; echo $RONDO_SANDBOX`, { outside_sandbox: "it writes there" });
    assert.equal(readFileSync(file, "utf8"), "x\n");
  });
});
