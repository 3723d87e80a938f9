/** Compaction (C3): a summary replaces the history in later requests. The record keeps everything. */

import { newID } from "../../base/ids.ts";
import type { Chat, Entry } from "../../chat/apply.ts";
import type { AssistantMessage, ErrorCode, Finish, ReplyError, UserMessage } from "../../chat/message.ts";
import { contextSize, noTokens } from "../../chat/token-counts.ts";
import { english, msg, msgCount } from "../../l10n/l10n.ts";
import { ModelError } from "../model.ts";
import { streamReply } from "../reply/reply.ts";
import type { AgentConfig } from "../setup/agent-config.ts";
import { pathOf } from "../setup/project.ts";
import { reminders } from "../setup/system-prompt.ts";
import type { ChatAccess, Turn } from "../turn.ts";
import {
  asBegun,
  estimateContext,
  fixedSize,
  isCompaction,
  sizeOfEntry,
  sizeOfThoughts,
  sum,
  visibleEntries,
  withoutOutputs,
} from "./context.ts";
import { leaveOut } from "./leave-out.ts";
import { carryPins, roomForPins } from "./pins.ts";
import { renewPrefix } from "./prefix.ts";
import { survivors } from "./survivors.ts";
import { addSyntheticMessage } from "./synthetic-message.ts";
import { tellUnpinned } from "./tell-unpinned.ts";
import { sizeOfText } from "./token-size.ts";

export type Compacted = { type: "done" } | { type: "nothing" } | { type: "failed"; why: string };

type CompactingTurn = ChatAccess & Pick<Turn, "resolveConfig">;

/**
 * Requests a compaction, which the loop's next round runs (L7). `auto`: not requested by the user. `keep`: what the user
 * wants the summary to keep.
 */
export function requestCompaction(turn: CompactingTurn, user: UserMessage, auto: boolean, keep = ""): void {
  const kept = survivors(turn.chat, turn.resolveConfig(user).contextWindow);
  const message: UserMessage = { ...user, id: newID("msg"), createdAt: Date.now() };
  const base = () => ({ id: newID("prt"), sessionID: message.sessionID, messageID: message.id });
  turn.emit({ type: "message", message });
  turn.emit({ type: "part", part: { type: "compaction", auto, ...(keep !== "" && { keep }), ...base() } });
  turn.emit({ type: "part", part: { type: "text", synthetic: true, text: kept, ...base() } });
}

/** Returns the requested compaction that has neither finished nor failed. */
export function pendingCompaction(entries: readonly Entry[]): Entry | undefined {
  const entry = entries.findLast(isCompaction);
  if (!entry) return undefined;
  const answered = entries.some(({ info }) => info.role === "assistant" && info.parentID === entry.info.id);
  return answered ? undefined : entry;
}

/** Whether the user requested only this compaction: then unanswered prompts are not continued. */
export function isWholeTurn({ messages }: Chat, asked: Entry): boolean {
  const byHand = asked.parts.some((part) => part.type === "compaction" && !part.auto);
  return byHand && messages.findLast(({ info }) => info.role === "user") === asked;
}

interface FailedSummaries {
  /** Since the last one that succeeded. */
  count: number;
  why: string;
  /** When the last one ended, in ms since 1970. */
  at: number;
}

function failedSummaries({ messages }: Chat): FailedSummaries {
  const failed: FailedSummaries = { count: 0, why: "", at: 0 };
  for (let index = messages.length - 1; index >= 0; index--) {
    const info = messages[index]?.info;
    if (info?.role !== "assistant" || !info.summary) continue;
    if (info.finish !== "interrupted" && !info.error) break;
    // An error before the server has done anything costs nothing: the next round tries again.
    if (!info.error || (info.error.code !== failureCode && contextSize(info.tokens) === 0)) continue;
    if (failed.count === 0) Object.assign(failed, { why: info.error.message, at: info.completedAt ?? info.createdAt });
    failed.count += 1;
  }
  return failed;
}

const longestPauseMinutes = 60;

