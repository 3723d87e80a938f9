import type * as vscode from "vscode";
import type { HostNotice, NoticeFix } from "../../chat/host-notice.ts";
import { localized, t } from "../../l10n/l10n.ts";
import { ModelError, type ModelErrorKind } from "../../loop/model.ts";
import { AnswerError } from "../../loop/permissions/open-requests.ts";
import { type IntakeCode, IntakeError } from "../../loop/session/intake-error.ts";
import { RecordError } from "../../loop/storage.ts";
import { ImportError } from "../../loop/transfer/import.ts";
import { ServerRequestError } from "../../mcp/request-failure.ts";
import { WorktreeError } from "../../worktrees/git.ts";
import { AttachError } from "../attachments/attachments.ts";
import { NoticeError } from "../notice-error.ts";

const modelFixes: Readonly<Partial<Record<ModelErrorKind, NoticeFix>>> = {
  "no-key": "connect",
  auth: "connect",
  quota: "choose-model",
  "no-access": "choose-model",
  flagged: "choose-model",
  "unknown-model": "choose-model",
  "images-refused": "choose-model",
  "context-full": "choose-model",
};

const intakeFixes: Readonly<Record<IntakeCode, NoticeFix>> = {
  "session-terminated": "new-session",
  "session-locked": "none",
  "queue-full": "none",
  "prompt-invalid": "none",
  "agent-not-found": "none",
  "agent-invalid": "show-log",
};

/** Says in two sentences what failed and what to do next. An unexpected error is logged with its stack. */
export function explainError(error: unknown, log: vscode.LogOutputChannel): HostNotice {
  // Its own sentence names a command, which the button runs.
  if (error instanceof ModelError) {
    const fix = modelFixes[error.kind] ?? "show-log";
    return { message: localized(error.message), next: fix === "show-log" ? localized(error.next) : "", fix };
  }
  if (error instanceof RecordError)
    return { message: localized(error.message), next: localized(error.next), fix: "show-log" };
  if (error instanceof NoticeError)
    return { message: localized(error.message), next: localized(error.next), fix: error.fix };
  if (error instanceof AttachError || error instanceof WorktreeError || error instanceof ServerRequestError) {
    return { message: localized(error.message), next: localized(error.next), fix: "none" };
  }
  if (error instanceof IntakeError)
    return { message: localized(error.message), next: "", fix: intakeFixes[error.code] };
  if (error instanceof ImportError || error instanceof AnswerError) {
    return { message: localized(error.message), next: "", fix: "none" };
  }
  log.error("Something went wrong", error);
  const message = error instanceof Error ? error.message : String(error);
  return { message, next: t("Details are in the log."), fix: "show-log" };
}
