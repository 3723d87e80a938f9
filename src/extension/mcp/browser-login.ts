/** The user's browser, as servers sign in with it; what is won by it goes to VS Code's secret storage. */
import { createHash } from "node:crypto";
import * as vscode from "vscode";
import type { LoginHost } from "../../mcp/connection/oauth-login.ts";

/** The address of a server is part of the name, so that no other server is given its tokens. */
const secretName = (server: string) => `rondo.mcp.${createHash("sha256").update(server).digest("hex")}`;

const backPath = "/mcp-auth";

export class BrowserLogin implements LoginHost, vscode.UriHandler, vscode.Disposable {
  readonly #secrets: vscode.SecretStorage;
  readonly #openInBrowser: (address: string) => Thenable<boolean>;
  /** By state. */
  readonly #waiting = new Map<string, (answer: URLSearchParams) => void>();
  #handler: vscode.Disposable | undefined;

  /** `openInBrowser`: tests have a browser of their own. */
  constructor(secrets: vscode.SecretStorage, openInBrowser = openExternal) {
    this.#secrets = secrets;
    this.#openInBrowser = openInBrowser;
  }

  async redirectUrl(): Promise<string> {
    const own = vscode.Uri.parse(`${vscode.env.uriScheme}://rondo.rondo${backPath}`);
    // In a browser or over a remote connection it is another address that leads here.
    return (await vscode.env.asExternalUri(own)).toString(true);
  }

  async open(url: URL): Promise<void> {
    if (!(await this.#openInBrowser(url.href))) throw new Error("The browser was not opened.");
  }

  waitForRedirect(state: string, signal: AbortSignal): Promise<URLSearchParams> {
    // Rondo is active as long as somebody waits, so that nothing has to activate it for this.
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

  /** What does not name a sign-in that somebody waits for is passed over: any program can open such an address. */
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
  // A `Uri` forgets which characters were escaped, and an address within an address is then taken apart wrongly. VS Code
  // takes a string as well, and opens it as it is.
  return vscode.env.openExternal(address as unknown as vscode.Uri);
}
