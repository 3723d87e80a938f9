/**
 * The texts of one document, in the order of its undo stack. An undo or redo arrives as a plain edit; this history
 * knows what was under review in the text that it leads to.
 */
import { createHash } from "node:crypto";
import { type Author, type Changes, currentText } from "./hunks.ts";

/**
 * `opens`: an edit of the agent, to be reviewed. `closes`: an edit that takes a change under review out of the text (a
 * reject, or an edit of the user). `plain`: any other edit.
 */
type EditKind = "opens" | "closes" | "plain";

export type Arrival = { type: "known"; changes: Changes } | { type: "edit"; author: Author };

interface TextState {
  text: string;
  /** Undefined if an accept has invalidated it. */
  changes: Changes | undefined;
  step: EditKind;
}

/** Each state holds the lines of two texts. */
const maxStates = 100;

export class UndoHistory {
  #states: TextState[];
  #at = 0;

  constructor(changes: Changes) {
    this.#states = [place(changes, "plain")];
  }

  push(changes: Changes, step: EditKind): void {
    this.#states.splice(this.#at + 1);
    this.#states.push(place(changes, step));
    if (this.#states.length > maxStates) this.#states.shift();
    this.#at = this.#states.length - 1;
  }

  /** Something was accepted: the text is unchanged, but the other states are invalid. */
  accepted(changes: Changes): void {
    for (const place of this.#states) place.changes = undefined;
    this.arrived(changes);
  }

  arrived(changes: Changes): void {
    const here = this.#states[this.#at];
    if (here) here.changes = changes;
  }

  /**
   * The document went back to `text`. A change that a `closes` edit took out is under review again. Any other undo
   * counts as the user's: an open change of the agent is in a hunk, and an accepted one is the user's text.
   */
  undo(text: string): Arrival {
    const to = this.#states.findLastIndex((place, i) => i < this.#at && place.text === key(text));
    if (to < 0) {
      this.#states.splice(0, this.#at, unknownState(text));
      this.#at = 0;
      return { type: "edit", author: "user" };
    }
    const left = this.#states.slice(to + 1, this.#at + 1);
    this.#at = to;
    return this.#arrival(left.some(({ step }) => step === "closes"));
  }

  redo(text: string): Arrival {
    const to = this.#states.findIndex((place, i) => i > this.#at && place.text === key(text));
    if (to < 0) {
      this.#states.splice(this.#at + 1, Number.POSITIVE_INFINITY, unknownState(text));
      this.#at++;
      return { type: "edit", author: "user" };
    }
    const taken = this.#states.slice(this.#at + 1, to + 1);
    this.#at = to;
    return this.#arrival(taken.some(({ step }) => step === "opens"));
  }

  #arrival(review: boolean): Arrival {
    const changes = this.#states[this.#at]?.changes;
    return changes ? { type: "known", changes } : { type: "edit", author: review ? "agent" : "user" };
  }
}

const place = (changes: Changes, step: EditKind): TextState => ({ text: key(currentText(changes)), changes, step });
const unknownState = (text: string): TextState => ({ text: key(text), changes: undefined, step: "plain" });
const key = (text: string): string => createHash("sha1").update(text).digest("base64");
