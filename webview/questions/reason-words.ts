/** Words about the reasons of a question. */
import type { AskReason, Risk } from "../../src/chat/requests.ts";
import { count } from "../lib/format.ts";

const words: Record<Risk, string> = {
  deletes: "deletes files",
  outside: "leaves the workspace",
  "network-code": "runs code from the network",
  secrets: "uses secrets",
  elsewhere: "changes something elsewhere",
  unreadable: "cannot be read",
  writes: "writes files",
  "no-rule": "no rule allows it yet",
};

/** Whether it cannot be undone, or nobody can tell. */
export function isRed({ risk }: AskReason): boolean {
  return risk === "deletes" || risk === "network-code" || risk === "unreadable";
}

/** "Deletes files · leaves the workspace · 2 more" */
export function worstOf(reasons: readonly AskReason[]): string {
  const all = [...new Set(reasons.map(({ risk }) => words[risk]))];
  const shown = all.length > 3 ? [...all.slice(0, 2), `${all.length - 2} more`] : all;
  const text = shown.join(" · ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What a screen reader says after the title: "2 reasons. It deletes 3 files. …" */
export function spoken(reasons: readonly AskReason[]): string {
  if (reasons.length === 0) return "";
  const texts = reasons.flatMap(({ sentence, detail }) => [sentence, detail]).filter((text) => text !== "");
  return [`${count(reasons.length, "reason")}.`, ...texts].join(" ");
}
