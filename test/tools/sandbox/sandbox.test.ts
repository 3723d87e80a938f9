/** What the sandbox decides and says. How bubblewrap keeps it is in bubblewrap.test.ts and bubblewrap-ends.test.ts. */
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { findBubblewrap, forbiddenNamespaces, noSandboxOnWindows } from "../../../src/tools/sandbox/availability.ts";
import { openSockets, withoutSockets } from "../../../src/tools/sandbox/hidden-places.ts";
import { protectedPlaces } from "../../../src/tools/sandbox/protected-places.ts";
import { seatbeltProfile } from "../../../src/tools/sandbox/sandbox.ts";
import { sandboxHint } from "../../../src/tools/sandbox/words.ts";
import { until } from "../../loop/harness.ts";
import { TestWorkspace } from "../workspace.ts";

describe("the sandbox", () => {
  let work: TestWorkspace;
  beforeEach(() => {
    work = new TestWorkspace();
  });
  afterEach(() => work.dispose());

  describe("where it cannot be had", () => {
    const kernel = (known: Record<string, number>) => (name: string) => known[name];
    for (const [found, expected] of [
      [{ "kernel/apparmor_restrict_unprivileged_userns": 1 }, /AppArmor.*\(no\).*apparmor_parser/],
      [{ "kernel/apparmor_restrict_unprivileged_userns": 0, "kernel/unprivileged_userns_clone": 0 }, /userns_clone=1/],
      [{ "user/max_user_namespaces": 0, "kernel/unprivileged_userns_clone": 1 }, /max_user_namespaces=10000/],
      [{ "user/max_user_namespaces": 5 }, /does not work here \(no\).*container/],
      [{}, /container/],
    ] as const) {
      it(`says what to do: ${JSON.stringify(found)}`, () => {
        assert.match(forbiddenNamespaces("no\nmore", kernel(found)), expected);
      });
    }

    it("a command is not run, and may be asked for outside", async () => {
      let runs = 0;
      const problem = async () => noSandboxOnWindows;
      const run = async () => {
        runs += 1;
        return { type: "exit", code: 0, left: [] } as const;
      };
      const terminal = { shell: "bash", sandbox: { mode: "workspace", problem }, run } as const;
      Object.assign(work.host, { terminal });
      assert.equal(
        await work.refusal("bash", { command: "echo 1" }),
        "The command was not run. It must run in a sandbox (workspace), which cannot be used: Windows has no sandbox that Rondo can use. Open the folder in WSL, where it can use bubblewrap. Tell the user. To run this command without it, call bash again with outside_sandbox and the reason; the user will be asked.",
      );
      assert.deepEqual(
        (await work.needs("bash", { command: "echo 1", outside_sandbox: "no sandbox" })).map(
          ({ permission }) => permission,
        ),
        ["outside_sandbox", "bash"],
      );
      await assert.rejects(work.plan("bash", { command: "echo 1", outside_sandbox: " " }), { name: "ToolError" });
      assert.equal(runs, 0);
    });

    it("is not taken from the workspace, even if the search path names it", () => {
      const planted = path.dirname(work.put("bin/bwrap", "#!/bin/sh\nexec true\n", 0o755));
      mkdirSync(path.join(work.root, "elsewhere"));
      symlinkSync(planted, path.join(work.root, "elsewhere/link"));
      for (const searchPath of [planted, path.join(work.root, "elsewhere/link"), "bin", "./bin", ""]) {
        assert.doesNotMatch(findBubblewrap([work.folder], searchPath) ?? "", /elsewhere|bin\/bin|work/);
      }
    });
  });

  describe("the hint after a failure", () => {
    for (const output of [
      "touch: cannot touch '/x': Read-only file system",
      "Error: EROFS: read-only file system, open '/home/u/.npm/x'",
      "Error: EACCES: permission denied, mkdir '/x'",
      "rm: cannot remove '.git/config': Device or resource busy",
      "curl: (6) Could not resolve host: example.com",
      "npm error code EAI_AGAIN",
      "getaddrinfo ENOTFOUND packages.example",
      "fatal: unable to access 'https://x/': Could not resolve host: x",
      "ssh: connect to host x port 22: Network is unreachable",
      "curl: (7) Failed to connect to localhost port 3000: Connection refused",
      "dial unix /var/run/docker.sock: connect: connection refused",
      "dial tcp: lookup proxy.golang.org: no such host",
      "sudo: effective uid is not 0, is sudo installed setuid root?",
      'sudo: The "no new privileges" flag is set',
      "bwrap: Can't bind mount /x",
    ]) {
      it(output, () => assert.match(sandboxHint("workspace", output) ?? "", /call bash again with outside_sandbox/));
    }

    for (const output of ["1 test failed", "SyntaxError: Unexpected token", "src/a.ts(1,2): error TS2304", ""]) {
      it(`none for ${JSON.stringify(output)}`, () => assert.equal(sandboxHint("workspace", output), undefined));
    }
  });

  describe("what is found", () => {
    it("sockets that are there, by their real paths", async () => {
      const socket = work.path("a b.sock");
      const server = net.createServer().listen(socket);
      await until(() => server.listening);
      symlinkSync(work.folder, path.join(work.root, "link"));
      work.put("plain", "");
      const row = (place: string) => `0000000000000000: 00000002 00000000 00010000 0001 01 12345 ${place}`;
      const places = [
        path.join(work.root, "link/a b.sock"),
        socket,
        work.path("plain"),
        work.path("gone"),
        "@abstract",
      ];
      const table = ["Num       RefCount Protocol Flags    Type St Inode Path", ...places.map(row)].join("\n");
      assert.deepEqual(openSockets(table), [socket]);
      if (process.platform === "linux") assert.ok(openSockets().includes(socket), "in the system's own table, too");
      server.close();
    });

    it("no variables that name sockets", () => {
      assert.deepEqual(withoutSockets({ SSH_AUTH_SOCK: "/a", DBUS_SESSION_BUS_ADDRESS: "b", PATH: "/bin" }), {
        PATH: "/bin",
      });
    });

    it("settings at the top of a folder, what does not exist yet, and folders that must stay where they are", () => {
      for (const name of [
        ".git/config",
        ".git/HEAD",
        ".git/hooks/x",
        ".vscode/a",
        ".mcp.json",
        "src/a.ts",
        ".config/a",
      ])
        work.put(name, "");
      const { readOnly, pinned, missing, links } = protectedPlaces(work.folder);
      const names = (paths: readonly string[]) => paths.map((at) => path.relative(work.folder, at)).sort();
      const created = [".git/branches", ".git/commondir", ".git/config.worktree", ".git/remotes"];
      const all = [...created, ".claude", ".git/config", ".git/hooks", ".mcp.json", ".rondo", ".vscode"];
      assert.deepEqual(names(readOnly), all.sort());
      assert.deepEqual(names(pinned), [".git"]);
      assert.deepEqual(names(missing.map(({ at }) => at)), [".claude", ...created, ".rondo"]);
      assert.deepEqual(links, []);
    });

    for (const name of [".git", ".vscode", ".rondo", ".claude", ".git/config", ".git/hooks", ".git/commondir"]) {
      it(`a link in place of ${name} is reported`, () => {
        if (name !== ".git/config" && name !== ".git") work.put(".git/config", "");
        mkdirSync(path.dirname(work.path(name)), { recursive: true });
        // Without its settings a folder is not a repository, and may only be read as a whole.
        if (name === ".git/config") work.put(".git/HEAD", "");
        symlinkSync(work.root, work.path(name));
        assert.deepEqual(protectedPlaces(work.folder).links, [work.path(name)]);
      });
    }
  });

  describe("the profile of seatbelt", () => {
    const profile = (network: boolean) =>
      seatbeltProfile({
        network,
        folders: ['/Users/u/it\'s "here"'],
        places: [
          {
            readOnly: ["/w/.vscode", '/a+"b/.git/commondir'],
            pinned: ["/w/.git"],
            missing: [{ at: '/a+"b/.git/commondir', content: ".\n" }],
            links: [],
          },
        ],
        temporary: ["/private/tmp"],
        keys: { folders: ["/Users/u/.ssh"], files: ["/Users/u/.netrc"] },
      }).split("\n");

    it("allows writing in the folders, then denies what is protected in them", () => {
      const lines = profile(false);
      const deny = lines.indexOf("(deny file-write*)");
      const allow = lines.findIndex((line) => line.startsWith("(allow file-write*"));
      const settings = lines.indexOf('(deny file-write* (subpath "/w/.vscode") (subpath "/a+\\"b/.git/commondir"))');
      assert.ok(0 < deny && deny < allow && allow < settings, lines.join("\n"));
      assert.match(lines[allow] ?? "", /\(subpath "\/Users\/u\/it's \\"here\\""\) \(subpath "\/private\/tmp"\)/);
      assert.ok(lines.includes('(deny file-write-unlink (literal "/w/.git"))'));
      assert.ok(lines.includes('(deny file-read* (subpath "/Users/u/.ssh"))'));
      assert.ok(lines.includes('(deny file-read* (literal "/Users/u/.netrc"))'));
    });

    it("denies in any letter case what does not exist yet", () => {
      const [, pattern = ""] =
        profile(false)
          .map((line) => /^\(deny file-write\* \(regex #"(.*)"\)\)$/.exec(line))
          .find((match) => match !== null) ?? [];
      for (const name of ["commondir", "COMMONDIR", "CommonDir/x"])
        assert.match(`/a+"b/.git/${name}`, new RegExp(pattern));
      for (const name of [
        "/a+x/.git/commondir",
        '/a+"b/.git/commondirs',
        '/x/a+"b/.git/commondir',
        '/a+"b/.git/refs/commondir',
      ])
        assert.doesNotMatch(name, new RegExp(pattern));
    });

    it("denies the network, or only the sockets of programs", () => {
      assert.ok(profile(false).includes("(deny network*)"));
      assert.ok(!profile(true).includes("(deny network*)"));
      assert.ok(profile(true).includes("(deny network-outbound (remote unix-socket))"));
    });

    it("has balanced parentheses", () => {
      for (const lines of [profile(true), profile(false)]) {
        const text = lines.join("\n").replace(/#?"(?:[^"\\]|\\.)*"/g, "");
        assert.equal(text.split("(").length, text.split(")").length);
      }
    });
  });
});
