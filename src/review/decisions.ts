/** What the user has decided in a review, so that others learn of it and the last decisions can be taken back. Pure. */
import * as z from "zod/mini";
import { withoutSpaces } from "./alignment.ts";
import { becomes, withEnding } from "./edits.ts";
import { ReviewState } from "./file-review.ts";
import {
  type Changes,
  type ConflictChoice,
  changesOf,
  commonEnding,
  currentText,
  end,
  hunksAt,
  isMixed,
  type LineMark,
  newLines,
  oldLines,
  rejectAll,
  unchanged,
  unmarked,
  userLines,
} from "./hunks.ts";
import type { LineHunk } from "./line-diff.ts";
import { cleared } from "./piece-builder.ts";
import { changesFrom, StoredChanges, storedChanges } from "./stored-review.ts";

export type ReviewAction = "accept" | "reject";

/** A hunk that was decided, with its lines. */
export interface HunkLines {
  /** The hunk's first line in the text before the decision, counted from 0. */
  start: number;
  oldLines: readonly string[];
  newLines: readonly string[];
}

/** A decision on one file, with what is needed to take it back. */
export interface DecidedFile {
  uri: string;
  action: ReviewAction;
  state: ReviewState;
  /** The index of the hunk; undefined: all of the file was decided. */
  hunk: number | undefined;
  before: Changes;
  outcome: Changes;
  /** Whether the decision has deleted the file. */
  isDeleted: boolean;
}

const StoredDecision = z.object({
  uri: z.string(),
  action: z.enum(["accept", "reject"]),
  state: ReviewState,
  hunk: z.nullable(z.number()),
  before: StoredChanges,
  outcome: StoredChanges,
  isDeleted: z.boolean(),
});

/** The form in which decisions are kept on disk. One press of a button is one group. */
export const StoredDecisions = z.object({ version: z.literal(1), files: z.array(StoredDecision) });
export type StoredDecisions = z.infer<typeof StoredDecisions>;

export const storedDecisions = (group: readonly DecidedFile[]): StoredDecisions => ({
  version: 1,
  files: group.map((file) => ({
    ...file,
    hunk: file.hunk ?? null,
    before: storedChanges(file.before),
    outcome: storedChanges(file.outcome),
  })),
});

export const decisionsFrom = ({ files }: StoredDecisions): DecidedFile[] =>
  files.map((file) => ({
    ...file,
    hunk: file.hunk ?? undefined,
    before: changesFrom(file.before),
    outcome: changesFrom(file.outcome),
  }));

const maxGroups = 50;
/** Maximum lines of all texts that are kept, together. */
const maxLines = 2_000_000;

/** Decisions of one press of a button. */
export interface DecisionGroup {
  /** Grows from group to group. */
  readonly id: number;
  readonly files: readonly DecidedFile[];
}

/** The last decisions, in their order. */
export class DecisionLog {
  #groups: readonly DecisionGroup[] = [];

  get groups(): readonly DecisionGroup[] {
    return this.#groups;
  }

  /** Takes over all groups, in the order of their ids. */
  load(groups: readonly DecisionGroup[]): void {
    this.#groups = groups;
  }

  push(files: readonly DecidedFile[]): void {
    if (files.length === 0) return;
    this.#groups = [...this.#groups, { id: (this.#groups.at(-1)?.id ?? 0) + 1, files }];
    let lines = 0;
    const tooOld = this.#groups.findLastIndex((group) => {
      for (const { before, outcome } of group.files) lines += before.text.length + outcome.text.length;
      return lines > maxLines;
    });
    // The last decision can be taken back, however long its files are.
    const surplus = Math.min(Math.max(tooOld + 1, this.#groups.length - maxGroups), this.#groups.length - 1);
    this.#groups = this.#groups.slice(surplus);
  }

  pop(): readonly DecidedFile[] {
    const last = this.#groups.at(-1);
    this.#groups = this.#groups.slice(0, -1);
    return last?.files ?? [];
  }

  /** Takes the file's last decision out of its group. */
  popFile(uri: string): readonly DecidedFile[] {
    const group = this.#groups.findLast(({ files }) => files.some((file) => file.uri === uri));
    const taken = group?.files.findLast((file) => file.uri === uri);
    const left = (one: DecisionGroup) => (one === group ? one.files.filter((file) => file !== taken) : one.files);
    this.#groups = this.#groups
      .map((one) => (one === group ? { id: one.id, files: left(one) } : one))
      .filter(({ files }) => files.length > 0);
    return taken ? [taken] : [];
  }
}

