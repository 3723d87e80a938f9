/** Configured servers, and who may start them. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { loadServers, type ServerSources } from "../../src/mcp/config/server-config.ts";
import { usualBoundary } from "../read-boundary.ts";
import { endAll, hostile, ready, stateOf } from "./mcp.ts";

/** A variable as written in a configuration. */
const given = (name: string) => `$\{${name}}`;

describe("the configuration of MCP servers", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-mcp-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const load = (sources: Partial<ServerSources>) =>
    loadServers({
      caller: undefined,
      settings: undefined,
      folders: [folder],
      trusted: true,
      boundary: usualBoundary,
      env: {},
      ...sources,
    });
  const write = (mcpServers: unknown, place = folder) =>
    writeFileSync(path.join(place, ".mcp.json"), JSON.stringify({ mcpServers }));
  const problemsOf = (server: unknown, env = {}) => load({ settings: { bad: server }, env }).problems;

  it("T11 reads servers of the caller, the settings and the files; a workspace cannot take a name of the user's", () => {
    write({ a: { command: "theirs" }, c: { url: "https://example.com/mcp" } });
    const { servers, problems } = load({
      caller: { b: { command: "callers" } },
      settings: { a: { command: "users" }, b: { command: "users" } },
    });
    assert.deepEqual(
      servers.map(({ name, origin, source, target }) => [name, origin, source, target]),
      [
        ["b", "caller", "this run", "callers"],
        ["a", "settings", "settings", "users"],
        ["c", "workspace", ".mcp.json", "https://example.com/mcp"],
      ],
    );
    assert.deepEqual(problems, [
      'The setting rondo.mcpServers: the server "b" is not used: another server already has that name, from this run.',
      '.mcp.json: the server "a" is not used: another server already has that name, from settings.',
    ]);
  });

  it("T11 reads nothing in an untrusted workspace", () => {
    write({ a: { command: "x" } });
    assert.deepEqual(load({ settings: { b: { command: "x" } }, trusted: false }), { servers: [], problems: [] });
  });

  it("T11 replaces variables of the environment, but never Rondo's keys", () => {
    const env = { TOKEN: "t", OPENAI_API_KEY: "sk" };
    const { servers } = load({
      settings: {
        a: {
          command: given("SHELL_X:-sh"),
          args: [`--token=${given("TOKEN")}`],
          env: { A: given("TOKEN") + given("NONE:-") },
        },
      },
      env,
    });
    const launch = servers[0]?.launch;
    assert.deepEqual(launch, { type: "stdio", command: "sh", args: ["--token=t"], env: { A: "t" }, cwd: folder });
    assert.equal(
      servers[0]?.target,
      `A=… ${given("SHELL_X:-sh")} --token=${given("TOKEN")} (is given $SHELL_X, $TOKEN, $NONE)`,
    );
    assert.match(
      problemsOf({ command: "x", env: { K: given("OPENAI_API_KEY") } }, env)[0] ?? "",
      /not given to servers/,
    );
    assert.match(
      problemsOf({ command: "x", env: { K: given("openai_api_key:-") } }, env)[0] ?? "",
      /not given to servers/,
    );
    assert.match(problemsOf({ command: given("NONE") })[0] ?? "", /\$NONE is not set/);
  });

  const refused: [string, unknown, RegExp][] = [
    ["a server that is not an object", "npx", /must be an object/],
    ["no command", {}, /command must be a string/],
    ["an empty command", { command: "" }, /command must not be empty/],
    ["arguments that are not a list", { command: "x", args: "y" }, /args must be a list/],
    ["a null character", { command: "x\0y" }, /must not contain a NUL/],
    ["sse", { type: "sse", url: "https://example.com" }, /deprecated "sse"/],
    ["an unknown type", { type: "magic" }, /"stdio" or "http"/],
    ["an address without https", { url: "http://example.com/mcp" }, /https/],
    ["an invalid address", { url: "there" }, /not an address/],
    ["a password in an address", { url: "https://a:b@example.com" }, /in its headers/],
    ["a header with a line break", { url: "https://example.com", headers: { A: "1\r\nB: 2" } }, /malformed/],
    ["a time limit of zero", { command: "x", timeout: 1 }, /at least 1000 ms/],
  ];
  for (const [what, server, words] of refused) {
    it(`T11 rejects ${what} in one sentence, and reads the next server`, () => {
      const { servers, problems } = load({ settings: { bad: server, good: { command: "x" } } });
      assert.deepEqual(
        servers.map(({ name }) => name),
        ["good"],
      );
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? "", words);
    });
  }

  it("T11 rejects names with confusing characters", () => {
    const { servers, problems } = load({ settings: { "a\u001b[31m": { command: "x" }, "": { command: "x" } } });
    assert.deepEqual(servers, []);
    assert.equal(problems.length, 2);
    assert.ok(!problems.join().includes("\u001b"));
  });

  it("T11 shows a command with quotes and escapes", () => {
    const { servers } = load({ settings: { a: { command: "x", args: ["a b", "\u202e\u001b"] } } });
    assert.equal(servers[0]?.target, String.raw`x "a b" "\u{202e}\u001b"`);
    write({
      a: { command: "node", args: ["a.js"], env: { NODE_OPTIONS: "--require ./evil.js" }, cwd: "sub" },
      b: { url: "https://example.com/mcp", headers: { A: `Bearer ${given("TOKEN")}` } },
    });
    assert.deepEqual(
      load({ env: { TOKEN: "t" } }).servers.map(({ target }) => target),
      [
        'NODE_OPTIONS="--require ./evil.js" node a.js (in sub)',
        `https://example.com/mcp (is sent A: "Bearer ${given("TOKEN")}") (is given $TOKEN)`,
      ],
    );
  });

  it("T11 allows http to this machine only", () => {
    for (const url of ["http://localhost:1/mcp", "http://127.0.0.1:1/mcp", "http://[::1]:1/mcp"]) {
      assert.equal(load({ settings: { a: { url } } }).servers.length, 1, url);
    }
    for (const url of ["http://127.0.0.1.example.com/", "http://localhost.example.com/", "file:///etc/passwd"]) {
      assert.equal(load({ settings: { a: { url } } }).servers.length, 0, url);
    }
  });

  it("T11 says why a file cannot be used", () => {
    writeFileSync(path.join(folder, ".mcp.json"), "{");
    assert.match(load({}).problems[0] ?? "", /^The servers of \.mcp\.json are not used: it is not valid JSON/);
    rmSync(path.join(folder, ".mcp.json"));
    mkdirSync(path.join(folder, ".mcp.json"));
    assert.match(load({}).problems[0] ?? "", /it is not a file/);
    rmSync(path.join(folder, ".mcp.json"), { recursive: true });
    symlinkSync("/etc/passwd", path.join(folder, ".mcp.json"));
    assert.match(load({}).problems[0] ?? "", /leads out of the workspace/);
  });

  it("T11 every change of a server changes its fingerprint", () => {
    const prints = [
      { command: "x" },
      { command: "y" },
      { command: "x", args: ["1"] },
      { command: "x", env: { A: "1" } },
    ].map((server) => load({ settings: { a: server } }).servers[0]?.fingerprint);
    assert.equal(new Set(prints).size, 4);
    assert.equal(load({ settings: { a: { command: "x" } } }).servers[0]?.fingerprint, prints[0]);
  });
});

