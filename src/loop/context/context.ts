/** Selects the entries for a request (L2, C6) and measures how full the window is (C1, C2). Sizes are in tokens. */

import { type Chat, type Entry, isFinishedSummary } from "../../chat/apply.ts";
import type { Finish, Part, UserMessage } from "../../chat/message.ts";
import { contextSize } from "../../chat/token-counts.ts";
import { english } from "../../l10n/l10n.ts";
import type { Limits } from "../limits.ts";
import { kindOf, sizeOfOutput } from "../part-kinds.ts";
import type { AgentConfig } from "../setup/agent-config.ts";
import { leftOutOf, withoutDropped } from "./dropped.ts";
import { sizeOfText } from "./token-size.ts";

export interface PendingPrompt {
  /** The newest prompt. */
  user: UserMessage | undefined;
  /** Whether it has a final reply (L4). */
  isAnswered: boolean;
}

export function pendingPrompt({ messages }: Chat): PendingPrompt {
  const asked = messages.findLastIndex((entry) => entry.info.role === "user" && isTalk(entry));
  const replied = messages.findLastIndex((entry) => entry.info.role === "assistant" && isTalk(entry));
  const user = messages[asked]?.info;
  const reply = messages[replied]?.info;
  const isDone = reply?.role === "assistant" && !reply.error && reply.finish !== undefined && endsTurn[reply.finish];
  return { user: user?.role === "user" ? user : undefined, isAnswered: isDone && replied > asked };
}

/** Notes for memory, compactions and summaries answer no prompt. */
function isTalk(entry: Entry): boolean {
  return !entry.info.silent && isShown(entry);
}

/** Returns the number of the first messages up to the last reply before `end`: prompts after it have none yet. */
export function answeredBefore(messages: readonly Entry[], end = messages.length): number {
  return messages.findLastIndex((entry, at) => at < end && entry.info.role === "assistant" && isTalk(entry)) + 1;
}

/** Whether a reply with this finish is final; one that was cut off or stopped is not. */
const endsTurn: Readonly<Record<Finish, boolean>> = {
  stop: true,
  "content-filter": true,
  refusal: true,
  pause: true,
  "tool-calls": false,
  unknown: false,
  length: false,
  "context-full": false,
  interrupted: false,
};

/** Returns the entries for a request, oldest first: from the newest finished compaction on, pruned, without what was dropped. */
export function visibleEntries(chat: Chat): Entry[] {
  return withoutDropped(chat, withoutPruned(chat, effectiveHistory(chat)));
}

function effectiveHistory(chat: Chat): Entry[] {
  const { messages } = chat;
  const summary = messages.findLastIndex(isFinishedSummary);
  if (summary < 0) return messages.filter(isShown);
  const request = messages.findLastIndex((entry, at) => at < summary && isCompaction(entry));
  // Unanswered prompts are repeated verbatim after the summary.
  const unanswered = answeredBefore(messages, request);
  const pair = [messages[request], messages[summary]].filter((entry) => entry !== undefined);
  // A queued prompt may be between the two.
  const between = request < 0 ? [] : messages.slice(request + 1, summary);
  const asked = request < 0 ? [] : messages.slice(unanswered, request).filter(isTalk).map(withoutTold);
  const rest = [...asked, ...between, ...messages.slice(summary + 1)];
  return [...pair, ...rest.filter(isShown)];
}

/** Returns how many of a request's entries came up to this message, which need not be one of them. */
export function countUpTo({ messages }: Chat, entries: readonly Entry[], messageID: string | undefined): number {
  if (messageID === undefined) return 0;
  const at = entries.findLastIndex(({ info }) => info.id === messageID);
  if (at >= 0) return at + 1;
  const before = new Set(
    messages
      .slice(
        0,
        messages.findIndex(({ info }) => info.id === messageID),
      )
      .map(({ info }) => info),
  );
  return entries.findLastIndex(({ info }) => before.has(info)) + 1;
}

const untold = new WeakMap<Entry, Entry>();

/** Changes that were told before are part of the newer prefix; date and mode are not. */
function withoutTold(entry: Entry): Entry {
  const isTold = (part: Part) =>
    part.type === "tools" || (part.type === "text" && part.told && !("date" in part.told || "mode" in part.told));
  if (!entry.parts.some(isTold)) return entry;
  const known = untold.get(entry) ?? { info: entry.info, parts: entry.parts.filter((part) => !isTold(part)) };
  untold.set(entry, known);
  return known;
}

/** Called for every entry at every step, so it checks only the first part, which has the mark. */
export function isCompaction({ parts }: Entry): boolean {
  return parts[0]?.type === "compaction";
}

/** Failed and outdated compactions are not part of the conversation. */
function isShown(entry: Entry): boolean {
  return !isCompaction(entry) && !(entry.info.role === "assistant" && entry.info.summary);
}

const leftOut = english("(This output is old and was left out. Call the tool again if you need it.)");

/** Pruned entries, created once, so that requests can be cached by their entries. */
const prunedCopies = new WeakMap<object, WeakMap<Entry, Entry>>();

function withoutPruned({ pruned, messages }: Chat, entries: Entry[]): Entry[] {
  if (!pruned) return entries;
  const copies = prunedCopies.get(pruned) ?? new WeakMap<Entry, Entry>();
  prunedCopies.set(pruned, copies);
  const old = new Set(messages.slice(0, messages.findIndex(({ info }) => info.id === pruned.outputs) + 1));
  const kept = new Set(pruned.kept);
  return entries.map((entry) => {
    if (!old.has(entry)) return entry;
    const copy = copies.get(entry) ?? withoutOutputs(entry, kept);
    copies.set(entry, copy);
    return copy;
  });
}

