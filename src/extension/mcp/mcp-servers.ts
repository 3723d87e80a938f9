/** MCP servers in a window: the user's settings, the workspace's files once they are allowed, and signing in. */
import * as vscode from "vscode";
import * as z from "zod/mini";
import { version } from "../../chat/version.ts";
import { type Loaded, loadServers } from "../../mcp/config/server-config.ts";
import { McpServers } from "../../mcp/servers.ts";
import { BrowserLogin } from "./browser-login.ts";

/** Servers of the workspace that the user has allowed, by fingerprint; kept where nobody but VS Code writes. */
const allowedKey = "rondo.mcpAllowed";
/** More are not kept: the oldest have long been changed. */
const mostAllowed = 200;
/** Files often change several times at once; in ms. */
const settled = 200;

interface McpParts {
  /** Of the workspace. */
  memory: vscode.Memento;
  secrets: vscode.SecretStorage;
  log: vscode.LogOutputChannel;
  /** The views of servers have changed. */
  onChange(): void;
}

export class Mcp implements vscode.Disposable {
  readonly servers: McpServers;
  readonly #memory: vscode.Memento;
  readonly #login: BrowserLogin;
  readonly #own: vscode.Disposable[] = [];
  #channel: vscode.OutputChannel | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ memory, secrets, log, onChange }: McpParts) {
    this.#memory = memory;
    this.#login = new BrowserLogin(secrets);
    this.servers = new McpServers({
      load: loadConfigured,
      consent: { has: (fingerprint) => this.#allowed.includes(fingerprint), give: (one) => this.#allow(one) },
      folders: openFolders,
      env: process.env,
      version,
      loginPlace: this.#login,
      log: (server, line) => this.#log.appendLine(`${new Date().toISOString()} [${server}] ${line}`),
      onProblem: (sentence) => log.warn(sentence),
    });
    this.servers.onChange(onChange);
    const refresh = () => this.#refreshSoon();
    // Watching begins at once, so that the panel knows of a server before the first message.
    const files = vscode.workspace.createFileSystemWatcher("**/.mcp.json");
    this.#own.push(
      this.#login,
      files,
      files.onDidCreate(refresh),
      files.onDidChange(refresh),
      files.onDidDelete(refresh),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("rondo.mcpServers") && refresh()),
      vscode.workspace.onDidChangeWorkspaceFolders(refresh),
      vscode.workspace.onDidGrantWorkspaceTrust(refresh),
    );
    refresh();
  }

  /** What a button of the panel wants. */
  async act(name: string, action: "start" | "stop" | "allow" | "sign-in" | "show-log"): Promise<void> {
    if (action === "show-log") this.#log.show(true);
    else await this.servers.act(name, action);
  }

  /** Resolves when no process of a server is left. */
  async leave(): Promise<void> {
    clearTimeout(this.#timer);
    await this.servers.dispose();
  }

  dispose(): void {
    void this.leave();
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
    void this.#memory.update(allowedKey, [...others, fingerprint].slice(-mostAllowed));
  }

  #refreshSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.servers.refresh(), settled);
  }
}

/** Of the setting only what the user says counts: a workspace has `.mcp.json`, which is asked about. */
function loadConfigured(): Loaded {
  return loadServers({
    caller: undefined,
    settings: vscode.workspace.getConfiguration("rondo").inspect("mcpServers")?.globalValue,
    folders: openFolders(),
    trusted: vscode.workspace.isTrusted,
    env: process.env,
  });
}

function openFolders(): string[] {
  const uris = vscode.workspace.workspaceFolders?.map(({ uri }) => uri) ?? [];
  return uris.filter(({ scheme }) => scheme === "file").map(({ fsPath }) => fsPath);
}
