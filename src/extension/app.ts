/** The composition root: what a window has, from top to bottom. `extension.ts` loads it when it is needed. */
import type * as vscode from "vscode";
import { Owned } from "../base/owned.ts";
import type { PanelState } from "../chat/panel-state.ts";
import { ServerPrompts } from "../mcp/prompts/server-prompts.ts";
import { symbolLinks } from "./answers/symbol-links.ts";
import { workbench } from "./answers/workbench.ts";
import { attaching } from "./attachments/attaching.ts";
import { EditorSelection } from "./attachments/selection.ts";
import { Bypass } from "./bypass/bypass.ts";
import { RestorePage } from "./checkpoints/restore-page.ts";
import { commentCommands } from "./comments/comment-commands.ts";
import { Comments } from "./comments/comments.ts";
import { Composer } from "./composer/composer.ts";
import { SlashCommands } from "./composer/slash-commands.ts";
import { keepContextKeys } from "./context-keys.ts";
import { conversation } from "./conversation/conversation.ts";
import { BriefModel } from "./editor/brief-model.ts";
import { commitFeature } from "./editor/commit/commit-feature.ts";
import { editorFeature } from "./editor/editor-feature.ts";
import { inlineFeature } from "./editor/inline/inline-feature.ts";
import { type Command, handlersOf, stateOf } from "./feature.ts";
import { following } from "./follow/following.ts";
import { mcpFeature } from "./mcp/mcp-feature.ts";
import { mentionFeature } from "./mentions/mention-feature.ts";
import { modelFeature } from "./models/model-feature.ts";
import { outside } from "./outside/outside.ts";
import type { Handlers } from "./panel/handlers.ts";
import type { Panel } from "./panel/panel.ts";
import { questions } from "./questions/questions.ts";
import { reviewFeature } from "./review/review-feature.ts";
import { rulesPage } from "./rules/rules-page.ts";
import { services } from "./services.ts";
import { projectFeature } from "./sessions/project-feature.ts";
import { SessionsPage } from "./sessions/sessions-page.ts";
import { Starters } from "./starters/starters.ts";
import { tour } from "./tour/tour.ts";
import { TracePage } from "./trace/trace-page.ts";
import { EditorWindow, type StartOptions } from "./window.ts";
import { RivalsPage } from "./worktrees/rivals-page.ts";
import { WorktreePage } from "./worktrees/worktree-page.ts";

export interface App {
  panel: Panel;
  commands: Record<string, Command>;
  /** Returns the text of a document with one of Rondo's schemes. */
  document(uri: vscode.Uri): Promise<string>;
  /** Stops everything that runs. Resolves when all events are on disk. */
  close(): Promise<void>;
}

/** Starts Rondo. If it throws, nothing of it is left, so that it can be started again. */
export function start(options: StartOptions): App {
  const owned = new Owned((error) => options.log.error("A part of Rondo could not be ended", error));
  try {
    const app = compose(new EditorWindow(options, owned));
    options.context.subscriptions.push(owned);
    return app;
  } catch (error) {
    owned.dispose();
    throw error;
  }
}

function compose(window: EditorWindow): App {
  const { own, panel } = window;
  const shared = services(window);
  const { files, ledger, mcp, models, page, projects } = shared;
  const review = reviewFeature(window, shared);
  const comments = own(new Comments(window.storage, shared));
  const selection = own(new EditorSelection({ files, memory: window.memory, changed: window.stateChanged }));
  const bypass = own(new Bypass(window, shared));
  const worktrees = new WorktreePage(window, shared);
  const composer = new Composer(page, {
    ...{ bypass, files, models, projects, selection, worktrees, comments: comments.threads, decided: review.settled },
    commands: new SlashCommands(() => projects.loadCommands(), new ServerPrompts(mcp.servers)),
  });
  const mentions = mentionFeature(window, shared, composer);
  const briefModel = new BriefModel({ models, agents: () => projects.load().agents, ledger });
  const features = [
    projectFeature(window, shared),
    modelFeature(window, shared, (ref) => composer.setModel(ref)),
    mcpFeature(shared),
    worktrees,
    own(new RivalsPage(window, shared, worktrees)),
    review,
    comments,
    { commands: commentCommands(comments, composer) },
    bypass,
    new SessionsPage(window, shared, composer, worktrees),
    conversation(panel, shared),
    panel,
    composer,
    questions(shared, composer),
    own(new RestorePage(window, shared)),
    rulesPage(panel, shared),
    own(new TracePage(window, shared)),
    mentions,
    selection,
    attaching(window, shared, composer, mentions.attach),
    symbolLinks(shared),
    workbench(window, shared, mentions.index),
    editorFeature(window, shared, composer),
    commitFeature(window, shared, briefModel),
    inlineFeature(window, shared, briefModel),
    following(window, shared),
    outside(window, shared),
    own(new Starters(shared)),
    tour(window, shared),
    // Not an array of one type, in which the compiler would leave out the features that are like others, but have more.
  ] as const;
  keepContextKeys(window, shared, worktrees);
  const handlers: Handlers = handlersOf(features);
  const state = (): PanelState => stateOf(features);
  const { conversations, prepare } = page;
  const { pageGone } = window;
  panel.fill({
    handlers,
    state,
    prepare,
    pageGone,
    chat: () => conversations.current.chat,
    draft: () => composer.draft,
  });
  return {
    panel,
    commands: window.run(features),
    document: (uri) => window.document(uri),
    close: () => window.close(() => conversations.closeAll()),
  };
}
