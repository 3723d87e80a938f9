/** The undo stack of the editor in a `Story`. */
import type { Moment } from "./story-fates.ts";

/** `isValid`: the review knows the text, with these fates. */
type KnownMoment = Moment & { isValid: boolean };

export class UndoStack {
  #moments: KnownMoment[];
  #at = 0;

  constructor(first: Moment) {
    this.#moments = [{ ...first, isValid: true }];
  }

  /** The text has changed in the editor, which can undo it. */
  push(moment: Moment): void {
    this.#moments.splice(this.#at + 1);
    this.#moments.push({ ...moment, isValid: true });
    this.#at = this.#moments.length - 1;
  }

  /** The text is the same, but the review has changed. */
  invalidate(present: Moment): void {
    for (const moment of this.#moments) moment.isValid = false;
    this.renew(present);
  }

  /** Replaces the present moment, of which the review now knows the text. */
  renew(present: Moment): void {
    this.#moments[this.#at] = { ...present, isValid: true };
  }

  /** Goes one step back or forward. @returns where the editor then is; undefined at the end of the stack */
  go(way: "undone" | "redone"): KnownMoment | undefined {
    const to = this.#at + (way === "undone" ? -1 : 1);
    const moment = this.#moments[to];
    if (moment) this.#at = to;
    return moment;
  }
}
