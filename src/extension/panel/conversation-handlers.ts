/** The conversation: its turn, its context, its subagents and the commands that run in it. */

import * as vscode from "vscode";
import { sliceBefore } from "../../chat/chat-slices.ts";
import { shownChat } from "../../chat/shown-chat.ts";
import { t } from "../../l10n/l10n.ts";
import type { Models } from "../models/models.ts";
import { chooseModel } from "../sessions/choices.ts";
import type { Handlers, PanelContext } from "./handlers.ts";

export function conversationHandlers({ conversations, memory, prepare, send }: PanelContext, models: Models) {
  const session = () => conversations.current;
  const tryAgain = async () => {
    chooseModel(session(), models, memory);
    await session().tryAgain();
  };
  return {
    async stop() {
      if (session().running || !conversations.runsElsewhere) return await session().stop();
      const message = t("This session runs in another window or process.");
      send({ type: "notice", message, next: t("Stop it there."), fix: "none" });
    },
    async compact({ goOn }) {
      await prepare();
      const compacted = session();
      chooseModel(compacted, models, memory);
      const { reason } = await compacted.compact();
      if (goOn && reason === "end_turn") await compacted.tryAgain();
    },
    "retry-now": () => session().retryNow(),
    "try-again": tryAgain,
    "set-time-limit": async ({ seconds }) => {
      const settings = vscode.workspace.getConfiguration("rondo.loop");
      await settings.update("executionTimeoutSeconds", seconds, vscode.ConfigurationTarget.Global);
      await tryAgain();
    },
    "set-reply-limit": async ({ replies }) => {
      const settings = vscode.workspace.getConfiguration("rondo");
      // A value of the workspace would stand above the user's.
      const isOfWorkspace = settings.inspect("maxTurns")?.workspaceValue !== undefined;
      const { Global, Workspace } = vscode.ConfigurationTarget;
      await settings.update("maxTurns", replies, isOfWorkspace ? Workspace : Global);
      await tryAgain();
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
