/** Leaves the mode Bypass in the sessions of a window when its time is over, or the session is closed. */
import type * as vscode from "vscode";
import type { Session } from "../../loop/session/session.ts";
import type { SessionChoices } from "./choices.ts";

/** Maximum time between two looks at the clock: timers stand still while the computer sleeps. */
const maxWaitMs = 30_000;

interface BypassEndsOptions {
  choices: SessionChoices;
  sessions(): readonly Session[];
  stateChanged(): void;
}

export class BypassEnds implements vscode.Disposable {
  readonly #options: BypassEndsOptions;
  #timer: NodeJS.Timeout | undefined;
  /** The sessions with a tab. */
  #ids: readonly string[] = [];

  constructor(options: BypassEndsOptions) {
    this.#options = options;
  }

  /** To be called when a session was opened or its mode has changed. */
  check(): void {
    clearTimeout(this.#timer);
    const left: number[] = [];
    for (const session of this.#options.sessions()) {
      const { modeEnd } = session.choices;
      if (!modeEnd) continue;
      const leftMs = modeEnd.at - Date.now();
      if (leftMs > 0) left.push(leftMs);
      else this.#end(session.chat.session.id);
    }
    if (left.length > 0) this.#timer = setTimeout(() => this.check(), Math.min(...left, maxWaitMs));
  }

  /** Ends it in sessions that have lost their tab: they are closed, and opening them again is a new decision. */
  tabsChanged(tabs: readonly { id: string }[]): void {
    const before = this.#ids;
    this.#ids = tabs.map(({ id }) => id);
    for (const id of before) if (!this.#ids.includes(id)) this.#end(id);
  }

  #end(sessionID: string): void {
    const { choices, sessions, stateChanged } = this.#options;
    const open = sessions().find(({ chat }) => chat.session.id === sessionID);
    const { mode, modeEnd } = open?.choices ?? choices.of(sessionID);
    if (mode !== "bypassPermissions") return;
    const next = modeEnd?.next ?? "default";
    choices.keepMode(sessionID, { mode: next, modeEnd: undefined });
    open?.setMode(next);
    stateChanged();
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}
