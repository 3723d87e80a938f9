/** The tabs of a window: its sessions that run, wait, or have ended unseen, and those that the user was just in. */
import * as z from "zod/mini";
import { type SessionTab, tabStates } from "../../chat/session-views.ts";

const SavedTab = z.object({ id: z.string(), title: z.string(), state: z.enum(tabStates) });

/** Maximum number of tabs that are remembered over a reload. */
const maxSaved = 20;

export class SessionTabs {
  #tabs: SessionTab[] = [];
  #current = "";

  get list(): readonly SessionTab[] {
    return this.#tabs;
  }

  /**
   * Puts a session on screen. A tab that is pressed changes no other; a session without a tab gets one, and those that
   * nothing happens in make room for it.
   */
  show(tab: SessionTab): void {
    this.#current = tab.id;
    if (this.#has(tab.id)) this.#put(tab);
    else this.#tabs = [...this.#tabs.filter(({ state }) => state !== "idle"), tab];
  }

  /** Adds a session that works without being on screen. */
  add(tab: SessionTab): void {
    if (this.#has(tab.id)) this.update(tab);
    else this.#tabs = [...this.#tabs, tab];
  }

  /** Takes the present state. A session that has ended unseen is `done` until it is shown or works again. */
  update(tab: SessionTab): void {
    const before = this.#tabs.find(({ id }) => id === tab.id);
    const wasUnseen = before !== undefined && (before.state === "done" || isLive(before));
    const isUnseen = wasUnseen && tab.state === "idle" && tab.id !== this.#current;
    this.#put(isUnseen ? { ...tab, state: "done" } : tab);
  }

  /** Removes the tab. @returns the id of the session to show instead, if it was on screen and others are left */
  close(id: string): string | undefined {
    const at = this.#tabs.findIndex((tab) => tab.id === id);
    this.#tabs = this.#tabs.filter((tab) => tab.id !== id);
    if (id !== this.#current) return undefined;
    return (this.#tabs[at] ?? this.#tabs.at(-1))?.id;
  }

  /** Takes tabs of the window before a reload. Nothing runs in them any more. `exists`: whether there is a record. */
  restore(saved: unknown, exists: (id: string) => boolean): void {
    const tabs = z.array(SavedTab).safeParse(saved).data ?? [];
    const found = tabs.slice(-maxSaved).filter(({ id }) => exists(id) && !this.#has(id));
    const ended = found.map((tab) => (isLive(tab) ? { ...tab, state: "error" as const } : tab));
    this.#tabs = [...ended, ...this.#tabs];
  }

  #put(tab: SessionTab): void {
    this.#tabs = this.#tabs.map((other) => (other.id === tab.id ? tab : other));
  }

  #has(id: string): boolean {
    return this.#tabs.some((tab) => tab.id === id);
  }
}

/** Whether the session runs or waits for the user. */
export function isLive({ state }: Pick<SessionTab, "state">): boolean {
  return state === "running" || state === "asks";
}
