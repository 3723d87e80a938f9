/** The conversation on screen: its turn, its context, its subagents and the commands that run in it. */

import { homedir } from "node:os";
import * as vscode from "vscode";
import { sliceBefore } from "../../chat/chat-slices.ts";
import type { ContextUse } from "../../chat/context-views.ts";
import { shownChat } from "../../chat/shown-chat.ts";
import { t } from "../../l10n/l10n.ts";
import { contextShare } from "../../loop/context/context-share.ts";
import { costOfSession } from "../../loop/session/budget.ts";
import type { Session } from "../../loop/session/session.ts";
import { cacheLifetime, isExpired } from "../../providers/families/cache-lifetime.ts";
import type { Feature } from "../feature.ts";
import { openFolders } from "../host/documents.ts";
import type { Handlers, PanelRequest } from "../panel/handlers.ts";
import type { Panel } from "../panel/panel.ts";
import { reportedIn } from "../panel/reported.ts";
import type { WindowServices } from "../services.ts";
import { chooseModel } from "../sessions/choices.ts";
import { configPlace } from "./config-place.ts";

/** Adds what only the window knows to what a session says of its context. */
function contextView(session: Session, runsElsewhere: boolean, folders: readonly string[]): ContextUse {
  const use = session.contextUse();
  const cache = use.cache && { ...use.cache, lifetime: cacheLifetime(use.cache) };
  return {
    ...use,
    cache,
    parts: use.parts.map((part) =>
      part.place?.type === "file"
        ? { ...part, place: { type: "file", path: configPlace(part.place.path, folders, homedir()) } }
        : part,
    ),
    // What has expired is sent anew anyway.
    dropCost: use.dropCost && cache && isExpired(cache, Date.now()) ? { usd: 0 } : use.dropCost,
    locked: !session.running && runsElsewhere,
  };
}

export function conversation(panel: Panel, { foldersOf, ledger, models, page }: WindowServices) {
  const { conversations, memory, prepare, send } = page;
  const session = () => conversations.current;
  const tryAgain = async () => {
    chooseModel(session(), models, memory);
    await session().tryAgain();
  };
  const mayChangeContext = () => {
    if (session().running || !conversations.runsElsewhere) return true;
    const message = t("This session runs in another window or process.");
    send({ type: "notice", message, next: t("Change its context there."), fix: "none" });
    return false;
  };
  async function stop(): Promise<void> {
    if (session().running || !conversations.runsElsewhere) return await session().stop();
    const message = t("This session runs in another window or process.");
    send({ type: "notice", message, next: t("Stop it there."), fix: "none" });
  }
  async function compact({ goOn, keep }: Pick<PanelRequest<"compact">, "goOn" | "keep">): Promise<void> {
    await prepare();
    const compacted = session();
    chooseModel(compacted, models, memory);
    const { reason } = await compacted.compact(keep);
    if (goOn && reason === "end_turn") await compacted.tryAgain();
  }
  /** Answers what is in sight, else brings it into sight. */
  const answered = (key: "confirm" | "dismiss") => () =>
    panel.isShown ? send({ type: "answer-key", key }) : panel.reveal();
  const reported = reportedIn(page);
  const handlers = {
    stop,
    compact,
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
    "show-context": () => {
      const use = contextView(session(), conversations.runsElsewhere, foldersOf(session().chat));
      send({ type: "context", use });
    },
    async "change-piece"({ partID, change }) {
      if (mayChangeContext()) await session().changePiece(partID, change);
    },
    async "change-pieces"({ change }) {
      if (mayChangeContext()) await session().changePieces(change);
    },
    earlier({ before }) {
      const slice = sliceBefore(session().chat.messages, before);
      if (slice) send({ type: "earlier", before, ...slice });
    },
    "open-child": ({ sessionID }) => send({ type: "child", chat: shownChat(conversations.child(sessionID)) }),
    "end-command": async ({ id }) => void (await session().background.kill(id)),
    "to-background": ({ callID }) => void session().background.detach(callID),
    "end-call": ({ callID }) => void session().background.endCall(callID),
  } satisfies Partial<Handlers>;
  return {
    handlers,
    commands: {
      // `extension.ts` has shown the view.
      "rondo.focus": () => send({ type: "focus" }),
      "rondo.stop": reported(stop),
      "rondo.allow": answered("confirm"),
      "rondo.deny": answered("dismiss"),
      "rondo.compact": reported(panel.revealed(() => compact({ goOn: false }))),
      "rondo.find": panel.revealed(() => send({ type: "find" })),
    },
    observer: {
      event(one, event) {
        if (one === session()) panel.event(event);
      },
      switched: () => panel.chatChanged(),
      trouble: (problem) => send({ type: "notice", ...problem }),
    },
    state() {
      const { chat } = session();
      const { usd, partial, estimated } = costOfSession(chat);
      return {
        trusted: vscode.workspace.isTrusted,
        hasFolder: openFolders().length > 0,
        virtualFolders: (vscode.workspace.workspaceFolders ?? [])
          .filter(({ uri }) => uri.scheme !== "file")
          .map(({ name }) => name),
        contextUsed: contextShare(chat, models.facts),
        cost: { session: usd, today: ledger.today(), partial, estimated },
      };
    },
  } satisfies Feature;
}
