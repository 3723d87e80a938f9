/**
 * Comments of the user on lines: their text for the model, and the answers in a chat. Pure; the panel uses it, too.
 * Its texts are for the model.
 */

import { fenced } from "../base/fence.ts";
import { localized, t } from "../l10n/l10n.ts";
import type { Chat, Entry } from "./apply.ts";
import type { CommentPart } from "./message.ts";
import type { PromptInput, PromptPart, SentComment } from "./prompt-input.ts";

/** Returns "src/cart.ts, lines 31–33". */
export function placeName({ place, source: { start, end } }: Pick<SentComment, "place" | "source">): string {
  const lines = start === end ? t("line {0}", start) : t("lines {0}–{1}", start, end);
  return `${place.type === "plan" ? t("The plan") : place.filename}, ${lines}`;
}

/** Returns the comment as the model gets it: its place, the lines and the change as data, and the user's words. */
export function commentText(comment: Pick<CommentPart, "number" | "text" | "place" | "source" | "earlier">): string {
  const { number, place, source, earlier } = comment;
  const blocks = [
    place.type === "plan"
      ? `Comment ${number} on your plan, ${linesOf(source)}:`
      : `Comment ${number} on ${place.filename}, ${linesOf(source)}. What stands there now:`,
    fenced(source.text),
  ];
  if (place.type === "change") {
    blocks.push(`It is part of this change of yours, at line ${place.change.line}, which waits for review:`);
    blocks.push(changeText(place.change));
  }
  if (earlier !== undefined) blocks.push("In another session these lines were talked about:", fenced(earlier));
  return [...blocks, "The user writes:", comment.text].join("\n\n");
}

const linesOf = ({ start, end }: SentComment["source"]) =>
  start === end ? `line ${start}` : `lines ${start} to ${end}`;

/** Returns a block with the lines that a change removed and added. */
export function changeText({ removed, added }: { removed: string; added: string }): string {
  return fenced([...marked("-", removed), ...marked("+", added)].join("\n"), "diff");
}

function marked(mark: string, text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => `${mark} ${line}`);
}

/** Maximum characters of the lines that a comment quotes, and of each side of a change. */
const maxQuote = 4000;

/** Returns the text, or its beginning and how much more there is. */
export function shortened(text: string): string {
  if (text.length <= maxQuote) return text;
  const head = text.slice(0, text.lastIndexOf("\n", maxQuote) + 1) || text.slice(0, maxQuote).toWellFormed();
  const more = text.slice(head.length).split("\n").length;
  return `${head}${head.endsWith("\n") ? "" : "\n"}(${more} more lines)\n`;
}

/** Returns the number of the next comment of a session. */
export function nextNumber({ messages, setAside, queue }: Pick<Chat, "messages" | "setAside" | "queue">): number {
  const numbers = [...messages, ...setAside, ...queue].flatMap(
    ({ parts }: { parts: readonly PromptPart[] | Entry["parts"] }) =>
      parts.map((part) => (part.type === "comment" ? part.number : 0)),
  );
  return numbers.reduce((most, number) => Math.max(most, number), 0) + 1;
}

/** Returns the prompt that sends comments together, behind what else the user says. */
export function commentsPrompt(comments: readonly SentComment[], others: readonly PromptPart[] = []): PromptInput {
  return { parts: [...others, ...comments, { type: "text", text: instructions(comments), synthetic: true }] };
}

function instructions(comments: readonly SentComment[]): string {
  const [first] = comments;
  const isPlan = comments.some(({ place }) => place.type === "plan");
  const isCode = comments.some(({ place }) => place.type !== "plan");
  const isOne = comments.length === 1;
  const sentences = [
    isCode && `Change the code as ${isOne ? "the comment asks" : "the comments ask"}, or say why not.`,
    isOne
      ? "Answer it in a few sentences: they are shown beside the commented lines."
      : `When you are done, answer each in a few sentences, which are shown beside the commented lines. Begin each answer with a line of its own, such as "Comment ${first?.number}:".`,
    isPlan && `Then write the whole plan again, as it is now, below the heading "# Plan".`,
  ];
  return sentences.filter((one) => one !== false).join(" ");
}

export type CommentAnswer =
  /** Waits in the queue, or was never sent. */
  { type: "waiting" } | { type: "working" } | { type: "answered"; text: string } | { type: "failed"; reason: string };

/** Returns what the agent has answered to a comment; undefined if the chat has no such comment. */
export function answerTo(
  chat: Pick<Chat, "messages" | "queue" | "status">,
  commentID: string,
): CommentAnswer | undefined {
  const isIt = (part: PromptPart | Entry["parts"][number]) => part.type === "comment" && part.commentID === commentID;
  const at = chat.messages.findIndex(({ parts }) => parts.some(isIt));
  if (at < 0) return chat.queue.some(({ parts }) => parts.some(isIt)) ? { type: "waiting" } : undefined;
  const comments = (chat.messages[at]?.parts ?? []).filter((part) => part.type === "comment");
  const replies = repliesAfter(chat.messages, at);
  const last = replies.at(-1)?.info;
  const isFinal = last?.role === "assistant" && last.finish !== undefined && !goesOn.has(last.finish);
  if (!isFinal && !(last?.role === "assistant" && last.error) && chat.status.type !== "idle")
    return { type: "working" };
  const texts = replies.map(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" && !part.ignored ? [part.text] : [])).join("\n\n"),
  );
  const number = comments.find(isIt)?.number ?? 0;
  const own = texts.map((text) => answerIn(text, number)).findLast((text) => text !== undefined);
  const text = (own ?? texts.findLast((one) => one.trim() !== "") ?? "").trim();
  if (last?.role === "assistant" && last.error) return { type: "failed", reason: localized(last.error.message) };
  if (!isFinal || last?.finish === "interrupted")
    return { type: "failed", reason: t("Stopped before it was answered.") };
  return text === "" ? { type: "failed", reason: t("The answer is empty.") } : { type: "answered", text };
}

/** A reply that ends so is followed by another one. */
const goesOn = new Set(["tool-calls", "unknown", "length", "context-full"]);

/** Returns the replies up to the first final one: prompts that joined the turn meanwhile are answered by it, too. */
function repliesAfter(messages: readonly Entry[], at: number): Entry[] {
  const replies: Entry[] = [];
  for (const entry of messages.slice(at + 1)) {
    const { info } = entry;
    if (info.role !== "assistant" || info.summary || info.silent) continue;
    replies.push(entry);
    if (info.finish !== undefined && !goesOn.has(info.finish)) break;
  }
  return replies;
}

/** Returns the part of a reply that answers the comment with this number: up to the next one, or the plan. */
function answerIn(text: string, number: number): string | undefined {
  const lines = text.split("\n");
  const begin = lines.findIndex((line) => commentNumber(line) === number);
  if (begin < 0) return undefined;
  const rest = lines.slice(begin + 1);
  const end = rest.findIndex((line) => commentNumber(line) !== undefined || /^# /.test(line));
  const first = lines[begin]?.replace(commentHead, "") ?? "";
  return [first, ...(end < 0 ? rest : rest.slice(0, end))].join("\n").trim() || undefined;
}

/** Models set the line in bold, or as a heading. */
const commentHead = /^[\s*#_>-]{0,8}Comment (\d+)[*_]{0,3}:[*_]{0,3}/i;

function commentNumber(line: string): number | undefined {
  const found = commentHead.exec(line)?.[1];
  return found === undefined ? undefined : Number(found);
}
