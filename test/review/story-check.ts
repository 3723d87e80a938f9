/** What must hold of a review after each act of a `Story`. */
import assert from "node:assert/strict";
import { acceptAll, type Changes, currentText, rejectAll, userLines } from "../../src/review/hunks.ts";
import type { Fates } from "./story-fates.ts";
import { type Row, words } from "./story-rows.ts";

interface Expected {
  text: string;
  rows: readonly Row[];
  fates: Fates;
  /** Whether a line may be there twice: nobody can tell which of two equal ones it is. */
  mayRepeat: boolean;
}

/** Nothing of the user is lost by a reject, and nothing of the agent stays; what is shared is marked. */
export function checkReview(changes: Changes, { text, rows, fates, mayRepeat }: Expected): void {
  assert.equal(currentText(changes), text);
  assert.equal(currentText(acceptAll(changes)), text);
  const kept = words(currentText(rejectAll(changes, "keep")));
  const dropped = words(currentText(rejectAll(changes, "drop")));
  const shown = words(text);
  for (const [word, { owner, isMixed, gone }] of fates) {
    if (gone === "user") continue;
    if (isMixed)
      assert.ok(kept.includes(word), `${word}, which the user has changed, is lost though it was to be kept`);
    else if (owner === "user") {
      assert.ok(dropped.includes(word), `the user's ${word} is lost`);
      // A line that the user has made of the agent's stays in place of the old one.
      assert.ok(gone === "agent" || kept.includes(word), `the user's ${word} is lost where more is kept`);
    } else assert.ok(!kept.includes(word) && !dropped.includes(word), `the agent's ${word} stays`);
  }
  // What a reject would take away without being the agent's alone is marked, so that the user is asked.
  const marked = changes.hunks.flatMap((hunk) => userLines(changes, hunk).mixed.map((line) => shown[line]));
  for (const { word } of rows) {
    const fate = fates.get(word);
    assert.ok(fate, `unknown: ${word}`);
    if (fate.owner === "agent" && fate.isMixed) assert.ok(marked.includes(word), `${word} is not marked`);
    if (fate.isMixed && !dropped.includes(word)) assert.ok(marked.includes(word), `${word} goes unasked`);
  }
  if (mayRepeat) return;
  const order = dropped.filter((word) => shown.includes(word));
  assert.deepEqual(
    shown.filter((word) => dropped.includes(word)),
    order,
    "lines changed their order",
  );
  assert.equal(new Set(dropped).size, dropped.length, "a line is there twice");
}
