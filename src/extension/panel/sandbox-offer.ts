/** Offers the sandbox to a user who chooses the mode Bypass. */
import * as vscode from "vscode";
import { systemProblem } from "../../tools/sandbox/sandbox.ts";
import { openFolders } from "../host/documents.ts";
import { readSettings } from "../settings.ts";

const offered = "rondo.sandboxOffered";

/** Once, and only where the sandbox can be had. `memory`: for all workspaces. */
export async function offerSandbox(memory: vscode.Memento): Promise<void> {
  if (readSettings().sandbox !== "off" || memory.get(offered, false)) return;
  if ((await systemProblem(openFolders(), "workspace")) !== undefined) return;
  await memory.update(offered, true);
  const ways = { "Without Network": "workspace", "With Network": "workspace-network" } as const;
  const names: (keyof typeof ways)[] = ["Without Network", "With Network"];
  const message =
    "In Bypass, commands run without asking. In a sandbox they can write only in the workspace. Turn the sandbox on?";
  const chosen = await vscode.window.showInformationMessage(message, ...names);
  if (chosen === undefined) return;
  const settings = vscode.workspace.getConfiguration("rondo");
  await settings.update("sandbox", ways[chosen], vscode.ConfigurationTarget.Global);
}
