/** What fills the window of a session now: with the prompt that waits for an answer, or before the next one. */

import type { ContextUse } from "../../chat/context-views.ts";
import { asBegun, pendingPrompt } from "../context/context.ts";
import { contextUse } from "../context/context-use.ts";
import type { Limits } from "../limits.ts";
import type { SessionState } from "./create-turn.ts";

/** Returns what the next request would hold, by the agent and the model that would answer it. */
export function presentContext({ chat, choices, resolver }: SessionState, limits: Limits): ContextUse {
  const { model, agent } = choices;
  const base = { id: "", sessionID: chat.session.id, createdAt: 0, role: "user" } as const;
  const asked = pendingPrompt(chat).user ?? { ...base, agent, model };
  const config = resolver.of(asked);
  const prompt = resolver.promptOf(config.agent, asked);
  return contextUse(chat, asBegun(chat, config), prompt, resolver.project, limits);
}
