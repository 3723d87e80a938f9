/** Finds the newest plan of a conversation. Pure. */
import type { Entry } from "../../chat/apply.ts";
import { ownText, textOf } from "../../chat/words.ts";
import { buildPrompt } from "../../loop/session/plan-offer.ts";

/**
 * Returns the reply in which it stands: the answer that was built last, or a newer one that was given in Plan mode; the
 * newest answer where there is neither. What is said while a plan is built is none.
 */
export function newestPlan(messages: readonly Entry[]): string | undefined {
  let isPlanning = false;
  let answer: string | undefined;
  let plan: string | undefined;
  for (const { info, parts } of messages) {
    if (info.role === "user") {
      for (const part of parts) {
        const mode = part.type === "text" ? part.told?.["mode"] : undefined;
        if (mode !== undefined) isPlanning = mode === "plan";
      }
      if (ownText(parts) === buildPrompt) plan = answer;
    } else if (!info.summary && !info.silent && info.finish === "stop" && textOf(parts).trim() !== "") {
      answer = info.id;
      if (isPlanning) plan = answer;
    }
  }
  return plan ?? answer;
}
