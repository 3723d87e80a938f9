/** Turns a decision of the review into what a session records of it. Pure. */
import { newID } from "../../base/ids.ts";
import type { DecidedHunk, ReviewDecision } from "../../chat/review-decisions.ts";
import { differences, splitLines } from "../../review/line-diff.ts";
import { versionOf } from "../../tools/node-host/workspace.ts";
import type { Decision } from "./decider.ts";

/** Maximum characters of a change whose lines are kept, and of all changes of a decision. */
const maxChars = { one: 3000, all: 20_000 };
/** Maximum number of lines whose numbers are kept. */
const maxOthers = 1000;

/** Returns undefined if the model need not know the decision. `name` and `path`: the file for the model, and on disk. */
export function toldDecision(
  { action, before, after, users }: Pick<Decision, "action" | "before" | "after" | "users">,
  { name, path }: { name: string; path: string },
): ReviewDecision | undefined {
  const base = { id: newID("prt"), time: Date.now(), name: name.replaceAll(/[\r\n]/g, " "), path };
  if (action === "accept") {
    if (users.length === 0 || after === undefined) return undefined;
    const own = users.map(({ start, lines }) => ({ line: start + 1, removed: "", added: lines.join("") }));
    // The text that the model knows is not that of before the acceptance.
    return { ...base, action: "edited", ...withinRoom(own), before: "", after: versionOf(after) };
  }
  if (before === after) return undefined;
  const { hunks, others } = before === undefined || after === undefined ? noHunks : hunksBetween(before, after);
  return {
    ...{ ...base, action: action === "undo" ? "restored" : "rejected", hunks, others },
    before: before === undefined ? null : versionOf(before),
    after: after === undefined ? null : versionOf(after),
  };
}

const noHunks = { hunks: [], others: [] };

function hunksBetween(before: string, after: string): Pick<ReviewDecision, "hunks" | "others"> {
  const [old, now] = [splitLines(before), splitLines(after)];
  return withinRoom(
    differences(old, now).map(({ baseStart, baseCount, start, count }) => ({
      line: start + 1,
      removed: old.slice(baseStart, baseStart + baseCount).join(""),
      added: now.slice(start, start + count).join(""),
    })),
  );
}

/** Keeps the lines of what is not too long, and the places of the rest. */
function withinRoom(all: readonly DecidedHunk[]): Pick<ReviewDecision, "hunks" | "others"> {
  const hunks: DecidedHunk[] = [];
  const others: number[] = [];
  let room = maxChars.all;
  for (const hunk of all) {
    const size = hunk.removed.length + hunk.added.length;
    if (size <= Math.min(room, maxChars.one)) {
      room -= size;
      hunks.push(hunk);
    } else if (others.length < maxOthers) others.push(hunk.line);
  }
  return { hunks, others };
}
