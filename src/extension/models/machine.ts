/** Names the machine where the extension runs, which is the one whose local servers it finds. */
import { hostname } from "node:os";
import * as vscode from "vscode";

/** Returns "on this machine", or where else: "on the remote machine (SSH: build-box)". */
export function whereServersRun(remoteName = vscode.env.remoteName): string {
  switch (remoteName) {
    case undefined:
      return "on this machine";
    case "wsl":
      return `in WSL (${process.env["WSL_DISTRO_NAME"] ?? hostname()})`;
    case "dev-container":
    case "attached-container":
      return `in the container (${hostname()})`;
    case "codespaces":
      return "in the codespace";
    case "ssh-remote":
      return `on the remote machine (SSH: ${hostname()})`;
    default:
      return `on the remote machine (${hostname()})`;
  }
}
