/** All built-in tools, in the order in which models get them. */
import type { Tool } from "../tool.ts";
import { applyPatch } from "./apply-patch.ts";
import { askUser } from "./ask-user.ts";
import { bashKill } from "./bash-kill.ts";
import { bashOutput } from "./bash-output.ts";
import { codeAction } from "./code-action.ts";
import { coreTools } from "./core.ts";
import { diagnostics } from "./diagnostics.ts";
import { multiEdit } from "./multi-edit.ts";
import { notebookEdit } from "./notebook-edit.ts";
import { renameSymbol } from "./rename-symbol.ts";
import { symbols } from "./symbols.ts";
import { todoWrite } from "./todo-write.ts";
import { webFetch } from "./web-fetch.ts";

/** `editor`: whether the host is an editor, which knows problems and symbols. */
export function builtInTools({ editor }: { editor: boolean }): Tool[] {
  const furtherTools = [bashOutput, bashKill, multiEdit, applyPatch, notebookEdit, todoWrite, askUser, webFetch];
  return [...coreTools, ...furtherTools, ...(editor ? [diagnostics, symbols, renameSymbol, codeAction] : [])];
}
