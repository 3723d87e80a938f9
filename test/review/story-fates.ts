/** What is known of each word of a `Story`, and what becomes of it by a write, a decision, or the review itself. */
import assert from "node:assert/strict";
import { type Changes, isMixed } from "../../src/review/hunks.ts";
import { marksByWord, type Row, wordOf } from "./story-rows.ts";

/** What is known of a word. */
export interface Fate {
  /** `user` stands for everything that no reject may touch: the first text, and what was accepted. */
  owner: "user" | "agent";
  /** The user has changed a line of the agent. */
  isMixed: boolean;
  /** Where it has gone: for good, or by a change of the agent that can be rejected. */
  gone: "no" | "user" | "agent";
}

export type Fates = Map<string, Fate>;

/** The rows at some time, and what was known of all words. */
export interface Moment {
  rows: Row[];
  fates: Fates;
}

export const copyOf = (fates: Fates): Fates => new Map([...fates].map(([word, fate]) => [word, { ...fate }]));

/** Returns the fates of a former time. Words that came later are gone. */
export const backTo = (former: Fates, now: Fates): Fates =>
  new Map([...now].map(([word, fate]) => [word, { ...(former.get(word) ?? { ...fate, gone: "user" }) }]));

/** The agent has written: all words but `left` are gone. @returns whether a line was among them that the user had changed */
export function removeByAgent(fates: Fates, left: ReadonlySet<string>): boolean {
  let tookOver = false;
  for (const [word, fate] of fates) {
    if (fate.gone !== "no" || left.has(word)) continue;
    // What the user has made of the agent's line is the user's when the agent removes it.
    tookOver ||= fate.isMixed;
    if (fate.isMixed) Object.assign(fate, { owner: "user", isMixed: false });
    fate.gone = fate.owner === "user" ? "agent" : "user";
  }
  return tookOver;
}

export interface HunkWords {
  inText: ReadonlySet<string>;
  /** In the former text. */
  inBase: ReadonlySet<string>;
}

/** Returns the words of hunks, with which a decision deals. */
export function wordsOf(hunks: Changes["hunks"], { base, text }: Changes): HunkWords {
  const inBase = hunks.flatMap(({ baseStart, baseCount }) => base.slice(baseStart, baseStart + baseCount).map(wordOf));
  const inText = hunks.flatMap(({ start, count }) => text.slice(start, start + count).map(wordOf));
  return { inText: new Set(inText), inBase: new Set(inBase) };
}

interface Decision extends HunkWords {
  action: "accept" | "reject";
  mixed: "keep" | "drop";
}

/** The user accepts or rejects hunks. */
export function decideFates(fates: Fates, { action, mixed, inText, inBase }: Decision): void {
  for (const [word, fate] of fates) {
    if (action === "accept") {
      if (inText.has(word)) Object.assign(fate, { owner: "user", isMixed: false });
      else if (fate.gone === "agent" && inBase.has(word)) fate.gone = "user";
    } else if (inText.has(word) && (fate.owner === "agent" || fate.isMixed)) {
      const isKept = fate.isMixed && mixed === "keep";
      Object.assign(fate, isKept ? { owner: "user", isMixed: false } : { gone: "user" });
    } else if (fate.gone === "agent" && inBase.has(word)) fate.gone = "no";
  }
}

/**
 * Takes over what the review says of lines that the model does not predict one by one. What was the user's stays so.
 * @param mayReturn whether a word can be the agent's again
 */
export function settle(fates: Fates, changes: Changes, mayReturn: (word: string) => boolean): void {
  const fresh = marksByWord(changes);
  const [inBase, inText] = [new Set(changes.base.map(wordOf)), new Set(changes.text.map(wordOf))];
  for (const [word, fate] of fates) {
    // A removed line that is back with other spaces is in both.
    if (fresh.has(word) && !inBase.has(word)) {
      const isShared = isMixed(fresh.get(word));
      assert.ok(isShared || fate.owner === "agent" || mayReturn(word), `${word} is the agent's again`);
      Object.assign(fate, { owner: isShared ? fate.owner : "agent", isMixed: isShared, gone: "no" });
    } else if (inBase.has(word)) {
      Object.assign(fate, { owner: "user", isMixed: false, gone: inText.has(word) ? "no" : "agent" });
    } else fate.gone = "user";
  }
}
