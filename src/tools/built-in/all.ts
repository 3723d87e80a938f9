/** All built-in tools by name, in the order in which models get them. Each has its lines in `src/chat/tool-cards.ts`. */
import type { ToolName } from "../../chat/tool-cards.ts";
import type { Tool } from "../tool.ts";
import { applyPatch } from "./apply-patch.ts";
import { askUser } from "./ask-user.ts";
import { bashKill } from "./bash-kill.ts";
import { bashOutput } from "./bash-output.ts";
import { codeAction } from "./code-action.ts";
import { core } from "./core.ts";
import { diagnostics } from "./diagnostics.ts";
import { multiEdit } from "./multi-edit.ts";
import { notebookEdit } from "./notebook-edit.ts";
import { renameSymbol } from "./rename-symbol.ts";
import { symbols } from "./symbols.ts";
import { todoWrite } from "./todo-write.ts";
import { webFetch } from "./web-fetch.ts";

type Tools = { readonly [Name in ToolName]: Tool<Name> };

const everywhere = {
  ...core,
  bash_output: bashOutput,
  bash_kill: bashKill,
  multi_edit: multiEdit,
  apply_patch: applyPatch,
  notebook_edit: notebookEdit,
  todo_write: todoWrite,
  ask_user: askUser,
  web_fetch: webFetch,
} satisfies Partial<Tools>;

/** Of hosts that are editors. */
const inEditors = {
  diagnostics,
  symbols,
  rename_symbol: renameSymbol,
  code_action: codeAction,
} satisfies Partial<Tools>;

/** Those that are made from what there is: one for the agents, one for the tools of servers. */
type MadeLater = "task" | "tool_search";

const all: Omit<Tools, MadeLater> = { ...everywhere, ...inEditors };

/** `editor`: whether the host is an editor, which knows problems and symbols. */
export function builtInTools({ editor }: { editor: boolean }): Tool[] {
  return Object.values(editor ? all : everywhere);
}
