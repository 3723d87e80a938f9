/** The reason with which a turn and its commands are stopped. */

import { english, msg } from "../l10n/l10n.ts";

/** `closed`: the window was closed or reloaded; `elsewhere`: another window has taken the session over. */
export type StopCause = "user" | "closed" | "elsewhere";

/** `message` is for the model; a call that was stopped shows `fact` in its line and `sentence` below it. */
const words: Readonly<Record<StopCause, { message: string; sentence: string; fact: string }>> = {
  user: {
    message: english("Stopped by the user"),
    sentence: msg("Stopped by the user."),
    fact: msg("stopped by the user"),
  },
  closed: {
    message: english("The session was closed"),
    sentence: msg("The session was closed."),
    fact: msg("the session was closed"),
  },
  elsewhere: {
    message: english("Opened elsewhere"),
    sentence: msg("Opened elsewhere."),
    fact: msg("opened elsewhere"),
  },
};

export class Stopped extends DOMException {
  readonly by: StopCause;

  constructor(by: StopCause) {
    super(words[by].message, "AbortError");
    this.by = by;
  }
}

/** Whether the window is closed or reloaded, which leaves questions open. */
export function isClosing({ reason }: AbortSignal): boolean {
  return reason instanceof Stopped && reason.by === "closed";
}

/** Returns what people read of a call that was stopped; undefined if it ended for another reason. */
export function stopWords({ reason }: AbortSignal): { sentence: string; fact: string } | undefined {
  return reason instanceof Stopped ? words[reason.by] : undefined;
}

/** Returns who stopped it; a signal without a known reason counts as the user's. */
export function stopCauseOf({ reason }: AbortSignal): StopCause {
  return reason instanceof Stopped ? reason.by : "user";
}
