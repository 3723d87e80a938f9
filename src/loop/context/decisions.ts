/**
 * Tells the model what the user has decided about its changes, and brings up to date what it knows of the files (T12).
 * Its texts are for the model.
 */

import { newID } from "../../base/ids.ts";
import type { Chat } from "../../chat/apply.ts";
import { changeText } from "../../chat/comments.ts";
import type { TextPart, UserMessage } from "../../chat/message.ts";
import type { DecidedHunk, ReviewDecision } from "../../chat/review-decisions.ts";
import { headOf, plural } from "../../tools/text/text.ts";
import { takeShown } from "../calls/files-seen.ts";
import type { Turn } from "../turn.ts";
import { newSyntheticMessage } from "./synthetic-message.ts";

/** Appends the decisions that the model does not know: to a prompt without an answer, else in a message of their own. */
export function tellDecisions(
  turn: Pick<Turn, "chat" | "signal" | "emit" | "flush" | "seen">,
  user: UserMessage,
): void {
  const untold = untoldDecisions(turn.chat);
  if (untold.length === 0) return;
  const { text, changed } = decisionsText(withoutCancelled(untold));
  const newest = turn.chat.messages.at(-1)?.info;
  const message = newest?.role === "user" ? newest : newSyntheticMessage(turn, user);
  const part: TextPart = {
    ...{ id: newID("prt"), sessionID: message.sessionID, messageID: message.id },
    ...{ type: "text", text, synthetic: true },
    decided: untold.map(({ id }) => id),
    ...(Object.keys(changed).length > 0 && { changed }),
  };
  turn.emit({ type: "part", part });
  takeShown(turn.seen, [{ info: message, parts: [part] }]);
}

/** Returns the decisions that no message of the conversation tells: a rewind can remove the one that did. */
function untoldDecisions({ decisions, messages }: Pick<Chat, "decisions" | "messages">): ReviewDecision[] {
  if (decisions.length === 0) return [];
  const told = new Set(messages.flatMap(({ parts }) => parts.flatMap((part) => decidedIn(part))));
  return decisions.filter(({ id }) => !told.has(id));
}

function decidedIn(part: Chat["messages"][number]["parts"][number]): readonly string[] {
  return part.type === "text" ? (part.decided ?? []) : [];
}

/** Leaves out decisions that were taken back before the model was told. */
export function withoutCancelled(decisions: readonly ReviewDecision[]): ReviewDecision[] {
  const left: ReviewDecision[] = [];
  for (const decision of decisions) {
    const last = left.findLastIndex(({ path }) => path === decision.path);
    const isBack =
      left[last] !== undefined && left[last].before === decision.after && left[last].after === decision.before;
    // Two windows may report the same decision.
    const isTwice = left[last]?.action === decision.action && isSameStep(left[last], decision);
    if (isBack) left.splice(last, 1);
    else if (!isTwice) left.push(decision);
  }
  return left;
}

function isSameStep(a: ReviewDecision, b: ReviewDecision): boolean {
  return a.before === b.before && a.after === b.after && a.before !== b.after && a.hunks.length === b.hunks.length;
}

/** Maximum characters of all changes that are told line by line, and of one of them. */
const maxChars = { all: 8000, one: 2000 };
const maxNames = 20;

/** Returns the text for the model; empty for no decisions. `changed`: the files whose change it tells in full. */
export function decisionsText(decisions: readonly ReviewDecision[]): {
  text: string;
  changed: NonNullable<TextPart["changed"]>;
} {
  if (decisions.length === 0) return { text: "", changed: {} };
  let room = maxChars.all;
  const blocks: string[] = [];
  const summed: ReviewDecision[] = [];
  const known = new Map<string, ReviewDecision[] | undefined>();
  for (const decision of decisions) {
    const block = blockOf(decision, Math.min(room, maxChars.all / 2));
    room -= block?.text.length ?? 0;
    if (block) blocks.push(block.text);
    else summed.push(decision);
    const before = known.has(decision.path) ? known.get(decision.path) : [];
    known.set(decision.path, block?.isWhole ? before && [...before, decision] : undefined);
  }
  if (summed.length > 0) blocks.push(sumUp(summed));
  const text = [head, ...blocks].join("\n\n");
  return { text, changed: Object.fromEntries([...known].flatMap(([path, told]) => knownChange(path, told ?? []))) };
}

