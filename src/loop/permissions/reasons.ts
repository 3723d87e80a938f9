/** Why a call asks, in words: what the card shows, the riskiest first. */
import { type AskReason, type Risk, risks, type TextRange } from "../../chat/requests.ts";
import type { PermissionRequirement } from "../../tools/tool.ts";
import type { Judgement } from "./rules.ts";

export interface Judged {
  need: PermissionRequirement;
  judgement: Judgement;
}

/** Returns a reason for each requirement that asks; those with the same sentence are joined. */
export function reasonsOf(asking: readonly Judged[], command: string): AskReason[] {
  const bySentence = new Map<string, AskReason>();
  for (const { need, judgement } of asking) {
    const sentence = need.effect === "" ? judgement.why : `It ${need.effect}.`;
    const reason = bySentence.get(sentence) ?? { risk: riskOf(need), sentence, detail: "", marks: [] };
    bySentence.set(sentence, { ...reason, marks: [...reason.marks, ...rangesOf(need.pattern, command)] });
  }
  return [...bySentence.values()].sort((one, other) => risks.indexOf(one.risk) - risks.indexOf(other.risk));
}

/** Returns why "Always allow" cannot be given for what asks. */
export function noAlwaysFor(always: readonly unknown[]): string {
  return always.length > 0 ? "" : "No rule can allow this. It is asked each time.";
}

function riskOf({ permission, protection, effect, match }: PermissionRequirement): Risk {
  if (/^deletes/.test(effect)) return "deletes";
  if (permission === "external_directory") return "outside";
  if (protection === "secret") return "secrets";
  if (match === "exact" && /cannot be parsed/.test(effect)) return "unreadable";
  return permission === "edit" ? "writes" : "no-rule";
}

function rangesOf(text: string, command: string): TextRange[] {
  const start = command.indexOf(text);
  return text === "" || start < 0 ? [] : [{ start, end: start + text.length }];
}
