/**
 * The texts of one document, in the order of its undo stack. An undo or redo arrives as a plain edit; this history
 * knows what was under review in the text that it leads to.
 */
import { withoutSpaces, wordsOf } from "./alignment.ts";
import { type Changes, end, unchanged } from "./hunks.ts";

/**
 * `opens`: an edit of the agent, to be reviewed. `closes`: an edit that takes a change under review out of the text (a
 * reject, or an edit of the user). `typed`: an edit of the user within a line. `plain`: any other edit.
 */
export type EditKind = "opens" | "closes" | "typed" | "plain";

/**
 * `edit`: a change of the user. `review`: the agent's change is under review again. `isAgents` tells for each line of the
 * text whether it is the agent's if it was not there.
 */
export type Arrival =
  | { type: "known"; changes: Changes }
  | { type: "edit" | "review"; isAgents: (line: number) => boolean };

interface TextState {
  changes: Changes;
  /** Whether the changes still hold. An accept invalidates those of all other texts, unless there are none. */
  isValid: boolean;
  step: EditKind;
  /** Whether the text is the outcome of a reject. */
  isDecision: boolean;
  /** Whether a later text was saved that a reject had led to: then no program brings this one back under review. */
  isDecided: boolean;
}

const fresh = (changes: Changes, isValid: boolean, step: EditKind, isDecision = false): TextState => ({
  ...{ changes, isValid, step, isDecision },
  isDecided: false,
});

const maxStates = 100;
/** Each state holds the lines of two texts, so long texts have fewer. */
const maxLines = 2_000_000;
/** In longer texts, what is typed in one go is one state, as it is one undo step. */
const maxLinesOfKeys = 2_000;

export class UndoHistory {
  #states: TextState[];
  #at = 0;
  /** Lines that were accepted, without their spaces. They are not the agent's when they come back. */
  readonly #accepted = new Set<string>();

  constructor(changes: Changes) {
    this.#states = [fresh(changes, true, "plain")];
  }

  push(changes: Changes, step: EditKind, isDecision = false): void {
    this.#states.splice(this.#at + 1);
    const last = this.#states.at(-1);
    if (last?.step === "typed" && step === "typed" && changes.text.length > maxLinesOfKeys) this.#states.pop();
    this.#states.push(fresh(changes, true, step, isDecision));
    const most = Math.max(2, Math.min(maxStates, Math.floor(maxLines / (changes.text.length + 1))));
    if (this.#states.length > most) this.#states.splice(0, this.#states.length - most);
    this.#at = this.#states.length - 1;
  }

  /**
   * Something was accepted: the text is unchanged, but the other states are invalid where something is under review.
   * `lines` are those of the agent.
   */
  accepted(changes: Changes, lines: readonly string[] = []): void {
    for (const line of lines) this.#accepted.add(withoutSpaces(line));
    for (const state of this.#states) state.isValid &&= state.changes.pieces.length === 0;
    this.arrived(changes);
  }

  /** What is under review in the present text was decided elsewhere, or is so again: nothing holds for other texts. */
  renewed(changes: Changes, accepted: readonly string[] = []): void {
    this.accepted(changes, accepted);
    for (const state of this.#states) state.isValid = false;
    this.arrived(changes);
  }

  arrived(changes: Changes): void {
    const here = this.#states[this.#at];
    if (here) Object.assign(here, { changes, isValid: true });
  }

  /** The present text, to be compared with a later one. */
  get present(): TextState | undefined {
    return this.#states[this.#at];
  }

  /**
   * What led from `since` to the present text was no user's, as far back as no word has changed. `taken` returns the
   * changes after such a step. Returns those of the present text; undefined if nothing is known of the steps.
   */
  formattedSince(
    since: TextState | undefined,
    taken: (before: Changes, lines: readonly string[]) => Changes,
  ): Changes | undefined {
    const first = since ? this.#states.indexOf(since) : -1;
    const last = this.#states.length - 1;
    if (first < 0 || this.#at !== last) return undefined;
    let steps = this.#states.slice(first);
    const isFormat = (at: number) => {
      const [before, after] = [steps[at - 1], steps[at]];
      return before?.isValid && after && wordsIn(before) === wordsIn(after);
    };
    const from = steps.findLastIndex((_, at) => at > 0 && !isFormat(at));
    steps = steps.slice(Math.max(from, 0));
    let changes = steps[0]?.changes;
    for (const state of steps.slice(1)) {
      changes = changes && taken(changes, state.changes.text);
      if (changes) Object.assign(state, { changes, isValid: true, step: "plain" });
    }
    return steps.length > 1 ? changes : undefined;
  }

  /** Returns the changes of a text that was there before, whatever has led to it now. */
  known(lines: readonly string[]): Changes | undefined {
    const isIt = ({ isValid, isDecided, changes }: TextState) => isValid && !isDecided && isSame(changes.text, lines);
    return this.#states.findLast(isIt)?.changes;
  }

  /** The present text was saved, and with it the rejects that have led to it. */
  saved(): void {
    const last = this.#states.findLastIndex(({ isDecision }, at) => isDecision && at <= this.#at);
    for (const state of this.#states.slice(0, Math.max(last, 0))) state.isDecided = true;
  }

  /**
   * The document went back to these lines. A change that a `closes` edit took out is under review again. Any other undo
   * counts as the user's: an open change of the agent is in a hunk, and an accepted one is the user's text.
   */
  undo(lines: readonly string[]): Arrival {
    const to = this.#states.findLastIndex(({ changes }, i) => i < this.#at && isSame(changes.text, lines));
    if (to < 0) {
      this.#states.splice(0, this.#at, unknownState(lines));
      this.#at = 0;
      return { type: "edit", isAgents: nobodys };
    }
    const left = this.#states.slice(to + 1, this.#at + 1);
    this.#at = to;
    // What the agent has removed of its own lines is its again, but not what the user has made of accepted ones.
    return this.#arrival(
      left.some(({ step }) => step === "closes"),
      left.every(({ step }) => step === "opens"),
    );
  }

  redo(lines: readonly string[]): Arrival {
    const to = this.#states.findIndex(({ changes }, i) => i > this.#at && isSame(changes.text, lines));
    if (to < 0) {
      this.#states.splice(this.#at + 1, Number.POSITIVE_INFINITY, unknownState(lines));
      this.#at++;
      return { type: "edit", isAgents: nobodys };
    }
    const taken = this.#states.slice(this.#at + 1, to + 1);
    this.#at = to;
    return this.#arrival(
      taken.some(({ step }) => step === "opens"),
      false,
    );
  }

  #arrival(review: boolean, isAgentsUndone: boolean): Arrival {
    const here = this.#states[this.#at];
    if (here?.isValid) return { type: "known", changes: here.changes };
    const isAgents = here && (review || isAgentsUndone) ? this.#agentsLines(here.changes) : nobodys;
    return { type: review && here ? "review" : "edit", isAgents };
  }

  #agentsLines({ text, marks, pieces }: Changes): (line: number) => boolean {
    const lines = new Set<number>();
    for (const piece of pieces) {
      for (let line = piece.start; line < end(piece); line++) {
        const isAccepted = this.#accepted.has(withoutSpaces(text[line] ?? ""));
        if (marks[line] === undefined && !isAccepted) lines.add(line);
      }
    }
    return (line) => lines.has(line);
  }
}

const nobodys = (): boolean => false;

const wordsIn = ({ changes }: TextState): string => wordsOf(changes.text.join(""));

const unknownState = (lines: readonly string[]): TextState => fresh(unchanged(lines), false, "plain");

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a === b || (a.length === b.length && a.every((line, at) => line === b[at]));
