/** Names the machine where the extension runs, which is the one whose local servers it finds, and those servers. */

import { hostname } from "node:os";
import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import { localServers } from "../../providers/families/families.ts";

/** Returns "on this machine", or where else: "on the remote machine (SSH: build-box)". */
export function whereServersRun(remoteName = vscode.env.remoteName): string {
  switch (remoteName) {
    case undefined:
      return t("on this machine");
    case "wsl":
      return t("in WSL ({0})", process.env["WSL_DISTRO_NAME"] ?? hostname());
    case "dev-container":
    case "attached-container":
      return t("in the container ({0})", hostname());
    case "codespaces":
      return t("in the codespace");
    case "ssh-remote":
      return t("on the remote machine (SSH: {0})", hostname());
    default:
      return t("on the remote machine ({0})", hostname());
  }
}

/** Returns the names of the servers that are looked for: all but the last, as a list, and the last. */
export function soughtServers(): [string, string] {
  const names = localServers.map(([, { name }]) => name);
  const last = names.pop() ?? "";
  return [names.reduce((all, name) => t("{0}, {1}", all, name)), last];
}
