/** The conversation: its turn, its context, its subagents and the commands that run in it. */
import * as vscode from "vscode";
import { sliceBefore } from "../../chat/chat-slices.ts";
import { shownChat } from "../../chat/shown-chat.ts";
import type { Models } from "../models/models.ts";
import { chooseModel } from "../sessions/choices.ts";
import type { Handlers, PanelContext } from "./handlers.ts";

export function conversationHandlers({ conversations, memory, prepare, send }: PanelContext, models: Models) {
  const session = () => conversations.current;
  return {
    async stop() {
      if (session().running || !conversations.runsElsewhere) return await session().stop();
      send({ type: "notice", message: "This session runs in another window or process.", next: "Stop it there." });
    },
    async compact() {
      await prepare();
      chooseModel(session(), models, memory);
      await session().compact();
    },
    "retry-now": () => session().retryNow(),
    "try-again": () => {
      chooseModel(session(), models, memory);
      return session().tryAgain();
    },
    "set-time-limit": async ({ seconds }) => {
      const settings = vscode.workspace.getConfiguration("rondo.loop");
      await settings.update("executionTimeoutSeconds", seconds, vscode.ConfigurationTarget.Global);
      chooseModel(session(), models, memory);
      await session().tryAgain();
    },
    "continue-turn": () => {
      chooseModel(session(), models, memory);
      return session().continueTurn();
    },
    "show-context": () => send({ type: "context", use: session().contextUse() }),
    earlier({ before }) {
      const slice = sliceBefore(session().chat.messages, before);
      if (slice) send({ type: "earlier", before, ...slice });
    },
    "open-child": ({ sessionID }) => send({ type: "child", chat: shownChat(conversations.child(sessionID)) }),
    "end-command": async ({ id }) => void (await session().background.kill(id)),
    "to-background": ({ callID }) => void session().background.detach(callID),
    "end-call": ({ callID }) => void session().background.endCall(callID),
  } satisfies Partial<Handlers>;
}
