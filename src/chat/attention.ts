/** What Rondo says outside of its panel: in a notification, in the status bar and on the view's badge. */

import { escapeInvisible } from "../base/escape-invisible.ts";
import { counted, t } from "../l10n/l10n.ts";
import { sentenceOf } from "./request-kinds.ts";
import type { UserRequest } from "./requests.ts";

const maxChars = 200;

/** What a session wants that is not in sight, the most urgent first. */
export type Wish = "waits" | "works" | "failed" | "done";

/**
 * Returns a question as a sentence for a notification: what Rondo wants, and the worst reason why that asks. It holds
 * words of the model, so it has no brackets, which VS Code would make links of, and shows invisible characters.
 */
export function questionSentence(request: UserRequest): string {
  return asPlainText(sentenceOf(request));
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

function asPlainText(text: string): string {
  const line = escapeInvisible(text.replace(/\s+/gu, " ").trim()).replaceAll("[", "(").replaceAll("]", ")");
  return line.length > maxChars ? `${line.slice(0, maxChars - 1)}…` : line;
}
