/** Signs in to MCP servers with the user's browser. The tokens are kept in VS Code's secret storage. */

import { createHash } from "node:crypto";
import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import type { LoginHost } from "../../mcp/connection/oauth-login.ts";

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
