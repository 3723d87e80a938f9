/** Synthetic messages: Rondo's messages to the model. The panel does not show them as the user's. */
import { newID } from "../../base/ids.ts";
import type { UserMessage } from "../../chat/message.ts";
import type { ChatAccess } from "../turn.ts";

/** The message is answered by the agent and the model of `like`. */
export function addSyntheticMessage(turn: ChatAccess, like: UserMessage, text: string, silent = false): UserMessage {
  const message = newSyntheticMessage(turn, like, silent);
  const { sessionID, id: messageID } = message;
  turn.emit({ type: "part", part: { id: newID("prt"), sessionID, messageID, type: "text", text, synthetic: true } });
  return message;
}

/** Returns a message without parts, already in the chat. */
export function newSyntheticMessage(turn: ChatAccess, like: UserMessage, silent = false): UserMessage {
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
  return message;
}
