/**
 * The way of one document through its texts, as its undo stack knows it. An undo or redo arrives as a plain edit; this
 * tells what was up for review at the place it leads to.
 */
import { createHash } from "node:crypto";
import { type Author, type Changes, currentText } from "./hunks.ts";

/**
 * `opens`: the agent's, puts something up for review. `closes`: takes something from review by taking it out of the
 * text (a reject, or the user's own hand). `plain`: neither.
 */
type Step = "opens" | "closes" | "plain";

/** What an undo or redo leads to: a state that still holds, or whose edit it is to be taken for. */
export type Arrival = { type: "known"; changes: Changes } | { type: "edit"; author: Author };

interface Place {
  text: string;
  /** Undefined where an accept has since made it untrue. */
  changes: Changes | undefined;
  /** Led here from the place before. */
  step: Step;
}

/** Each place holds the lines of two texts; nobody undoes further than this under review. */
const longest = 100;

export class UndoHistory {
  #way: Place[];
  #at = 0;

  constructor(changes: Changes) {
    this.#way = [place(changes, "plain")];
  }

  /** An edit was made: whatever had been undone cannot be redone any more. */
  push(changes: Changes, step: Step): void {
    this.#way.splice(this.#at + 1);
    this.#way.push(place(changes, step));
    if (this.#way.length > longest) this.#way.shift();
    this.#at = this.#way.length - 1;
  }

  /** Something was accepted: the text is the same, but what is known of the other places is no longer true. */
  accepted(changes: Changes): void {
    for (const place of this.#way) place.changes = undefined;
    this.arrived(changes);
  }

  /** What holds at the place that `undo` or `redo` led to. */
  arrived(changes: Changes): void {
    const here = this.#way[this.#at];
    if (here) here.changes = changes;
  }

  /**
   * The document went back to `text`. What a `closes` took from review comes back under review. Any other edit is the
   * user's to undo: the agent's own lies in a hunk where it is open, and where it was accepted it is the user's text.
   */
  undo(text: string): Arrival {
    const to = this.#way.findLastIndex((place, i) => i < this.#at && place.text === key(text));
    if (to < 0) {
      this.#way.splice(0, this.#at, { text: key(text), changes: undefined, step: "plain" });
      this.#at = 0;
      return { type: "edit", author: "user" };
    }
    const left = this.#way.slice(to + 1, this.#at + 1);
    this.#at = to;
    return this.#arrival(left.some(({ step }) => step === "closes"));
  }

  /** The document went forward to `text`. */
  redo(text: string): Arrival {
    const to = this.#way.findIndex((place, i) => i > this.#at && place.text === key(text));
    if (to < 0) {
      this.#way.splice(this.#at + 1, Number.POSITIVE_INFINITY, { text: key(text), changes: undefined, step: "plain" });
      this.#at++;
      return { type: "edit", author: "user" };
    }
    const taken = this.#way.slice(this.#at + 1, to + 1);
    this.#at = to;
    return this.#arrival(taken.some(({ step }) => step === "opens"));
  }

  #arrival(review: boolean): Arrival {
    const changes = this.#way[this.#at]?.changes;
    return changes ? { type: "known", changes } : { type: "edit", author: review ? "agent" : "user" };
  }
}

const place = (changes: Changes, step: Step): Place => ({ text: key(currentText(changes)), changes, step });
const key = (text: string): string => createHash("sha1").update(text).digest("base64");
