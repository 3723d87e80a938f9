/** What a window's sessions tell, and the features that hear it. */
import type { ChatEvent } from "../../chat/events.ts";
import type { HostNotice } from "../../chat/host-notice.ts";
import type { LoopEvent } from "../../loop/loop-events.ts";
import type { Session } from "../../loop/session/session.ts";
import type { ConversationObserver } from "./conversation-options.ts";

export interface SessionObserver extends ConversationObserver {
  /** An event of the loop of any session. */
  loopEvent(event: LoopEvent): void;
  /** The first byte of a reply has come, so many milliseconds after its request. */
  firstByte(messageID: string, afterMs: number): void;
}

/** Hands everything on to all who hear of it, in the order in which they were added. */
export class Observers implements SessionObserver {
  readonly #all: Partial<SessionObserver>[] = [];

  add(observer: Partial<SessionObserver>): void {
    this.#all.push(observer);
  }

  event(session: Session, event: ChatEvent): void {
    for (const one of this.#all) one.event?.(session, event);
  }

  switched(session: Session): void {
    for (const one of this.#all) one.switched?.(session);
  }

  tabsChanged(): void {
    for (const one of this.#all) one.tabsChanged?.();
  }

  trouble(problem: HostNotice): void {
    for (const one of this.#all) one.trouble?.(problem);
  }

  loopEvent(event: LoopEvent): void {
    for (const one of this.#all) one.loopEvent?.(event);
  }

  firstByte(messageID: string, afterMs: number): void {
    for (const one of this.#all) one.firstByte?.(messageID, afterMs);
  }
}
