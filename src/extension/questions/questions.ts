/** Requests that wait for the user: answers, previews, and checks of edited commands and rules. */

import type { CommandJudgement } from "../../chat/rule-views.ts";
import { t } from "../../l10n/l10n.ts";
import { tryRule } from "../../loop/permissions/examples.ts";
import type { Session } from "../../loop/session/session.ts";
import { ToolError } from "../../tools/tool.ts";
import { openPreview, proposedText } from "../answers/open.ts";
import type { Composer } from "../composer/composer.ts";
import type { Feature } from "../feature.ts";
import type { Handlers } from "../panel/handlers.ts";
import type { WindowServices } from "../services.ts";

export function questions({ page: { conversations, send } }: WindowServices, composer: Composer) {
  /** The text that the user sees now: what is found about an older one comes too late. */
  let newest = "";
  const handlers = {
    answer: async ({ requestID, answer }) => {
      const request = conversations.current.requests.find(requestID);
      const wasOpen = conversations.current.answer(requestID, answer);
      if (!wasOpen || answer.kind !== "plan" || answer.type !== "build") return;
      const planID = answer.fresh && request?.kind === "plan" ? request.messageID : undefined;
      await composer.startBuilding(answer.mode, planID);
    },
    "open-diff": ({ requestID }) => openPreview(conversations.current.chat, requestID),
    judge: async ({ requestID, command }) => {
      const { current } = conversations;
      const request = current.requests.find(requestID);
      const preview = request?.kind === "permission" ? request.preview : undefined;
      // An edited command leaves the sandbox as the original one would.
      const outsideSandbox = (preview?.type === "command" && preview.outsideSandbox) || "";
      newest = command;
      const judgement = await judge(current, command, outsideSandbox);
      if (newest === command) send({ type: "judged", requestID, judgement });
    },
    "try-rules": ({ requestID, rules }) => {
      const request = conversations.current.requests.find(requestID);
      if (request?.kind !== "permission") return;
      send({ type: "tried", requestID, rules, trials: rules.map((rule) => tryRule(rule, request)) });
    },
  } satisfies Partial<Handlers>;
  return { handlers, documents: { "rondo-proposed": proposedText } } satisfies Feature;
}

/**
 * Judges a command as if the model had called it. A command that a rule refuses before it is judged is denied; one whose
 * judging fails counts as one that cannot be read.
 */
export async function judge(session: Session, command: string, outsideSandbox = ""): Promise<CommandJudgement> {
  if (command.trim() === "") return { ...unjudged, command, decision: "ask" };
  try {
    return await session.judge(command, outsideSandbox);
  } catch (error) {
    if (!(error instanceof ToolError)) return { ...unjudged, ...unreadable, command, decision: "ask" };
    const part = { text: command, permission: "bash", effect: "", decision: "deny", why: error.message } as const;
    return { ...unjudged, command, decision: "deny", parts: [part] };
  }
}

const unreadable = {
  reasons: [{ risk: "unreadable" as const, sentence: t("Rondo cannot read this call."), detail: "", marks: [] }],
  noAlways: t("No rule can allow what Rondo cannot read."),
};
const unjudged = { parts: [], connectors: [], allowed: [], reasons: [], always: [], noAlways: "" };