/** Returns a hunk, or all of them, with their lines. */
export function decidedHunks(changes: Changes, index: number | undefined): HunkLines[] {
  return hunksAt(changes, index).map((hunk) => ({
    start: hunk.start,
    oldLines: oldLines(changes, hunk),
    newLines: newLines(changes, hunk),
  }));
}

/** Neighbouring lines of the user; `start` counts from 0. */
export interface UserLines {
  start: number;
  lines: readonly string[];
}

/** Returns what the user has written inside a hunk, or inside all of them, where it is after an accept. */
export function usersLines(changes: Changes, index: number | undefined, choice: ConflictChoice = "mine"): UserLines[] {
  const { text, marks } = changes;
  const runs: { start: number; lines: string[] }[] = [];
  /** How far lines have moved by those of the agent above them; `below`: by those that stand under the present run. */
  let [shift, below] = [0, 0];
  const leaveRun = () => {
    shift += below;
    below = 0;
  };
  for (const hunk of hunksAt(changes, index)) {
    for (let line = hunk.start; line < hunk.start + hunk.count; line++) {
      const mark = marks[line];
      if (!isMixed(mark)) leaveRun();
      if (mark === undefined) continue;
      if (isMixed(mark) && choice === "agent") {
        shift += mark.agent.length - 1;
        continue;
      }
      if (isMixed(mark) && choice === "both") below += mark.agent.length;
      const last = runs.at(-1);
      if (last && last.start + last.lines.length === line + shift) last.lines.push(text[line] ?? "");
      else runs.push({ start: line + shift, lines: [text[line] ?? ""] });
    }
    leaveRun();
  }
  return runs;
}

/** Returns the texts before and after a decision; undefined: there is no file. */
export function textsOf({ action, state, before, outcome, isDeleted }: DecidedFile) {
  const wasGone = state.type === "deleted";
  const isGone = isDeleted || (wasGone && action === "accept");
  return { before: wasGone ? undefined : currentText(before), after: isGone ? undefined : currentText(outcome) };
}

/**
 * Returns the changes without the decision: the decided hunks wait again. What was changed since, in the text or by
 * other decisions, stays. `now`: the present changes.
 */
export function takenBack(decided: DecidedFile, now: Changes): Changes {
  const ending = commonEnding(now.text);
  const [before, outcome] = [ended(decided.before, ending), ended(decided.outcome, ending)];
  if (isBack(hunksAt(before, decided.hunk), before, now)) return now;
  if (isSame(now.base, outcome.base) && isSame(now.text, outcome.text)) return before;
  const base = rebased(outcome.base, baseOf(before, decided.hunk, now), now.base, now.text);
  const text = rebased(outcome.text, before.text, now.text, base);
  const changes = becomes(unchanged(base), text, "agent");
  // Whose a line is follows from its words. One that neither review knows as the agent's was changed since.
  const agents = new Set<string>();
  const mixed = new Map<string, LineMark>();
  for (const { text, marks, pieces } of [before, now]) {
    for (const piece of pieces) {
      for (let line = piece.start; line < end(piece); line++) {
        const [words, mark] = [withoutSpaces(text[line] ?? ""), marks[line]];
        if (isMixed(mark)) mixed.set(words, mark);
        else agents.add(words);
      }
    }
  }
  // What the agent wrote there is not known then, so that the line itself counts as it.
  const marks = changes.text.map((line): LineMark => {
    const words = withoutSpaces(line);
    return mixed.get(words) ?? (agents.has(words) ? undefined : { agent: [line] });
  });
  return changesOf(changes.base, changes.text, cleared(marks, changes.pieces), changes.pieces);
}

