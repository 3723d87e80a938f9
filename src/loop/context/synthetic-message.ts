/** Messages that Rondo itself says to the model in the midst of a turn; the panel does not show them as the user's. */
import { newID } from "../../chat/ids.ts";
import type { UserMessage } from "../../chat/message.ts";
import type { Turn } from "../turn.ts";

/** Answered with the agent and the model of `like`. */
export function addSyntheticMessage(turn: Turn, like: UserMessage, text: string, silent = false): UserMessage {
  const { agent, model, system, variant, tools, sessionID } = like;
  const message: UserMessage = {
    id: newID("msg"),
    sessionID,
    createdAt: Date.now(),
    role: "user",
    agent,
    model,
    ...(system !== undefined && { system }),
    ...(variant !== undefined && { variant }),
    ...(tools && { tools }),
    ...(silent && { silent }),
  };
  turn.emit({ type: "message", message });
  const part = { id: newID("prt"), sessionID, messageID: message.id, type: "text", text, synthetic: true } as const;
  turn.emit({ type: "part", part });
  return message;
}
