/** What Rondo says outside of its panel: in a notification, in the status bar and on the view's badge. */

import { escapeInvisible } from "../base/escape-invisible.ts";
import { never } from "../base/never.ts";
import { counted, english, language, localized, t } from "../l10n/l10n.ts";
import { titleOf } from "./request-titles.ts";
import type { PermissionRequest, UserRequest } from "./requests.ts";

const maxChars = 200;

/** What a session wants that is not in sight, the most urgent first. */
export type Wish = "waits" | "works" | "failed" | "done";

/**
 * Returns a question as a sentence for a notification: what Rondo wants, and the worst reason why that asks. It holds
 * words of the model, so it has no brackets, which VS Code would make links of, and shows invisible characters.
 */
export function questionSentence(request: UserRequest): string {
  return asPlainText(wordsOf(request));
}

/** `title`: of the session. */
export function endSentence(end: "done" | "failed", title: string): string {
  const words = end === "done" ? t("Rondo is done") : t("Rondo has stopped with an error");
  return asPlainText(title === "" ? `${words}.` : `${words}: ${title}`);
}

/** Returns the text of the badge's tooltip. */
export function waitingWords(questions: number): string {
  return counted(questions, "1 question waits for you", "{0} questions wait for you");
}

function wordsOf(request: UserRequest): string {
  switch (request.kind) {
    case "permission":
      return permissionWords(request);
    case "choices":
      return t("Rondo has a question: {0}", titleOf(request));
    case "plan":
      return t("Rondo has a plan for you to read.");
    case "budget":
    case "loop":
      return titleOf(request);
    default:
      return never(request);
  }
}

function permissionWords(request: PermissionRequest): string {
  const reason = request.reasons[0]?.sentence ?? "";
  // One sentence in English, which orders its words so; other languages say it in two.
  if (/^en\b/.test(language()) && request.preview.type === "command" && reason.startsWith("It "))
    return english(`${wishOf(request)} that ${reason.slice("It ".length)}`);
  const sentence = localized(reason);
  return `${wishOf(request)}.${sentence && ` ${sentence}`}`;
}

function wishOf({ preview, tool }: PermissionRequest): string {
  switch (preview.type) {
    case "command":
      return t("Rondo wants to run a command");
    case "diff":
      return t("Rondo wants to change {0}", preview.diff.path);
    case "diffs":
      return t("Rondo wants to change {0} files", preview.diffs.length);
    case "deletion":
      return preview.files.length === 1
        ? t("Rondo wants to delete {0}", preview.files[0]?.path ?? "")
        : t("Rondo wants to delete {0} files", preview.files.length);
    case "page":
      return t("Rondo wants to read a web page");
    case "arguments":
      return preview.server === ""
        ? t("Rondo wants to use the tool {0}", preview.tool)
        : t("Rondo wants to use the tool {0} of {1}", preview.tool, preview.server);
    case "path":
    case "secret":
      return t("Rondo wants to use {0}", preview.path);
    case "text":
      return t("Rondo wants to use the tool {0}", tool);
    default:
      return never(preview);
  }
}

function asPlainText(text: string): string {
  const line = escapeInvisible(text.replace(/\s+/gu, " ").trim()).replaceAll("[", "(").replaceAll("]", ")");
  return line.length > maxChars ? `${line.slice(0, maxChars - 1)}…` : line;
}
