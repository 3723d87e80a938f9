import type * as vscode from "vscode";
import { ModelError } from "../../loop/model.ts";
import { AnswerError } from "../../loop/permissions/open-requests.ts";
import { IntakeError } from "../../loop/session/intake-error.ts";
import { RecordError } from "../../loop/storage.ts";
import { ImportError } from "../../loop/transfer/import.ts";
import { WorktreeError } from "../../worktrees/git.ts";
import { AttachError } from "./attachments.ts";

/** Says in two sentences what failed and what to do next. An unexpected error is logged with its stack. */
export function explainError(error: unknown, log: vscode.LogOutputChannel): { message: string; next: string } {
  if (
    error instanceof ModelError ||
    error instanceof RecordError ||
    error instanceof AttachError ||
    error instanceof WorktreeError
  )
    return { message: error.message, next: error.next };
  if (error instanceof IntakeError || error instanceof ImportError || error instanceof AnswerError) {
    return { message: error.message, next: "" };
  }
  log.error("Something went wrong", error);
  const message = error instanceof Error ? error.message : String(error);
  return { message, next: 'Details are in the log: "Rondo: Show Log".' };
}
