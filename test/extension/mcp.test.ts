/** MCP servers in a window: workspace servers ask first, and signing in goes through VS Code. */

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { BrowserLogin, WindowServers } from "../../src/extension/mcp/window-servers.ts";
import { loadServers } from "../../src/mcp/config/server-config.ts";
import { McpServers } from "../../src/mcp/mcp-servers.ts";
import { oauth, serve } from "../mcp/http-server.ts";
import { usualBoundary } from "../read-boundary.ts";

/** VS Code gives its storages to an activated extension only, so these are maps. */
class Memory implements vscode.Memento {
  readonly #values = new Map<string, unknown>();
  keys = () => [...this.#values.keys()];
  get = (key: string, usual?: unknown): never => (this.#values.get(key) ?? usual) as never;

  async update(key: string, value: unknown): Promise<void> {
    this.#values.set(key, value);
  }
}

class Secrets implements vscode.SecretStorage {
  readonly kept = new Map<string, string>();
  readonly onDidChange = new vscode.EventEmitter<vscode.SecretStorageChangeEvent>().event;
  keys = async () => [...this.kept.keys()];
  get = async (key: string) => this.kept.get(key);
  store = async (key: string, value: string) => void this.kept.set(key, value);
  delete = async (key: string) => void this.kept.delete(key);
}

/** A server with one tool. */
const program = `
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    const results = {
      initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "a", version: "1" } },
      "tools/list": { tools: [{ name: "act", inputSchema: { type: "object" } }] },
    };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
  });
`;

const { signal } = new AbortController();

async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`It did not come to hold: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("MCP servers of the workspace", () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const file = path.join(folder, ".mcp.json");
  const log = vscode.window.createOutputChannel("Test", { log: true });
  const memory = new Memory();
  let place: string;
  let mcp: WindowServers;
  before(async () => {
    place = await mkdtemp(path.join(os.tmpdir(), "rondo-mcp-"));
    await writeFile(path.join(place, "server.cjs"), program);
  });
  beforeEach(() => {
    mcp = new WindowServers({ memory, secrets: new Secrets(), log, boundary: () => usualBoundary, onChange() {} });
  });
  afterEach(async () => {
    await mcp.stop();
    mcp.dispose();
  });
  after(async () => {
    await rm(file, { force: true });
    await rm(place, { recursive: true });
    log.dispose();
  });
  const write = (args: string[]) =>
    writeFile(file, JSON.stringify({ mcpServers: { ours: { command: process.execPath, args } } }));
  const state = () => mcp.servers.views().find(({ name }) => name === "ours")?.state.type;

  it("T11 are found when the file is written, and start once the user allows them", async () => {
    await write([path.join(place, "server.cjs")]);
    await until(() => state() === "asks");
    await mcp.servers.ready(signal);
    assert.equal(state(), "asks");
    await mcp.act("ours", "allow");
    assert.equal(state(), "ready");
    assert.deepEqual(
      mcp.servers.tools().map(({ name }) => name),
      ["mcp__ours__act"],
    );
  });

  it("T11 stay allowed in the next window until they change", async () => {
    await mcp.servers.ready(signal);
    assert.equal(state(), "ready");
    await write([path.join(place, "server.cjs"), "--more"]);
    await until(() => state() === "asks");
    assert.deepEqual(mcp.servers.tools(), []);
  });
});

describe("signing in to a server with VS Code", () => {
  it("T11 redirects to VS Code's own address and keeps the tokens in its secret storage", async () => {
    const guard = oauth(() => server.origin);
    const server = await serve(guard.way);
    const secrets = new Secrets();
    const opened: string[] = [];
    const login = new BrowserLogin(secrets, async (address) => {
      opened.push(address);
      const response = await fetch(address, { redirect: "manual" });
      const { searchParams } = new URL(response.headers.get("location") ?? "none:");
      const query = new URLSearchParams({
        code: searchParams.get("code") ?? "",
        state: searchParams.get("state") ?? "",
      });
      const back = vscode.Uri.parse(`${vscode.env.uriScheme}://rondo.rondo`);
      login.handleUri(back.with({ path: "/elsewhere", query: "code=stolen" }));
      login.handleUri(back.with({ path: "/mcp-auth", query: "code=stolen&state=another" }));
      login.handleUri(back.with({ path: "/mcp-auth", query: query.toString() }));
      return true;
    });
    const servers = new McpServers({
      load: () =>
        loadServers({
          caller: { http: { url: server.url } },
          settings: undefined,
          folders: [],
          trusted: true,
          boundary: usualBoundary,
          env: process.env,
        }),
      consent: { has: () => false, give() {} },
      folders: () => [],
      env: process.env,
      version: "0",
      loginHost: login,
      log() {},
      onProblem(sentence) {
        throw new Error(sentence);
      },
    });
    try {
      await servers.ready(signal);
      assert.deepEqual(servers.views()[0]?.state, { type: "sign-in" });
      assert.deepEqual(opened, []);
      await servers.act("http", "sign-in");
      assert.equal(servers.views()[0]?.state.type, "ready");
      assert.equal(opened.length, 1);
      const redirect = new URL(opened[0] ?? "").searchParams.get("redirect_uri") ?? "";
      assert.match(decodeURIComponent(redirect), /rondo\.rondo.*\/mcp-auth$/);
      assert.deepEqual(
        [...secrets.kept.keys()].map((key) => /^rondo\.mcp\.[0-9a-f]{64}$/.test(key)),
        [true],
      );
    } finally {
      await servers.dispose();
      login.dispose();
      await server.close();
    }
  });
});
