/** No process of a run has a key in the environment that the system shows of it, and none gets one. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { providers } from "../../src/providers/providers.ts";
import { until } from "../loop/harness.ts";
import { begins, calls, type Place, places, program, says } from "./headless-run.ts";

const bypass = ["--permission-mode", "bypassPermissions"];

/** A value that occurs in every key of a run, and nowhere else on the machine. */
const needle = () => `needle-${randomBytes(12).toString("hex")}`;

/** All variables with keys, and one that has another name. */
function keysWith(value: string): Record<string, string> {
  const names = [
    ...Object.values(providers).map(({ keyVariable }) => keyVariable),
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_CUSTOM_HEADERS",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "GOOGLE_API_KEY",
    "OPENAI_ADMIN_KEY",
  ];
  const keys = names.map((name) => [
    name,
    `${name === "ANTHROPIC_CUSTOM_HEADERS" ? "x-gate: " : ""}sk-${value}-${name}`,
  ]);
  return { ...Object.fromEntries(keys), MY_KEY: `Bearer sk-${value}-ANTHROPIC_API_KEY` };
}

/** Returns the command lines of all processes of this machine whose environment has the text. */
function processesWith(text: string): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const isIn = readFileSync(`/proc/${pid}/environ`, "latin1").includes(text);
      return isIn ? [readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")] : [];
    } catch {
      return [];
    }
  });
}

describe("keys in the environment of a run", () => {
  before(function () {
    if (process.platform !== "linux") this.skip();
  });
  const open = places();

  /** Writes its own environment and its parent's to `seen`, and waits for the file `go`. */
  function writeLook(place: Place): void {
    place.write(
      "look.sh",
      'env > seen; tr "\\0" "\\n" < /proc/$PPID/environ >> seen; echo > looked; until [ -e go ]; do sleep 0.05; done; cat seen',
    );
  }

  it("no process shows a key: Rondo's, a command, one in the background, a hook, a server", async () => {
    const value = needle();
    const place = await open([
      calls("bash", { command: "env > background; sleep 60", run_in_background: true }),
      calls("bash", { command: "sh look.sh" }),
      says("Done."),
    ]);
    writeLook(place);
    place.write("server.sh", "env > of-server; exit 1");
    const servers = { mcpServers: { spy: { command: "sh", args: ["server.sh"] } } };
    const hooks = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "env > of-hook" }] }] } };
    const given = [
      ...["--mcp-config", place.write("servers.json", JSON.stringify(servers))],
      ...["--settings", place.write("hooks.json", JSON.stringify(hooks))],
    ];
    const { ended } = place.start([...bypass, ...given, "Go"], { env: keysWith(value) });
    await Promise.race([
      ended.then((end) => assert.fail(JSON.stringify(end))),
      until(() => existsSync(path.join(place.folder, "looked"))),
    ]);
    const shown = processesWith(value);
    place.write("go", "");
    const { code } = await ended;
    assert.deepEqual(shown, []);
    assert.equal(code, 0);
    for (const file of ["seen", "background", "of-hook", "of-server"]) {
      assert.match(place.read(file), /^PATH=/m);
      assert.ok(!place.read(file).includes(value), `${file} has a key`);
    }
    assert.equal(place.server.requests[0]?.headers["x-api-key"], `sk-${value}-ANTHROPIC_API_KEY`);
  });

  it("--pass-env lets commands and hooks have the named variable alone", async () => {
    const value = needle();
    const place = await open([calls("bash", { command: "env > of-command" }), says("Done.")]);
    const hooks = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "env > of-hook" }] }] } };
    const settings = place.write("hooks.json", JSON.stringify(hooks));
    const passed = ["--pass-env", "OPENAI_API_KEY", "--pass-env", "NOT_SET"];
    await place.run([...bypass, ...passed, "--settings", settings, "Go"], { env: keysWith(value) });
    for (const file of ["of-command", "of-hook"]) {
      const lines = place.read(file).split("\n");
      assert.deepEqual(
        lines.filter((line) => line.includes(value)),
        [`OPENAI_API_KEY=sk-${value}-OPENAI_API_KEY`],
      );
    }
  });

  describe("where a process cannot overwrite its environment, the program starts anew in its place", () => {
    const readOnly = 'mount --bind /proc /proc && mount -o remount,ro,bind /proc && exec "$@"';
    before(function () {
      if (spawnSync("unshare", ["-m", "sh", "-c", readOnly, "sh", "true"]).status !== 0) this.skip();
    });

    /** Starts a run under a read-only `/proc`. */
    function start(place: Place, args: readonly string[], value: string) {
      const own = [
        "--cwd",
        place.folder,
        "--base-url",
        place.server.url,
        "--session-dir",
        place.sessions,
        "--no-title",
      ];
      const run = [process.execPath, program, ...own, ...bypass, ...args];
      const env = { PATH: process.env["PATH"], HOME: place.home, ...keysWith(value) };
      const child = spawn("unshare", ["-m", "sh", "-c", readOnly, "sh", ...run], { env, stdio: "pipe" });
      let output = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
      const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
        child.once("close", (code) => resolve({ code, output }));
      });
      return { child, ended };
    }

    it("with its keys, its standard input, its id and its exit status", async () => {
      const value = needle();
      const place = await open([calls("bash", { command: "echo $PPID > parent; sh look.sh" }), says("Done.")]);
      writeLook(place);
      const { child, ended } = start(place, [], value);
      child.stdin.end("Go");
      await Promise.race([
        ended.then((end) => assert.fail(JSON.stringify(end))),
        until(() => existsSync(path.join(place.folder, "looked"))),
      ]);
      const shown = processesWith(value);
      place.write("go", "");
      assert.deepEqual(await ended, { code: 0, output: "Done.\n" });
      assert.deepEqual(shown, []);
      assert.ok(!place.read("seen").includes(value));
      assert.equal(Number(place.read("parent")), child.pid);
      assert.equal(place.server.requests[0]?.headers["x-api-key"], `sk-${value}-ANTHROPIC_API_KEY`);
    });

    it("and an interruption reaches it", async () => {
      const place = await open([begins("Half an answer")]);
      const { child, ended } = start(
        place,
        ["--output-format", "stream-json", "--include-partial-messages", "Go"],
        needle(),
      );
      child.stdin.end();
      await until(() => place.server.requests.length === 1);
      child.kill("SIGINT");
      assert.equal((await ended).code, 130);
    });
  });
});
