/** The events of a session: recorded, applied to its chat, and passed on to listeners. */
import { apply, type Chat } from "../../chat/apply.ts";
import type { ChatEvent } from "../../chat/events.ts";
import { isRecorded } from "../../chat/recorded-events.ts";
import type { Log } from "../log.ts";
import type { Recorder } from "../storage.ts";

interface EventDeps {
  chat: Chat;
  recorder: Recorder;
  log: Log;
}

export class SessionEvents {
  readonly #deps: EventDeps;
  readonly #listeners = new Set<(event: ChatEvent) => void>();

  constructor(deps: EventDeps) {
    this.#deps = deps;
  }

  /** @returns a function that removes the listener */
  listen(listener: (event: ChatEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: ChatEvent): void {
    if (isRecorded(event)) this.#deps.recorder.append(event);
    this.apply(event);
  }

  /** As `emit`, for an event that is in the record already or does not belong there. */
  apply(event: ChatEvent): void {
    apply(this.#deps.chat, event);
    for (const listener of this.#listeners) {
      // A listener cannot break the turn.
      try {
        listener(event);
      } catch (error) {
        this.#deps.log.bug(error);
      }
    }
  }
}