describe("a server of the workspace", () => {
  afterEach(endAll);

  it("T11 starts once the user has allowed exactly this configuration, and asks again when it changes", async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "rondo-mcp-"));
    const write = (way: string) =>
      writeFileSync(path.join(folder, ".mcp.json"), JSON.stringify({ mcpServers: { a: hostile(way) } }));
    const allowed = new Set<string>();
    const { signal } = new AbortController();
    try {
      write("well");
      const running = await ready(undefined, {
        load: () =>
          loadServers({
            caller: undefined,
            settings: undefined,
            folders: [folder],
            trusted: true,
            boundary: usualBoundary,
            env: process.env,
          }),
        consent: { has: (one) => allowed.has(one), give: (one) => allowed.add(one) },
      });
      const { servers } = running;
      assert.deepEqual(stateOf(running, "a"), { type: "asks" });
      await servers.act("a", "start");
      assert.deepEqual(stateOf(running, "a"), { type: "asks" }, "starting is not allowing");
      await servers.act("a", "allow");
      assert.equal(stateOf(running, "a").type, "ready");
      write("liar");
      await servers.ready(signal);
      assert.deepEqual(stateOf(running, "a"), { type: "asks" });
      assert.deepEqual(servers.tools(), []);
      write("well");
      await servers.ready(signal);
      assert.equal(stateOf(running, "a").type, "ready");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