const head =
  "The user has reviewed changes of yours. In what follows, lines with - are gone from the file and lines with + stand there now. Do not make a rejected change again unless the user asks for it.";

/** Returns what decisions in a row have made of a file; nothing unless each began where the one before it ended. */
function knownChange(path: string, decisions: readonly ReviewDecision[]) {
  const [first] = decisions;
  const last = decisions.at(-1);
  const isRow = decisions.every(({ before }, at) => at === 0 || before === decisions[at - 1]?.after);
  if (!first || !last || !isRow || first.before === null) return [];
  return [[path, { from: first.before, to: last.after }] as const];
}

/** Returns undefined where there is no room for any of it. */
function blockOf(decision: ReviewDecision, room: number): { text: string; isWhole: boolean } | undefined {
  const { name, hunks, after, before, action } = decision;
  if (after === null) return { text: titles[decision.action].gone(name), isWhole: true };
  if (before === null) return { text: `${titles[decision.action].back(name)} ${readAgain}`, isWhole: false };
  const shown: string[] = [];
  const cut: number[] = [];
  let left = room;
  for (const hunk of hunks) {
    const diff = diffOf(hunk);
    if (diff.length > Math.min(left, maxChars.one)) cut.push(hunk.line);
    else shown.push(diff);
    left -= diff.length;
  }
  if (shown.length === 0) return undefined;
  const further = [...cut, ...decision.others].sort((a, b) => a - b);
  const rest =
    further.length === 0 ? "" : `\n\n${plural(further.length, "more place")}: ${lineList(further)}. ${readAgain}`;
  return {
    text: `${titles[decision.action].changed(name)}\n\n${shown.join("\n\n")}${rest}`,
    isWhole: further.length === 0 && action !== "edited",
  };
}

const readAgain = "Read the file before you change it.";

const titles: Record<ReviewDecision["action"], Record<"changed" | "gone" | "back", (name: string) => string>> = {
  rejected: {
    changed: (name) => `Rejected in ${name}, and undone:`,
    gone: (name) => `Rejected: the file ${name}. It is deleted.`,
    back: (name) => `Rejected: that ${name} is gone. The file is there again.`,
  },
  restored: {
    changed: (name) => `Rejected before in ${name}, and now put back by the user:`,
    gone: (name) => `The user took a rejection back: ${name} is deleted again.`,
    back: (name) => `The user took a rejection back: the file ${name} is there again.`,
  },
  edited: {
    changed: (name) => `Accepted in ${name}, where the user has written these lines into your change:`,
    gone: (name) => `The user has deleted ${name}.`,
    back: (name) => `The user has put ${name} back.`,
  },
};

function diffOf(hunk: DecidedHunk): string {
  return `Line ${hunk.line}:\n${changeText(hunk)}`;
}

function lineList(lines: readonly number[]): string {
  const shown = lines.slice(0, maxNames).join(", ");
  const more = lines.length - maxNames;
  return more > 0 ? `lines ${shown} and ${more} more` : lines.length === 1 ? `line ${shown}` : `lines ${shown}`;
}

/** Names the files of decisions that are too many or too long to be told line by line. */
function sumUp(decisions: readonly ReviewDecision[]): string {
  const lines = (["rejected", "restored", "edited"] as const).flatMap((action) => {
    const those = decisions.filter((one) => one.action === action);
    if (those.length === 0) return [];
    const places = new Map<string, number>();
    for (const { name, hunks, others } of those)
      places.set(name, (places.get(name) ?? 0) + hunks.length + others.length);
    const names = [...places]
      .slice(0, maxNames)
      .map(([name, count]) => `${headOf(name, 300)} (${plural(count, "place")})`);
    const more = places.size - names.length;
    return [`${sums[action]} ${names.join(", ")}${more > 0 ? ` and ${plural(more, "more file")}` : ""}.`];
  });
  return `${lines.join("\n")}\nRead these files before you change them.`;
}

const sums: Record<ReviewDecision["action"], string> = {
  rejected: "Rejected, and undone, in",
  restored: "Rejected before, and now put back by the user, in",
  edited: "Accepted, after the user had changed your text, in",
};
