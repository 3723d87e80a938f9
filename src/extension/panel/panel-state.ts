/** The state that the panel shows beside the conversation, collected from those who own it. */

import * as vscode from "vscode";
import type { PanelState } from "../../chat/panel-state.ts";
import { t } from "../../l10n/l10n.ts";
import { contextShare } from "../../loop/context/context-share.ts";
import { costOfSession } from "../../loop/session/budget.ts";
import { presentMode } from "../../loop/setup/agent-config.ts";
import type { Ledger } from "../../loop/storage.ts";
import type { RestorePage } from "../checkpoints/restore-page.ts";
import type { Comments } from "../comments/comments.ts";
import type { Composer } from "../composer/composer.ts";
import type { Follow } from "../follow/follow.ts";
import { openFolders } from "../host/documents.ts";
import type { WindowServers } from "../mcp/window-servers.ts";
import { accountOf } from "../models/account.ts";
import type { Models } from "../models/models.ts";
import type { Review } from "../review/review.ts";
import type { ChangeAuthors } from "../sessions/change-authors.ts";
import { modelFor } from "../sessions/choices.ts";
import type { Conversations } from "../sessions/conversations.ts";
import type { Projects } from "../sessions/projects.ts";
import type { SessionMarks } from "../sessions/session-marks.ts";
import { readSettings } from "../settings.ts";
import type { Starters } from "../starters/starters.ts";
import type { WorktreePage } from "../worktrees/worktree-page.ts";

const maxRecent = 5;

interface StateSources {
  authors: ChangeAuthors;
  comments: Comments;
  composer: Composer;
  conversations: Conversations;
  follow: Follow;
  ledger: Ledger;
  marks: SessionMarks;
  mcp: WindowServers;
  memory: vscode.Memento;
  models: Models;
  projects: Projects;
  restorePage: RestorePage;
  review: Review;
  starters: Starters;
  worktrees: WorktreePage;
}

export function panelState({ composer, conversations, models, ...from }: StateSources): PanelState {
  const session = conversations.current;
  const { messages } = session.chat;
  const model = modelFor(session.chat.session.id, models, from.memory);
  const { usd, partial, estimated } = costOfSession(session.chat);
  return {
    readiness: models.readiness,
    mode: presentMode(session.choices),
    modeEndsAt: session.choices.modeEnd?.at,
    buildMode: session.buildMode,
    bypassMinutes: readSettings().bypassMs / 60_000,
    sandboxed: readSettings().sandbox !== "off",
    model: model && models.describe(model),
    models: models.choices,
    account: accountOf(messages.findLast(({ info }) => info.role === "assistant")?.info.model ?? model),
    trusted: vscode.workspace.isTrusted,
    hasFolder: openFolders().length > 0,
    virtualFolders: (vscode.workspace.workspaceFolders ?? [])
      .filter(({ uri }) => uri.scheme !== "file")
      .map(({ name }) => name),
    attachments: composer.attachments,
    attaching: composer.attaching,
    selection: composer.selection,
    comments: from.comments.threads.pending,
    review: from.review.files(),
    reviewBy: otherAuthors(from.authors, conversations),
    follow: from.follow.state,
    contextUsed: contextShare(session.chat, models.facts),
    cost: { session: usd, today: from.ledger.today(), partial, estimated },
    agents: from.projects.agents,
    commands: composer.commands,
    asking: composer.asking,
    agent: session.choices.agent,
    servers: from.mcp.servers.views(),
    restored: from.restorePage.last,
    worktree: from.worktrees.view(session.chat.session.id),
    next: from.worktrees.next,
    tabs: conversations.tabs.map((tab) => ({
      ...tab,
      title: from.worktrees.titleOf(tab.id, tab.title),
      state: from.marks.of(tab.id)?.state ?? tab.state,
    })),
    starters: messages.length === 0 ? from.starters.list() : [],
    recent: messages.length === 0 ? conversations.list().slice(0, maxRecent) : [],
  };
}

function otherAuthors(authors: ChangeAuthors, { current, tabs }: Conversations): PanelState["reviewBy"] {
  const own = current.chat.session.id;
  const others = [...authors.byPath()].filter(([, ids]) => ids.length > 0 && !ids.includes(own));
  const titleOf = (ids: readonly string[]) =>
    tabs.findLast(({ id }) => ids.includes(id))?.title ?? t("another session");
  return Object.fromEntries(others.map(([path, ids]) => [path, titleOf(ids)]));
}
