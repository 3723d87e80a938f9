/** Words about the reasons of a question. */

import type { AskReason, Risk } from "../../src/chat/requests.ts";
import { counted, localized, t } from "../../src/l10n/l10n.ts";

const words: Record<Risk, string> = {
  deletes: t("deletes files"),
  outside: t("leaves the workspace"),
  "network-code": t("runs code from the network"),
  secrets: t("uses secrets"),
  elsewhere: t("changes something elsewhere"),
  unreadable: t("cannot be read"),
  writes: t("writes files"),
  "no-rule": t("no rule allows it yet"),
};

/** Whether it cannot be undone, or nobody can tell. */
export function isRed({ risk }: AskReason): boolean {
  return risk === "deletes" || risk === "network-code" || risk === "unreadable";
}

/** "Deletes files · leaves the workspace · 2 more" */
export function worstOf(reasons: readonly AskReason[]): string {
  const all = [...new Set(reasons.map(({ risk }) => words[risk]))];
  const shown = all.length > 3 ? [...all.slice(0, 2), t("{0} more", all.length - 2)] : all;
  const text = shown.join(" · ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What a screen reader says after the title: "2 reasons. It deletes 3 files. …" */
export function spoken(reasons: readonly AskReason[]): string {
  if (reasons.length === 0) return "";
  const texts = reasons
    .flatMap(({ sentence, detail }) => [localized(sentence), localized(detail)])
    .filter((text) => text !== "");
  return [`${counted(reasons.length, "{0} reason", "{0} reasons")}.`, ...texts].join(" ");
}
