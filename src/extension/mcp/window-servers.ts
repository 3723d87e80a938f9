/** MCP servers of a window: the user's, the workspace's once the user has allowed them, and signing in. */

import { createHash } from "node:crypto";
import * as vscode from "vscode";
import * as z from "zod/mini";
import { version } from "../../base/version.ts";
import { t } from "../../l10n/l10n.ts";
import { loadServers } from "../../mcp/config/server-config.ts";
import type { LoginHost } from "../../mcp/connection/oauth-login.ts";
import { McpServers } from "../../mcp/mcp-servers.ts";
import type { ReadBoundary } from "../../tools/node-host/config-files.ts";
import { openFolders } from "../host/documents.ts";
import { readSettings } from "../settings.ts";

/** Key of the fingerprints of servers that the user has allowed; VS Code keeps them where no agent can write. */
const allowedKey = "rondo.mcpAllowed";
/** Maximum number of fingerprints. The oldest ones belong to servers that have changed since. */
const maxAllowed = 200;
/** Delay of a refresh: a file often changes several times in a row. */
const refreshDelayMs = 200;

interface WindowServersOptions {
  memory: vscode.Memento;
  secrets: vscode.SecretStorage;
  boundary(): ReadBoundary;
  log: vscode.LogOutputChannel;
  onChange(): void;
}

export class WindowServers implements vscode.Disposable {
  readonly servers: McpServers;
  readonly #memory: vscode.Memento;
  readonly #login: BrowserLogin;
  readonly #own: vscode.Disposable[] = [];
  #channel: vscode.OutputChannel | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ memory, secrets, boundary, log, onChange }: WindowServersOptions) {
    this.#memory = memory;
    this.#login = new BrowserLogin(secrets);
    this.servers = new McpServers({
      load: () =>
        loadServers({
          caller: undefined,
          // Only the user's own settings count: a workspace uses `.mcp.json`, which needs the user's consent.
          settings: vscode.workspace.getConfiguration("rondo").inspect("mcpServers")?.globalValue,
          folders: openFolders(),
          trusted: vscode.workspace.isTrusted,
          boundary: boundary(),
          env: process.env,
          passed: readSettings().terminal.passEnvironment,
        }),
      consent: { has: (fingerprint) => this.#allowed.includes(fingerprint), give: (one) => this.#allow(one) },
      folders: openFolders,
      env: process.env,
      version,
      loginHost: this.#login,
      log: (server, line) => this.#log.appendLine(`${new Date().toISOString()} [${server}] ${line}`),
      onProblem: (sentence) => log.warn(sentence),
    });
    this.servers.onChange(onChange);
    const refresh = () => this.#refreshSoon();
    // The panel lists servers before the first message, so files are watched from the start.
    const files = vscode.workspace.createFileSystemWatcher("**/.mcp.json");
    this.#own.push(
      this.#login,
      files,
      files.onDidCreate(refresh),
      files.onDidChange(refresh),
      files.onDidDelete(refresh),
      vscode.workspace.onDidChangeConfiguration((event) => {
        const names = ["rondo.mcpServers", "rondo.terminal.passEnvironment"];
        if (names.some((name) => event.affectsConfiguration(name))) refresh();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(refresh),
      vscode.workspace.onDidGrantWorkspaceTrust(refresh),
    );
    refresh();
  }

  async act(name: string, action: "start" | "stop" | "allow" | "sign-in" | "show-log"): Promise<void> {
    if (action === "show-log") this.#log.show(true);
    else await this.servers.act(name, action);
  }

  /** Ends all servers. Resolves when none of their processes is left. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.servers.dispose();
  }

  dispose(): void {
    void this.stop();
    for (const one of this.#own) one.dispose();
    this.#channel?.dispose();
  }

  get #log(): vscode.OutputChannel {
    this.#channel ??= vscode.window.createOutputChannel("Rondo: MCP");
    return this.#channel;
  }

  get #allowed(): string[] {
    return z.array(z.string()).safeParse(this.#memory.get(allowedKey)).data ?? [];
  }

  #allow(fingerprint: string): void {
    const others = this.#allowed.filter((one) => one !== fingerprint);
    void this.#memory.update(allowedKey, [...others, fingerprint].slice(-maxAllowed));
  }

  #refreshSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.servers.refresh(), refreshDelayMs);
  }
}

// Signs in to MCP servers with the user's browser. The tokens are kept in VS Code's secret storage.

/** The name contains the server's address, so that no other server gets its tokens. */
const secretName = (server: string) => `rondo.mcp.${createHash("sha256").update(server).digest("hex")}`;

const backPath = "/mcp-auth";

export class BrowserLogin implements LoginHost, vscode.UriHandler, vscode.Disposable {
  readonly #secrets: vscode.SecretStorage;
  readonly #openInBrowser: (address: string) => Thenable<boolean>;
  /** By the `state` parameter of the sign-in. */
  readonly #waiting = new Map<string, (answer: URLSearchParams) => void>();
  #handler: vscode.Disposable | undefined;

  /** `openInBrowser` is replaced by tests. */
  constructor(secrets: vscode.SecretStorage, openInBrowser = openExternal) {
    this.#secrets = secrets;
    this.#openInBrowser = openInBrowser;
  }

  async redirectUrl(): Promise<string> {
    const own = vscode.Uri.parse(`${vscode.env.uriScheme}://rondo.rondo${backPath}`);
    // In a browser or over a remote connection, another address leads here.
    return (await vscode.env.asExternalUri(own)).toString(true);
  }

  async open(url: URL): Promise<void> {
    if (!(await this.#openInBrowser(url.href))) throw new Error(t("The browser was not opened."));
  }

  waitForRedirect(state: string, signal: AbortSignal): Promise<URLSearchParams> {
    // Rondo is active while a sign-in waits, so no activation event is needed.
    this.#handler ??= vscode.window.registerUriHandler(this);
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#waiting.delete(state);
        reject(signal.reason);
      };
      signal.addEventListener("abort", stop, { once: true });
      this.#waiting.set(state, (answer) => {
        signal.removeEventListener("abort", stop);
        this.#waiting.delete(state);
        resolve(answer);
      });
    });
  }

  /** Ignores addresses without the state of a waiting sign-in: any program can open them. */
  handleUri({ path, query }: vscode.Uri): void {
    if (path !== backPath) return;
    const answer = new URLSearchParams(query);
    this.#waiting.get(answer.get("state") ?? "")?.(answer);
  }

  async load(server: string): Promise<string | undefined> {
    return await this.#secrets.get(secretName(server));
  }

  async save(server: string, secret: string | undefined): Promise<void> {
    if (secret === undefined) await this.#secrets.delete(secretName(server));
    else await this.#secrets.store(secretName(server), secret);
  }

  dispose(): void {
    this.#handler?.dispose();
  }
}

function openExternal(address: string): Thenable<boolean> {
  // A `Uri` forgets which characters were escaped, which breaks an address inside an address. VS Code accepts a string,
  // too, and opens it unchanged.
  return vscode.env.openExternal(address as unknown as vscode.Uri);
}
