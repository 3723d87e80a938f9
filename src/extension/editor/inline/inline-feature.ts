/** "Edit with Rondo…" in the window, under its rules. */
import type * as vscode from "vscode";
import { presentMode } from "../../../loop/setup/agent-config.ts";
import type { Feature } from "../../feature.ts";
import type { WindowServices } from "../../services.ts";
import type { EditorWindow } from "../../window.ts";
import type { BriefModel } from "../brief-model.ts";
import { editPermission } from "./edit-permission.ts";
import { InlinePrompts } from "./inline-prompt.ts";

export function inlineFeature(
  { own }: EditorWindow,
  { files, host, page, review, rules }: WindowServices,
  model: BriefModel,
) {
  const mayEdit = async (uri: vscode.Uri) => {
    const mode = presentMode(page.conversations.current.choices);
    return editPermission(await host.workspace.locate(uri.fsPath), { mode, ...rules.inForce() });
  };
  const prompts = own(new InlinePrompts({ page, model, files, watch: review, mayEdit }));
  return { commands: { "rondo.inlinePrompt": () => prompts.show() } } satisfies Feature;
}