/**
 * Why no automatic compaction is tried now: a summary has failed, which costs a whole window, and its pause, which doubles
 * with each failure, is not over. The user can compact at any time.
 */
export function recentFailure(chat: Chat): { message: string } | undefined {
  const { count, why, at } = failedSummaries(chat);
  if (count === 0) return undefined;
  const pauseMinutes = Math.min(2 ** (count - 1), longestPauseMinutes);
  if (Date.now() >= at + pauseMinutes * 60_000) return undefined;
  return {
    message: msgCount(
      pauseMinutes,
      "Compacting the conversation failed: {1} Rondo tries again after a minute; “Rondo: Compact Conversation” tries at once.",
      "Compacting the conversation failed: {1} Rondo tries again after {0} minutes; “Rondo: Compact Conversation” tries at once.",
      why,
    ),
  };
}

const longestSummary = 8000;

/** A failure keeps the history. @throws ModelError when the model cannot be called at all, or on Stop */
export async function compact(turn: Turn, config: AgentConfig, pending: Entry): Promise<Compacted> {
  const user = pending.info;
  if (user.role !== "user") throw new Error("a compaction that no user message asks for");
  const asked = pending.parts.find((part) => part.type === "compaction");
  const { auto = false, keep = "" } = asked ?? {};
  const hasFailed = failedSummaries(turn.chat).count > 0;
  const canShrink = visibleEntries(turn.chat).some(({ info }) => info.role === "assistant");
  if (!canShrink) return endWithoutSummary(turn, user, { type: "nothing" });
  const blocked = await firePreCompact(turn, auto, keep);
  if (blocked !== undefined) return endWithoutSummary(turn, user, { type: "failed", why: blocked });
  leaveOut(turn);
  const entries = visibleEntries(turn.chat);
  const begun = asBegun(turn.chat, config);
  const before = estimateContext(entries, begun);
  const room = Math.min(longestSummary, Math.floor(config.contextWindow / 4));
  const keepPinned = (isDone: boolean) => carryPins(turn, pending, roomForPins(turn, begun, pending, room), isDone);
  keepPinned(false);
  const question = questionOf(turn, user, keep);
  const size = sum(entries, sizeOfEntry);
  let limit = Math.min(config.inputLimit, config.contextWindow - room) - sizeOfEntry(question);
  for (let tries = 0; tries < 4; tries++) {
    const shown = squeeze(entries, begun, limit);
    if (!shown) break;
    try {
      const reply = await streamReply(turn, config, {
        entries: [...shown, question],
        areUnbound: shown !== entries,
        kind: "summary",
        parent: user,
        maxTokens: config.maxTokens === undefined ? undefined : Math.min(config.maxTokens, room),
        flaw: (text, finish) => flaw(text, finish, size),
      });
      const { error } = reply.message;
      if (!error) {
        tellUnpinned(turn, keepPinned(true), "summary");
        return succeed(turn, user, auto);
      }
      // A second attempt may be better; a third is not worth its price, nor is one after others have failed.
      if (tries >= 1 || hasFailed || !turn.budget.permits(config)) return { type: "failed", why: error.message };
    } catch (error) {
      if (!(error instanceof ModelError) || error.kind !== "context-full") throw error;
      limit = Math.floor(Math.min(limit, before) * 0.6);
    }
  }
  return endWithoutSummary(turn, user, {
    type: "failed",
    why: msg("The conversation does not fit into the model's window, however it is cut."),
  });
}

function succeed(turn: Turn, user: UserMessage, auto: boolean): Compacted {
  turn.refresh();
  renewPrefix(turn, turn.resolveConfig(user));
  const newest = visibleEntries(turn.chat).at(-1);
  // An unanswered prompt is repeated verbatim; during work the model is told to continue.
  if (auto && newest?.info.role === "assistant") addSyntheticMessage(turn, user, reminders.goOn);
  return { type: "done" };
}

