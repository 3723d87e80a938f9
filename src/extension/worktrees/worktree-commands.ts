/** Commands of tabs and worktrees. Their words are those of the panel. */
import { type Handlers, handle, type PanelContext, type PanelRequest } from "../panel/handlers.ts";
import type { Panel } from "../panel/panel.ts";
import { reportedIn } from "../panel/reported.ts";
import type { WorktreePage } from "./worktree-page.ts";

interface WorktreeCommandOptions {
  page: PanelContext;
  handlers: Handlers;
  panel: Panel;
  worktrees: WorktreePage;
}

export function worktreeCommands(options: WorktreeCommandOptions): Record<string, () => unknown> {
  const { page, handlers, panel, worktrees } = options;
  const { conversations, send } = page;
  const reported = reportedIn(page);
  /** With the panel on screen, and errors shown there. */
  const inPanel = (act: () => void | Promise<void>) =>
    reported(async () => {
      await panel.reveal();
      await page.prepare();
      await act();
    });
  const act = (action: PanelRequest<"worktree">["action"]) =>
    inPanel(() => handle(handlers, { type: "worktree", id: conversations.current.chat.session.id, action }));
  const goTo = (step: 1 | -1) =>
    inPanel(() => {
      const { tabs, current } = conversations;
      const at = tabs.findIndex(({ id }) => id === current.chat.session.id);
      const next = tabs.at((at + step) % tabs.length);
      if (next) conversations.show(next.id);
    });
  return {
    "rondo.nextSession": goTo(1),
    "rondo.previousSession": goTo(-1),
    "rondo.newInWorktree": inPanel(async () => {
      conversations.startNew();
      await handle(handlers, { type: "set-place", worktree: true });
    }),
    // The picker closes when the panel takes the focus, so the panel comes afterwards.
    "rondo.newWithTwoModels": reported(async () => {
      await page.prepare();
      if (!(await worktrees.chooseSecondModel())) return;
      conversations.startNew();
      await panel.reveal();
    }),
    "rondo.showSideBySide": inPanel(() => send({ type: "show-rivals" })),
    "rondo.compareWorktree": act("compare"),
    "rondo.mergeWorktree": act("merge"),
    "rondo.keepWorktreeBranch": act("keep-branch"),
    "rondo.throwAwayWorktree": act("throw-away"),
  };
}