/** Whether the hunks wait again already: an editor's undo of a reject, or the agent, has brought them back. */
function isBack(hunks: readonly LineHunk[], before: Changes, now: Changes): boolean {
  const [then, present] = [linesUnderReview(before), linesUnderReview(now)];
  const isThere = (kind: "old" | "fresh") => (line: string) => {
    const key = withoutSpaces(line);
    return (present[kind].get(key) ?? 0) >= (then[kind].get(key) ?? 0);
  };
  const freshOf = (hunk: LineHunk) =>
    newLines(before, hunk).filter((_, at) => before.marks[hunk.start + at] !== "mine");
  return (
    hunks.length > 0 &&
    hunks.every((hunk) => oldLines(before, hunk).every(isThere("old")) && freshOf(hunk).every(isThere("fresh")))
  );
}

/** Returns how often each line is there among the old lines of all hunks, and among the agent's. */
function linesUnderReview({ base, text, marks, pieces }: Changes) {
  const count = (lines: Map<string, number>, line: string) => {
    const key = withoutSpaces(line);
    lines.set(key, (lines.get(key) ?? 0) + 1);
  };
  const [old, fresh] = [new Map<string, number>(), new Map<string, number>()];
  for (const piece of pieces) {
    for (let line = 0; line < piece.baseCount; line++) count(old, base[piece.baseStart + line] ?? "");
    for (let line = piece.start; line < end(piece); line++) {
      const mark = marks[line];
      for (const one of isMixed(mark) ? [...mark.agent, text[line] ?? ""] : [text[line] ?? ""]) count(fresh, one);
    }
  }
  return { old, fresh };
}

/**
 * Returns the former text. What the user had made of the agent's lines in the decided hunks is part of it if the agent
 * has removed it since. In other hunks that is a change since the decision, which stays anyway.
 */
function baseOf(before: Changes, hunk: number | undefined, now: Changes): readonly string[] {
  const [inBase, inText] = [new Set(now.base.map(withoutSpaces)), new Set(now.text.map(withoutSpaces))];
  const marks = unmarked(before.marks.length);
  for (const { start, count } of hunksAt(before, hunk)) {
    for (let line = start; line < start + count; line++) {
      const words = withoutSpaces(before.text[line] ?? "");
      if (inBase.has(words) && !inText.has(words)) marks[line] = before.marks[line];
    }
  }
  return rejectAll({ ...before, marks }, "keep").text;
}

/** Returns the changes with this line ending, if they have another one. */
const ended = (changes: Changes, ending: string | undefined): Changes =>
  ending === undefined || commonEnding(changes.text) === ending ? changes : withEnding(changes, ending);

/**
 * Takes the step from `to` to `from` out of `now`, which has changed since that step.
 * @param other the other text: what has taken the place of the step's lines must be in one of both
 */
function rebased(
  from: readonly string[],
  to: readonly string[],
  now: readonly string[],
  other: readonly string[],
): readonly string[] {
  // Seen from `from`, the decided lines are changes in the other direction: what has changed since, goes into both.
  const back = becomes(becomes(unchanged(to), from, "agent"), now, "user");
  const isElsewhere = new Set(other);
  const marks = back.marks.map((mark, at) => (isElsewhere.has(back.text[at] ?? "") ? undefined : mark));
  return rejectAll({ ...back, marks }, "keep").text;
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a === b || (a.length === b.length && a.every((line, at) => line === b[at]));

/** What a reject would take away that is not the agent's alone. */
export interface UserShare {
  uri: string;
  /** `created`: rejecting deletes the file with lines of the user. `mixed`: the user has changed the agent's lines. */
  kind: "created" | "mixed";
  /** Number of these lines. */
  lines: number;
}

/** Returns undefined if a reject takes back the agent's lines only. */
export function userShare(
  uri: string,
  state: ReviewState,
  changes: Changes,
  hunk: number | undefined,
): UserShare | undefined {
  const hunks = hunksAt(changes, hunk);
  const mixed = hunks.reduce((sum, one) => sum + userLines(changes, one).mixed.length, 0);
  const isWhole = hunks.length === changes.hunks.length;
  const own = state.type === "created" && isWhole ? changes.base.filter((line) => line.trim() !== "").length : 0;
  if (own > 0) return { uri, kind: "created", lines: own + mixed };
  return mixed > 0 ? { uri, kind: "mixed", lines: mixed } : undefined;
}
