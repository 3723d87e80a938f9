/** Gives every open call a result and every reply an end, whatever ended them (spec L10, R3). */

import type { Chat } from "../../chat/apply.ts";
import type { AssistantMessage, CallMetadata, ToolPart, ToolState } from "../../chat/message.ts";
import { english, msg } from "../../l10n/l10n.ts";
import type { ChatAccess } from "../turn.ts";

/** What a call is told that was not run, for the model and for people. */
export interface CloseReason {
  error: string;
  words: string;
}

export const abortedText = english("Tool execution aborted");

export const aborted: CloseReason = { error: abortedText, words: msg("Stopped before it ran.") };

export const overBudget: CloseReason = {
  error: english("Not run: the budget is used up"),
  words: msg("Not run: the budget is used up."),
};

export const lastStep: CloseReason = {
  error: english("Not run: this was the last step, in which no tool may be called."),
  words: msg("Not run: this was the last step."),
};

export const interrupted: CloseReason = {
  error: english(
    "Interrupted: Rondo was closed while this ran. It may have taken effect in part; look before doing it again.",
  ),
  words: msg("Rondo was closed while this ran. It may have taken effect in part."),
};

/** For calls that had not begun when Rondo was closed. */
const notBegun: CloseReason = {
  error: english("Not run: Rondo was closed before this began."),
  words: msg("Not run: Rondo was closed before this began."),
};

const notAnswered: CloseReason = {
  error: english("Not run: Rondo was closed before the user had answered whether this may run."),
  words: msg("Not run: Rondo was closed before you answered."),
};

const cut: CloseReason = {
  error: english("Cut: the reply reached its longest length within this call, so it was not run."),
  words: msg("Not run: the reply was cut off within this call."),
};

type OpenChat = Pick<ChatAccess, "chat" | "emit">;

/** @param kept calls that stay open @returns whether anything else was open */
export function closeOpenCalls({ chat, emit }: OpenChat, reason: CloseReason, kept: readonly ToolPart[] = []): boolean {
  let wasOpen = false;
  const stays = new Set(kept.map(({ id }) => id));
  for (const { info, parts } of chat.messages) {
    if (info.role !== "assistant") continue;
    for (const part of [...parts]) {
      if (part.type !== "tool" || stays.has(part.id)) continue;
      if (closeCall(emit, part, info, reason === interrupted ? reasonFor(part.state) : reason)) wasOpen = true;
    }
    if (info.completedAt !== undefined) continue;
    wasOpen = true;
    const finish = info.error ? {} : ({ finish: "interrupted" } as const);
    emit({ type: "message", message: { ...info, ...finish, completedAt: Date.now() } });
  }
  return wasOpen;
}

/** What a call is told whose window was closed: only one that ran may have taken effect. */
function reasonFor(state: ToolState): CloseReason {
  if (state.status === "pending") return notBegun;
  return state.status === "running" && state.metadata?.asking ? notAnswered : interrupted;
}

/**
 * Returns the calls of the newest reply about which the user was asked when Rondo was closed, and those that wait behind
 * them, in order. None has begun to run.
 */
export function waitingCalls({ messages }: Chat): ToolPart[] {
  const reply = messages.findLast(({ info }) => info.role === "assistant");
  if (reply?.info.role !== "assistant") return [];
  const { silent, summary, completedAt } = reply.info;
  if (silent || summary || completedAt === undefined) return [];
  const calls = reply.parts.filter((part) => part.type === "tool");
  if (!calls.some(({ state }) => isAsking(state))) return [];
  return calls.filter(({ state }) => isAsking(state) || state.status === "pending");
}

function isAsking(state: ToolState): boolean {
  return state.status === "running" && state.metadata?.asking === true;
}

/** Marks calls of a cut reply: they are not run, and no longer sent to the model (C4). */
export function discardCalls({ chat, emit }: OpenChat, message: AssistantMessage): void {
  const parts = chat.messages.findLast(({ info }) => info.id === message.id)?.parts ?? [];
  for (const part of [...parts]) {
    if (part.type === "tool") closeCall(emit, part, message, cut, { discarded: true });
  }
}

function closeCall(
  emit: OpenChat["emit"],
  part: ToolPart,
  { createdAt }: AssistantMessage,
  { error, words }: CloseReason,
  more: CallMetadata = {},
): boolean {
  const { state } = part;
  if (state.status === "completed" || state.status === "error") return false;
  const { input } = state;
  const start = state.status === "running" ? state.start : createdAt;
  const title = state.status === "running" && state.title !== undefined ? { title: state.title } : {};
  const metadata = { ...withoutLiveOutput(state), ...more };
  if (state.status === "pending") {
    emit({ type: "part", part: { ...part, state: { status: "running", input, start, metadata } } });
  }
  const told = { fact: factOf(state), words: { at: 0, text: words } };
  const end = { error, end: Date.now(), metadata: { ...metadata, ...told } };
  emit({ type: "part", part: { ...part, state: { status: "error", input, start, ...title, ...end } } });
  return true;
}

function factOf(state: ToolState): string {
  return state.status === "running" && !isAsking(state) ? msg("cut off") : msg("not run");
}

function withoutLiveOutput(state: Extract<ToolState, { status: "pending" | "running" }>): CallMetadata {
  if (state.status === "pending") return state.provider ? { provider: state.provider } : {};
  const { live: _, liveLines: __, asking: ___, ...metadata } = state.metadata ?? {};
  return metadata;
}
