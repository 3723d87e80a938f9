/** Questions that wait for the user: their answers, their previews, and how an edited command or rule would be judged. */
import type { CommandJudgement } from "../../chat/protocol.ts";
import { examplesFor } from "../../loop/permissions/examples.ts";
import type { Session } from "../../loop/session/session.ts";
import { ToolError } from "../../tools/tool.ts";
import type { Handlers, PanelContext, PanelRequest } from "./handlers.ts";
import { openPreview } from "./open.ts";

export function questionHandlers({ conversations, send }: PanelContext) {
  return {
    answer: (request) => answer(conversations.current, request),
    "open-diff": ({ requestID }) => openPreview(conversations.current.chat, requestID),
    judge: async ({ requestID, command }) =>
      send({ type: "judged", requestID, judgement: await judge(conversations.current, command) }),
    "try-rules": ({ requestID, rules }) => {
      const open = conversations.current.permissions.find(requestID);
      if (!open) return;
      const { permission, patterns } = open.request;
      send({ type: "tried", requestID, examples: examplesFor(rules, permission, patterns) });
    },
  } satisfies Partial<Handlers>;
}

/** Judges a command as if the model had called it. A command that cannot be checked is denied. */
export async function judge(session: Session, command: string): Promise<CommandJudgement> {
  if (command.trim() === "") return { command, decision: "ask", parts: [], always: [] };
  try {
    return await session.judge(command);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const part = { text: command, permission: "bash", effect: "", decision: "deny", why: error.message } as const;
    return { command, decision: "deny", parts: [part], always: [] };
  }
}

/** The user may have changed the command that is allowed. */
function answer(session: Session, { requestID, answer }: PanelRequest<"answer">): void {
  if (answer.type !== "once" || answer.command === undefined) {
    session.answer(requestID, answer.type === "once" ? { type: "once" } : answer);
    return;
  }
  const { command } = answer;
  const input = session.permissions.find(requestID)?.question.input;
  session.answer(requestID, { type: "once", input: { ...input, command } });
}
