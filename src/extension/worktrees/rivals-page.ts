/** Two sessions with the same task beside each other: what each model has answered and changed. */

import type { Chat } from "../../chat/apply.ts";
import type { RivalView } from "../../chat/session-views.ts";
import { t } from "../../l10n/l10n.ts";
import { type ChangedLines, changedLines } from "../../worktrees/changes.ts";
import { WorktreeError } from "../../worktrees/git.ts";
import type { Worktree } from "../../worktrees/worktree-store.ts";
import type { Feature } from "../feature.ts";
import type { Handlers, PanelContext } from "../panel/handlers.ts";
import type { WindowServices } from "../services.ts";
import type { SessionObserver } from "../sessions/observers.ts";
import type { EditorWindow } from "../window.ts";
import { compareRivals } from "./worktree-diff.ts";
import type { WorktreePage } from "./worktree-page.ts";

const updateIntervalMs = 250;
/** Maximum length of an answer that is shown; its end is left out. */
const maxAnswer = 20_000;

export class RivalsPage implements Feature {
  readonly #context: PanelContext;
  readonly #worktrees: WorktreePage;
  /** By session. Git is asked when a step or a turn has ended. */
  readonly #files = new Map<string, ChangedLines[]>();
  /** By session. The record of a session that is closed is read once. */
  readonly #answers = new Map<string, string>();
  #isShown = false;
  #timer: NodeJS.Timeout | undefined;

  readonly handlers = {
    "show-rivals": () => this.#show(),
    "hide-rivals": () => this.#hide(),
    "compare-rivals": async () => {
      const { rivals } = this.#worktrees;
      if (!rivals)
        throw new WorktreeError(t("No other model has this task."), t("Its work was merged or thrown away."));
      await compareRivals(...rivals);
    },
  } satisfies Partial<Handlers>;

  readonly observer = {
    event: ({ chat }, event) => {
      if (!this.#isShown) return;
      const worktree = this.#worktrees.rivals?.find((one) => one.sessionID === chat.session.id);
      if (!worktree) return;
      if (event.type === "ended" || (event.type === "part" && event.part.type === "patch")) void this.#look(worktree);
      this.#schedule();
    },
  } satisfies Partial<SessionObserver>;

  constructor(window: EditorWindow, { page }: WindowServices, worktrees: WorktreePage) {
    this.#context = page;
    this.#worktrees = worktrees;
    // Worktrees may have come or gone.
    window.onDidChangeState(() => this.#isShown && this.#schedule());
  }

  pageGone(): void {
    this.#hide();
  }

  #hide(): void {
    this.#isShown = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  dispose(): void {
    this.#hide();
  }

  #show(): void {
    this.#isShown = true;
    this.#answers.clear();
    this.#send();
    for (const worktree of this.#worktrees.rivals ?? []) void this.#look(worktree);
  }

  async #look(worktree: Worktree): Promise<void> {
    // It may be thrown away meanwhile.
    const files = await changedLines(worktree).catch(() => undefined);
    if (files) this.#files.set(worktree.sessionID, files);
    if (this.#isShown) this.#schedule();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.#send(), updateIntervalMs);
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { rivals = [] } = this.#worktrees;
    this.#context.send({ type: "rivals", rivals: rivals.map((worktree) => this.#view(worktree)) });
  }

  #view({ sessionID, branch }: Worktree): RivalView {
    const { conversations } = this.#context;
    const summary = conversations.list().find(({ id }) => id === sessionID);
    return {
      ...{ sessionID, branch, model: this.#worktrees.modelOf(sessionID) },
      state: summary?.state ?? "idle",
      doing: summary?.doing ?? "",
      answer: this.#answer(sessionID),
      files: this.#files.get(sessionID),
      cost: summary?.cost,
    };
  }

  #answer(sessionID: string): string {
    const { conversations } = this.#context;
    const open = conversations.openChat(sessionID);
    const known = this.#answers.get(sessionID);
    if (!open && known !== undefined) return known;
    // A session that has begun just now has no record yet.
    const answer = open || conversations.has(sessionID) ? newestWords(open ?? conversations.chat(sessionID)) : "";
    this.#answers.set(sessionID, answer);
    return answer;
  }
}

/** Returns the text of the newest reply that has one. */
function newestWords({ messages }: Chat): string {
  for (const { info, parts } of messages.toReversed()) {
    if (info.role !== "assistant") continue;
    const text = parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : [])).join("\n\n");
    if (text.trim() !== "") return text.length > maxAnswer ? `${text.slice(0, maxAnswer)}…` : text;
  }
  return "";
}