/** Returns why the hooks forbid the compaction; undefined when they do not. */
async function firePreCompact(turn: Turn, auto: boolean, keep: string): Promise<string | undefined> {
  if (!turn.hooks.has("PreCompact")) return undefined;
  const trigger = auto ? "auto" : "manual";
  const outcome = await turn.hooks.fire("PreCompact", trigger, { trigger, custom_instructions: keep }, turn.signal);
  for (const message of outcome.messages) turn.log.note(message);
  return outcome.decision === "deny" ? outcome.reason || msg("A hook did not allow it.") : undefined;
}

/** Returns the summary's error, if any. `size`: tokens that the summary replaces. */
function flaw(text: string, finish: Finish, size: number): ReplyError | undefined {
  if (text.trim() === "") return failure(msg("The model gave no summary."));
  if (finish !== "stop") return failure(msg("The summary was cut."));
  return sizeOfText(text) >= size ? failure(msg("The summary was longer than the history it replaces.")) : undefined;
}

const failureCode: ErrorCode = "compaction";

function failure(message: string): ReplyError {
  return { code: failureCode, message, next: msg("The conversation is unchanged.") };
}

function discard(turn: Turn, message: AssistantMessage, why: string): void {
  turn.emit({ type: "message", message: { ...message, error: failure(why) } });
}

/** Answers a compaction whose request was not sent or not answered. */
function endWithoutSummary(turn: Turn, user: UserMessage, result: Exclude<Compacted, { type: "done" }>): Compacted {
  const why = result.type === "nothing" ? msg("There is nothing to compact yet.") : result.why;
  const known = turn.chat.messages.findLast(({ info }) => info.role === "assistant" && info.parentID === user.id)?.info;
  if (known?.role === "assistant") discard(turn, known, why);
  else {
    const { agent, model, sessionID, id: parentID } = user;
    const at = Date.now();
    const info = { id: newID("msg"), sessionID, createdAt: at, completedAt: at, role: "assistant" } as const;
    const path = pathOf(turn.chat.session, turn.project());
    discard(turn, { ...info, parentID, agent, model, path, tokens: noTokens, summary: true }, why);
  }
  return result;
}

/** Returns the request for a summary, which is not part of the chat. */
function questionOf(turn: Turn, user: UserMessage, keep: string): Entry {
  const agent = turn.project().agents.find("compaction");
  const wish =
    keep === ""
      ? ""
      : english(`\n\nThe user has asked for this summary, and says what it must keep:\n\n${quoted(keep)}`);
  const prompt = agent.prompt + wish;
  const text =
    turn.chat.prefix?.system === ""
      ? prompt
      : english(`${prompt}\n\nAnswer with the summary alone. No tool may be called now.`);
  const id = `${user.id}-question`;
  const { sessionID } = user;
  return { info: { ...user, id }, parts: [{ type: "text", id, sessionID, messageID: id, text, synthetic: true }] };
}

const quoted = (text: string): string => text.replace(/^/gm, "> ");

/** Drops the oldest outputs, then the oldest steps, until the rest fits; undefined if it never does. */
function squeeze(entries: readonly Entry[], config: AgentConfig, limit: number): readonly Entry[] | undefined {
  if (estimateContext(entries, config) <= limit) return entries;
  const room = limit / config.tokenScale();
  const shown = [...entries];
  // Thoughts are bound to the messages left out here, and are left out with them.
  const sizeOf = (entry: Entry) => sizeOfEntry(entry) - sizeOfThoughts(entry);
  const sizes = shown.map(sizeOf);
  let size = fixedSize(config) + sum(sizes, (one) => one);
  for (let at = 0; at < shown.length && size > room; at++) {
    const entry = shown[at];
    if (!entry) break;
    const slim = withoutOutputs(entry);
    shown[at] = slim;
    size += sizeOf(slim) - (sizes[at] ?? 0);
    sizes[at] = sizeOf(slim);
  }
  while (size > room && shown.length > 1) {
    shown.shift();
    size -= sizes.shift() ?? 0;
  }
  while (shown[0]?.info.role === "assistant") {
    shown.shift();
    size -= sizes.shift() ?? 0;
  }
  return shown.length > 0 && size <= room ? shown : undefined;
}
