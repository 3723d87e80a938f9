/** Shows the first page in the view, before the rest of Rondo is loaded. */

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import * as vscode from "vscode";
import { isRecord } from "../../base/json.ts";
import type { StartAgain, StartFailure } from "../../chat/start-failure.ts";
import { deferred } from "../../loop/session/deferred.ts";
import { jsonForPage, pageHtml } from "./page-html.ts";

/** A view with its page, until the panel has taken it over. */
export interface EarlyView {
  readonly view: vscode.WebviewView;
  /** Resolves when the page runs. */
  readonly loaded: Promise<void>;
  /** Whether VS Code has removed the view meanwhile. */
  readonly isGone: boolean;
  /** Says on the page that the rest of Rondo cannot be started. The page can ask for another try. */
  failed(message: string): void;
  /** Returns what the page has sent so far, unless it is gone. From then on the panel must listen. */
  take(): unknown[];
}

/**
 * The page's policy allows only Rondo's own script, styles and font, and no network access. `again`: called when a page
 * whose host has failed asks for another try, or is shown again.
 */
export function openView(view: vscode.WebviewView, extensionUri: vscode.Uri, again: () => void): EarlyView {
  const { webview } = view;
  const dist = vscode.Uri.joinPath(extensionUri, "dist");
  webview.options = { enableScripts: true, localResourceRoots: [dist] };
  let messages: unknown[] = [];
  let isGone = false;
  let hasFailed = false;
  const loaded = deferred<void>();
  const listeners = [
    webview.onDidReceiveMessage((message: unknown) => {
      const type = isRecord(message) ? message["type"] : "";
      if (type !== ("start-again" satisfies StartAgain["type"])) messages.push(message);
      loaded.resolve();
      if (!hasFailed || (type !== "start-again" && type !== "ready")) return;
      hasFailed = false;
      again();
    }),
    // A hidden page is discarded. The next one asks again.
    view.onDidChangeVisibility(() => {
      messages = [];
    }),
    view.onDidDispose(() => {
      isGone = true;
    }),
  ];
  webview.html = pageHtml(template(dist), {
    source: webview.cspSource,
    dist: webview.asWebviewUri(dist).toString(),
    language: vscode.env.language,
    texts: jsonForPage(vscode.l10n.bundle ?? {}),
    nonce: randomBytes(16).toString("base64"),
  });
  return {
    view,
    loaded: loaded.promise,
    get isGone() {
      return isGone;
    },
    failed(message) {
      hasFailed = true;
      void webview.postMessage({ type: "start-failure", message } satisfies StartFailure);
    },
    take() {
      for (const listener of listeners) listener.dispose();
      return messages;
    },
  };
}

/** Returns the page in the language of VS Code; in English where there are no translations. */
function template(dist: vscode.Uri): string {
  const page = (name: string) => readFileSync(vscode.Uri.joinPath(dist, name).fsPath, "utf8");
  return page(vscode.l10n.bundle ? `page.${vscode.env.language}.html` : "page.html");
}
