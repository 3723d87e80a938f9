/** The reason with which a turn and its commands are stopped. */

/** `closed`: the window was closed or reloaded; `elsewhere`: another window has taken the session over. */
export type StopCause = "user" | "closed" | "elsewhere";

const messages: Readonly<Record<StopCause, string>> = {
  user: "Stopped by the user",
  closed: "The session was closed",
  elsewhere: "Opened elsewhere",
};

export class Stopped extends DOMException {
  readonly by: StopCause;

  constructor(by: StopCause) {
    super(messages[by], "AbortError");
    this.by = by;
  }
}

/** Whether the window is closed or reloaded, which leaves questions open. */
export function isClosing({ reason }: AbortSignal): boolean {
  return reason instanceof Stopped && reason.by === "closed";
}

/** Returns who stopped it; a signal without a known reason counts as the user's. */
export function stopCauseOf({ reason }: AbortSignal): StopCause {
  return reason instanceof Stopped ? reason.by : "user";
}
