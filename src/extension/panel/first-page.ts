/** Shows the first page in the view, before the rest of Rondo is loaded. */

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import * as vscode from "vscode";
import { deferred } from "../../loop/session/deferred.ts";
import { jsonForPage, pageHtml } from "./page-html.ts";

/** A view with its page, until the panel has taken it over. */
export interface EarlyView {
  readonly view: vscode.WebviewView;
  /** Resolves when the page runs. */
  readonly loaded: Promise<void>;
  /** Whether VS Code has removed the view meanwhile. */
  readonly isGone: boolean;
  /** Returns what the page has sent so far, unless it is gone. From then on the panel must listen. */
  take(): unknown[];
}

/** The page's policy allows only Rondo's own script, styles and font, and no network access. */
export function openView(view: vscode.WebviewView, extensionUri: vscode.Uri): EarlyView {
  const { webview } = view;
  const dist = vscode.Uri.joinPath(extensionUri, "dist");
  webview.options = { enableScripts: true, localResourceRoots: [dist] };
  let messages: unknown[] = [];
  let isGone = false;
  const loaded = deferred<void>();
  const listeners = [
    webview.onDidReceiveMessage((message: unknown) => {
      messages.push(message);
      loaded.resolve();
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