/** Replaces each long output with a sentence, except those of the parts `kept`. */
export function withoutOutputs({ info, parts }: Entry, kept: ReadonlySet<string> = new Set()): Entry {
  return { info, parts: parts.map((part) => (kept.has(part.id) ? part : withoutOutput(part))) };
}

function withoutOutput(part: Part): Part {
  if (part.type !== "tool" || part.state.status !== "completed" || sizeOfOutput(part) < 100) return part;
  const { attachments: _, ...state } = part.state;
  return { ...part, state: { ...state, output: leftOut } };
}

/** Tokens without which a reply is of no use; less in the small windows of some local models. */
export function leastReply({ contextWindow }: AgentConfig): number {
  return Math.min(1024, Math.floor(contextWindow / 8));
}

/** The most tokens of a request: those that the model takes, with room for a reply. */
export function mostInput(config: AgentConfig): number {
  return Math.min(config.inputLimit, config.contextWindow - leastReply(config));
}

/** Compaction begins here: leaves a reserve for the reply, larger for models with long replies (C1). */
export function overflowLimit(config: AgentConfig, { compactAt, reserveFloorTokens }: Limits): number {
  const { contextWindow, inputLimit, maxTokens = 0 } = config;
  // In a very small window the usual reserve would leave nothing, so a part of the window is kept.
  const reserve = Math.min(reserveFloorTokens, contextWindow / 4);
  const answer = Math.max(reserve, Math.min(maxTokens, contextWindow / 3));
  return Math.floor(Math.min(compactAt * contextWindow, contextWindow - answer, inputLimit - reserve));
}

/**
 * Adds an estimate of the new entries to the reported tokens of the last reply, if any (C2). Estimates are corrected by
 * what the model's replies were reported to have taken so far.
 */
export function estimateContext(entries: readonly Entry[], config: AgentConfig): number {
  const counted = entries.findLastIndex(
    ({ info }) =>
      info.role === "assistant" &&
      !info.summary &&
      !info.estimated &&
      !info.cut &&
      info.finish !== undefined &&
      info.finish !== "interrupted" &&
      contextSize(info.tokens) > 0,
  );
  const reply = entries[counted];
  const scale = config.tokenScale();
  if (reply?.info.role !== "assistant") return Math.ceil(scale * (fixedSize(config) + sum(entries, sizeOfEntry)));
  const added = sizeOfOutputs(reply) + sum(entries.slice(counted + 1), sizeOfEntry);
  const { id, tokens } = reply.info;
  // What was dropped after that reply is still counted in its tokens.
  const dropped = sum(entries.slice(0, counted + 1), (entry) => sizeOfLeftOut(entry, id));
  return Math.max(0, contextSize(tokens) + Math.ceil(scale * (added - dropped)));
}

/** Returns by how much an entry was larger before something was dropped from it, after the message `since` if given. */
export function sizeOfLeftOut(entry: Entry, since = ""): number {
  // Ids are in the order of their creation (D1).
  return sum(leftOutOf(entry), ({ part, instead, after }) =>
    after >= since ? sizeOfPart(part) - sizeOfPart(instead) : 0,
  );
}

export interface ContextMeasure {
  entries: readonly Entry[];
  size: number;
}

export function measureContext(chat: Chat, config: AgentConfig): ContextMeasure {
  const entries = visibleEntries(chat);
  return { entries, size: estimateContext(entries, asBegun(chat, config)) };
}

/** Returns the config with the system prompt and the tools with which the requests of the conversation begin (C7). */
export function asBegun({ prefix }: Chat, config: AgentConfig): AgentConfig {
  return prefix ? { ...config, system: prefix.system, definitions: prefix.tools } : config;
}

const systemSizes = new WeakMap<object, { system: string; size: number }>();

export function fixedSize({ system, definitions }: Pick<AgentConfig, "system" | "definitions">): number {
  let known = systemSizes.get(definitions);
  if (known?.system !== system) {
    known = { system, size: sizeOfText(system) };
    systemSizes.set(definitions, known);
  }
  return known.size + sizeOfTools(definitions);
}

const toolSizes = new WeakMap<object, number>();

export function sizeOfTools(definitions: AgentConfig["definitions"]): number {
  const known = toolSizes.get(definitions) ?? sizeOfText(JSON.stringify(definitions));
  toolSizes.set(definitions, known);
  return known;
}

/** Tokens of the role and the separators of a message. */
export const sizeOfFrame = 4;

export function sizeOfEntry({ parts }: Entry): number {
  return sizeOfFrame + sum(parts, sizeOfPart);
}

export function sizeOfPart(part: Part): number {
  return kindOf(part).size(part);
}

/** Returns the tokens of an entry's thoughts, which are not always sent. */
export function sizeOfThoughts({ parts }: Entry): number {
  return sum(parts, (part) => (part.type === "reasoning" ? sizeOfPart(part) : 0));
}

/** Returns the tokens of the results of an entry's calls. */
export function sizeOfOutputs({ parts }: Pick<Entry, "parts">): number {
  return sum(parts, (part) => (part.type === "tool" ? sizeOfOutput(part) : 0));
}

export function sum<Item>(items: readonly Item[], size: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += size(item);
  return total;
}
