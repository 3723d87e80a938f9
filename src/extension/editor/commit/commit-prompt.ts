/** The question for a commit message, and what is made of the answer. Pure. Its texts are for the model. */
import { fenceFor } from "../../../base/fence.ts";
import { headOf } from "../../../tools/text/text.ts";

const maxFiles = 200;
/** Characters of all diffs together: about 10,000 tokens. */
const maxDiffChars = 40_000;
const maxSubjectChars = 120;
const maxMessageChars = 5_000;

export interface CommittedFile {
  /** "M src/cart.js", "R old.js → new.js" */
  title: string;
  /** The diff; the reason why there is none, as the end of a sentence. */
  diff: { text: string } | { leftOut: string };
}

export interface CommitContents {
  files: readonly CommittedFile[];
  /** First lines of recent commits, the newest first. */
  subjects: readonly string[];
  /** What the user has written already. */
  begun: string;
}

export function commitQuestion({ files, subjects, begun }: CommitContents): string {
  const listed = files.slice(0, maxFiles);
  const names = listed.map(({ title, diff }) => ("leftOut" in diff ? `${title} (not shown: ${diff.leftOut})` : title));
  if (files.length > listed.length) names.push(`and ${files.length - listed.length} more`);
  const diff = fairShares(files.flatMap(({ diff }) => ("text" in diff ? [diff.text] : [])));
  const fence = fenceFor(diff);
  const sections = [
    `Write the message for a commit of these files:\n${names.join("\n")}`,
    subjects.length > 0 && `Subjects of the last commits:\n${subjects.map(shortSubject).join("\n")}`,
    begun.trim() !== "" && `The developer has begun the message with:\n${headOf(begun.trim(), maxMessageChars)}`,
    diff !== "" && `The changes:\n${fence}diff\n${diff}\n${fence}`,
  ];
  return sections.filter(Boolean).join("\n\n");
}

const shortSubject = (message: string): string => `- ${headOf(message.split("\n", 1)[0] ?? "", maxSubjectChars)}`;

/** Joins texts up to the limit. Short ones are whole; long ones share what is left. */
function fairShares(texts: readonly string[]): string {
  let left = maxDiffChars;
  const order = texts.map((text, index) => ({ text, index })).sort((a, b) => a.text.length - b.text.length);
  const shares = order.map(({ text, index }, at) => {
    const share = Math.floor(left / (order.length - at));
    const shown = text.length <= share ? text : `${headOf(text, share)}\n[the rest of this file's changes is left out]`;
    left -= Math.min(text.length, share);
    return { shown, index };
  });
  const shown = shares.sort((a, b) => a.index - b.index).map((share) => share.shown.trimEnd());
  return shown.filter((text) => text !== "").join("\n");
}

/** Returns the message without a fence, quotes or characters that are not text. */
export function messageFrom(reply: string): string {
  const plain = reply.replace(/[^\P{Cc}\n\t]/gu, "").trim();
  const lines = plain.split("\n");
  const isFenced = lines.length > 2 && lines[0]?.startsWith("```") && lines.at(-1)?.startsWith("```");
  const text = (isFenced ? lines.slice(1, -1).join("\n") : plain).trim();
  const quoted = /^(["'`])(.*)\1$/.exec(text)?.[2] ?? text;
  return headOf(quoted, maxMessageChars);
}
