/** The worktrees of the window's sessions, and what git said of them last. */
import type { WorktreeView } from "../../chat/session-views.ts";
import { stateOfWorktree } from "../../worktrees/changes.ts";
import { folderOf } from "../../worktrees/create.ts";
import type { Worktree, WorktreeStore } from "../../worktrees/worktree-store.ts";

type AskedState = Pick<WorktreeView, "target" | "files" | "behind">;

export class KnownWorktrees {
  readonly store: WorktreeStore;
  readonly #states = new Map<string, AskedState>();
  #known = new Map<string, Worktree>();

  constructor(store: WorktreeStore) {
    this.store = store;
    this.reload();
  }

  /** Returns the session's worktree if it is ready to be worked in. */
  of(sessionID: string): Worktree | undefined {
    return this.#known.get(sessionID);
  }

  view(sessionID: string): WorktreeView | undefined {
    const worktree = this.of(sessionID);
    if (!worktree) return undefined;
    const state = this.#states.get(sessionID) ?? { target: "", files: undefined, behind: 0 };
    const rival = this.#known.has(worktree.rival) ? worktree.rival : "";
    return { branch: worktree.branch, rival, ...state };
  }

  /** Returns the folder of the session's own worktree; undefined if it works in the workspace. */
  folderOf(sessionID: string): string | undefined {
    const worktree = this.store.of(sessionID);
    return worktree && folderOf(worktree);
  }

  /** Reads the list anew: a worktree was made or removed. */
  reload(): void {
    const ready = this.store.all().filter(({ state }) => state === "ready");
    this.#known = new Map(ready.map((worktree) => [worktree.sessionID, worktree]));
    for (const id of this.#states.keys()) if (!this.#known.has(id)) this.#states.delete(id);
  }

  /** Reads the list, and asks git about each worktree. Never rejects. */
  async look(): Promise<void> {
    this.reload();
    for (const worktree of this.#known.values()) {
      const found = await stateOfWorktree(worktree).catch(() => undefined);
      if (!found) continue;
      const { target = "", files, behind } = found;
      this.#states.set(worktree.sessionID, { target, files: files.length, behind });
    }
  }
}
