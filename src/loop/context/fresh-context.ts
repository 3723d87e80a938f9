/**
 * A fresh context for building a plan (C9): the plan takes the place of a summary, so that later requests begin with it
 * instead of the conversation in which it was made. The record keeps everything.
 * Its texts are for the model.
 */

import { newID } from "../../base/ids.ts";
import { findEntry } from "../../chat/apply.ts";
import type { AssistantMessage, UserMessage } from "../../chat/message.ts";
import { planText } from "../../chat/plan-text.ts";
import { noTokens } from "../../chat/token-counts.ts";
import { textOf } from "../../chat/words.ts";
import { pathOf } from "../setup/project.ts";
import type { ChatAccess, Turn } from "../turn.ts";
import { pendingPrompt } from "./context.ts";
import { carryPins, roomForPins } from "./pins.ts";
import { freshStart, planComments } from "./plan-start.ts";
import { renewPrefix } from "./prefix.ts";
import { tellUnpinned } from "./tell-unpinned.ts";
import { sizeOfText } from "./token-size.ts";

type FreshTurn = ChatAccess & Pick<Turn, "refresh" | "resolveConfig" | "project" | "limits" | "notifyUser">;

/** `agent`: the one that builds. `planID`: the reply in which the plan stands. Does nothing if it is gone. */
export function beginFresh(turn: FreshTurn, agent: string, planID: string): void {
  const plan = findEntry(turn.chat, planID);
  const { user } = pendingPrompt(turn.chat);
  if (plan?.info.role !== "assistant" || !user) return;
  const at = Date.now();
  const asked: UserMessage = { ...user, id: newID("msg"), createdAt: at, agent };
  const inAsked = () => ({ id: newID("prt"), sessionID: asked.sessionID, messageID: asked.id });
  const said = introduction(turn);
  turn.emit({ type: "message", message: asked });
  turn.emit({ type: "part", part: { type: "compaction", auto: false, plan: planID, ...inAsked() } });
  turn.emit({ type: "part", part: { type: "text", synthetic: true, text: said, ...inAsked() } });
  const text = planText(textOf(plan.parts));
  turn.refresh();
  const config = turn.resolveConfig(asked);
  const request = findEntry(turn.chat, asked.id);
  if (request) {
    const room = roomForPins(turn, config, request, sizeOfText(text));
    tellUnpinned(turn, carryPins(turn, request, room, true), "plan");
  }
  const { sessionID, model } = asked;
  const message: AssistantMessage = {
    ...{ id: newID("msg"), sessionID, createdAt: at, completedAt: at, role: "assistant", parentID: asked.id },
    ...{
      agent,
      model,
      path: pathOf(turn.chat.session, turn.project()),
      tokens: noTokens,
      summary: true,
      finish: "stop",
    },
  };
  turn.emit({ type: "message", message });
  const inMessage = { id: newID("prt"), sessionID, messageID: message.id };
  turn.emit({ type: "part", part: { type: "text", text, time: { start: at, end: at }, ...inMessage } });
  renewPrefix(turn, config);
}

function introduction({ chat: { messages, pieces } }: FreshTurn): string {
  const comments = planComments(messages.slice(freshStart(messages)), pieces);
  const said =
    "You planned a task with the user. They want it built with a fresh context: the conversation before is left out, and your plan follows.";
  if (comments.length === 0) return said;
  return `${said}\n\nWhat the user said about the plan while it was made:\n\n${comments.join("\n\n")}`;
}
