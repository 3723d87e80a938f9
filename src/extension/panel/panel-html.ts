import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

/** Returns the panel's page. Its policy allows only Rondo's own script, styles and font, and no network access. */
export function panelHtml(webview: vscode.Webview, extensionUri: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64");
  const asset = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, "dist", name)).toString();
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    "img-src data:",
    `script-src 'nonce-${nonce}'`,
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${asset("style.css")}">
<title>Rondo</title>
</head>
<body>
<div id="root"></div>
<script nonce="${nonce}" src="${asset("panel.js")}"></script>
</body>
</html>`;
}
