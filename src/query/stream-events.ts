/** Emits a streaming reply as events of Anthropic's API, which SDK messages of type `stream_event` carry (K2). */

import { never } from "../base/never.ts";
import { type Chat, findPart } from "../chat/apply.ts";
import type { ChatEvent } from "../chat/events.ts";
import type { AssistantMessage, Finish, Part, Tokens } from "../chat/message.ts";
import type { TokenUsage } from "./query-types.ts";
import { emptyBlock, isBlock, toDelta } from "./sdk-blocks.ts";

type StreamEvent = Record<string, unknown> & { type: string };

/** Returns a function that takes each event after it was applied to the chat. */
export function streamEvents(chat: Chat, emit: (event: StreamEvent) => void): (event: ChatEvent) => void {
  /** The streaming reply, and its blocks by part id. */
  let message: AssistantMessage | undefined;
  let blocks = new Map<string, { index: number; isOpen: boolean }>();
  /** Whether `message_start` was emitted; a refused request never starts. */
  let isStarted = false;

  function start(reply: AssistantMessage): void {
    message = reply;
    blocks = new Map();
    isStarted = false;
  }

  function emitStart({ id, model, tokens }: AssistantMessage): void {
    isStarted = true;
    const head = { id, type: "message", role: "assistant", model: model.modelID, content: [], usage: toUsage(tokens) };
    emit({ type: "message_start", message: { ...head, stop_reason: null, stop_sequence: null } });
  }

  function part(one: Part): void {
    if (one.messageID !== message?.id || one.type === "retry") return;
    if (!isStarted) emitStart(message);
    if (!isBlock(one)) return;
    const block = blocks.get(one.id);
    if (block) {
      // A part arrives complete at its end.
      if (block.isOpen) stop(block);
      return;
    }
    const index = blocks.size;
    blocks.set(one.id, { index, isOpen: true });
    emit({ type: "content_block_start", index, content_block: emptyBlock(one) });
  }

  function delta(partID: string, text: string): void {
    const block = blocks.get(partID);
    const one = message && findPart(chat, message.id, partID);
    if (block && one && isBlock(one))
      emit({ type: "content_block_delta", index: block.index, delta: toDelta(one, text) });
  }

  function stop(block: { index: number; isOpen: boolean }): void {
    block.isOpen = false;
    emit({ type: "content_block_stop", index: block.index });
  }

  function end(reply: AssistantMessage): void {
    if (message?.id !== reply.id) return;
    message = undefined;
    if (!isStarted) return;
    for (const block of blocks.values()) if (block.isOpen) stop(block);
    const ended = { stop_reason: stopReason(reply.finish), stop_sequence: null };
    emit({ type: "message_delta", delta: ended, usage: toUsage(reply.tokens) });
    emit({ type: "message_stop" });
  }

  return (event) => {
    switch (event.type) {
      case "message":
        if (event.message.role === "user") return;
        return event.message.completedAt === undefined ? start(event.message) : end(event.message);
      case "part":
        return part(event.part);
      case "delta":
        return delta(event.partID, event.text);
      case "reset":
        // A retry starts the reply again.
        return message && start(message);
      default:
        return;
    }
  };
}

export function stopReason(finish: Finish | undefined): string | null {
  switch (finish) {
    case "stop":
      return "end_turn";
    case "tool-calls":
      return "tool_use";
    case "length":
      return "max_tokens";
    case "context-full":
      return "model_context_window_exceeded";
    case "content-filter":
    case "refusal":
      return "refusal";
    case "pause":
      return "pause_turn";
    case "interrupted":
    case "unknown":
    case undefined:
      return null;
    default:
      return never(finish);
  }
}

export function toUsage(tokens: Tokens): TokenUsage {
  return {
    input_tokens: tokens.input,
    output_tokens: tokens.output,
    cache_read_input_tokens: tokens.cacheRead,
    cache_creation_input_tokens: tokens.cacheWrite,
  };
}
