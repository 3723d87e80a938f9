/** Projects the events of a session onto SDK messages (spec K2), whose fields are those of Claude Code's public SDK. */
import { type Chat, type Entry, findEntry } from "../chat/apply.ts";
import type { ChatEvent, Status } from "../chat/events.ts";
import type { AssistantMessage, Part, ToolPart } from "../chat/message.ts";
import { contextSize } from "../chat/token-counts.ts";
import type { SDKAssistantMessageError, SDKMessage } from "./query-types.ts";
import { toBlocks, toResultBlock } from "./sdk-blocks.ts";
import { stopReason, streamEvents, toUsage } from "./stream-events.ts";

type MessageBody<M = SDKMessage> = M extends unknown ? Omit<M, "uuid" | "session_id"> : never;

interface ProjectionOptions {
  chat: Chat;
  /** Whether to emit the events of streaming replies. */
  partial: boolean;
  maxRetries(): number;
  makeID(): string;
  emit(message: SDKMessage): void;
  /** Called once for each reply when it has ended; `own` unless it is a reply to a subagent. */
  onReply(message: AssistantMessage, own: boolean): void;
  onDenied(part: ToolPart): void;
}

const progressIntervalMs = 5_000;

/**
 * Emits `assistant` when a reply is complete and `user` for each tool result, in call order. `take` takes an event
 * after it was applied to the chat.
 */
export function projectMessages(options: ProjectionOptions) {
  const { chat, makeID } = options;
  const timers = new Set<NodeJS.Timeout>();
  const emit = (message: MessageBody) => {
    // The body belongs to one kind of message; TypeScript cannot rebuild the union.
    options.emit({ ...message, uuid: makeID(), session_id: chat.session.id } as SDKMessage);
  };
  return {
    emit,
    take: follow(chat, null, { ...options, emit, timers }),
    close() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

interface SharedOptions extends Omit<ProjectionOptions, "chat" | "emit"> {
  emit(message: MessageBody): void;
  timers: Set<NodeJS.Timeout>;
}

/** Follows one chat: the session's own or a subagent's. `parent`: id of the `task` call that the subagent works for. */
function follow(chat: Chat, parent: string | null, shared: SharedOptions): (event: ChatEvent) => void {
  const { emit } = shared;
  const results = trackResults(parent, shared);
  const children = new Map<string, (event: ChatEvent) => void>();
  const stream =
    shared.partial && parent === null
      ? streamEvents(chat, (event) => emit({ type: "stream_event", event, parent_tool_use_id: null }))
      : undefined;
  /** Ids of replies that are not shown: those of silent turns, and summaries. */
  const hidden = new Set<string>();
  const ended = new Set<string>();
  let compaction: "manual" | "auto" | undefined;

  function reply(message: AssistantMessage): void {
    if (message.completedAt === undefined || ended.has(message.id)) return;
    ended.add(message.id);
    const entry = findEntry(chat, message.id);
    if (!entry) return;
    // Without a step-start the model was not asked: the request failed, or a subtask took its place.
    if (entry.parts.some(({ type }) => type === "step-start")) shared.onReply(message, parent === null);
    if (message.summary) boundary(message);
    if (hidden.has(message.id)) return;
    const content = entry.parts.flatMap(toBlocks);
    if (content.length === 0) return;
    const { id, model, finish, tokens, error } = message;
    emit({
      type: "assistant",
      message: {
        id,
        type: "message",
        role: "assistant",
        model: model.modelID,
        content,
        stop_reason: stopReason(finish),
        stop_sequence: null,
        usage: toUsage(tokens),
      },
      parent_tool_use_id: parent,
      ...(error && { error: errors[error.code] ?? "unknown" }),
    });
    results.expect(entry);
  }

  function boundary(summary: AssistantMessage): void {
    if (parent !== null) return;
    if (!summary.error && summary.finish !== "interrupted") {
      const metadata = { trigger: compaction ?? "auto", pre_tokens: sizeBefore(chat, summary) };
      emit({ type: "system", subtype: "compact_boundary", compact_metadata: metadata });
    }
    compaction = undefined;
    emit({ type: "system", subtype: "status", status: null });
  }

  function part(one: Part): void {
    switch (one.type) {
      case "tool":
        results.part(one, findEntry(chat, one.messageID));
        return;
      case "compaction":
        if (parent !== null || compaction) return;
        compaction = one.auto ? "auto" : "manual";
        emit({ type: "system", subtype: "status", status: "compacting" });
        return;
      case "text":
        if (one.ignored) emit({ type: "system", subtype: "informational", level: "notice", content: one.text });
    }
  }

  function child(sessionID: string, event: ChatEvent): void {
    const chatOfChild = chat.children[sessionID];
    if (!chatOfChild) return;
    let take = children.get(sessionID);
    if (!take) {
      take = follow(chatOfChild, callFor(chat, sessionID) ?? parent, shared);
      children.set(sessionID, take);
    }
    take(event);
  }

  /** Whether an event changes a reply of an earlier run or another process, which is first closed or caught up with. */
  function isOld(event: ChatEvent): boolean {
    if (parent !== null || chat.status.type !== "idle") return false;
    const id = messageIDOf(event);
    return id !== undefined && findEntry(chat, id)?.info.role === "assistant";
  }

  return (event) => {
    if (isOld(event)) return;
    if (event.type === "message") {
      const { message } = event;
      if (message.silent || (message.role === "assistant" && message.summary)) hidden.add(message.id);
    }
    if (stream && !hidden.has(messageIDOf(event) ?? "")) stream(event);
    switch (event.type) {
      case "message":
        if (event.message.role === "assistant") reply(event.message);
        return;
      case "part":
        return part(event.part);
      case "status":
        if (event.status.type === "retry") emit(retry(chat, event.status, shared.maxRetries()));
        return;
      case "child":
        return child(event.sessionID, event.event);
    }
  };
}

function trackResults(parent: string | null, { emit, timers, onDenied }: SharedOptions) {
  /** Part ids of calls whose results are not emitted yet, by reply. */
  const due = new Map<string, string[]>();
  const running = new Map<string, { start: number; timer: NodeJS.Timeout }>();

  function progress(call: ToolPart, ms: number): void {
    emit({
      type: "tool_progress",
      tool_use_id: call.callID,
      tool_name: call.tool,
      parent_tool_use_id: parent,
      elapsed_time_seconds: ms / 1000,
    });
  }

  function begin(call: ToolPart, start: number): void {
    if (running.has(call.id)) return;
    const timer = setInterval(() => progress(call, Date.now() - start), progressIntervalMs);
    running.set(call.id, { start, timer });
    timers.add(timer);
    progress(call, 0);
  }

  function end(call: ToolPart, at: number): void {
    const one = running.get(call.id);
    if (!one) return;
    running.delete(call.id);
    timers.delete(one.timer);
    clearInterval(one.timer);
    progress(call, at - one.start);
  }

  function emitResults(entry: Entry): void {
    const calls = due.get(entry.info.id) ?? [];
    while (calls[0] !== undefined) {
      const call = entry.parts.find((part) => part.id === calls[0]);
      const block = call?.type === "tool" ? toResultBlock(call) : undefined;
      if (!block) return;
      calls.shift();
      emit({ type: "user", message: { role: "user", content: [block] }, parent_tool_use_id: parent });
    }
    due.delete(entry.info.id);
  }

  return {
    /** The reply was emitted; the results of its calls may follow. */
    expect(entry: Entry): void {
      due.set(
        entry.info.id,
        entry.parts.flatMap((part) => (part.type === "tool" ? [part.id] : [])),
      );
      emitResults(entry);
    },
    part(call: ToolPart, entry: Entry | undefined): void {
      const { state } = call;
      if (state.status === "running") begin(call, state.start);
      if (state.status !== "completed" && state.status !== "error") return;
      end(call, state.end);
      if (state.metadata?.denied) onDenied(call);
      if (entry && due.has(entry.info.id)) emitResults(entry);
    },
  };
}

function messageIDOf(event: ChatEvent): string | undefined {
  switch (event.type) {
    case "message":
      return event.message.id;
    case "part":
      return event.part.messageID;
    case "delta":
    case "reset":
      return event.messageID;
    default:
      return undefined;
  }
}

function callFor(chat: Chat, sessionID: string): string | undefined {
  const calls = chat.messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool"));
  const named = calls.findLast(
    ({ state }) => state.status !== "pending" && state.metadata !== undefined && state.metadata.childID === sessionID,
  );
  const call = named ?? calls.findLast(({ tool, state }) => tool === "task" && state.status === "running");
  return call?.callID;
}

/** Returns the size of the history that a summary replaced, in tokens as the provider counted them. */
function sizeBefore({ messages }: Chat, summary: AssistantMessage): number {
  const before = messages
    .map(({ info }) => info)
    .findLast((info) => info.role === "assistant" && !info.summary && contextSize(info.tokens) > 0);
  return contextSize(before?.role === "assistant" ? before.tokens : summary.tokens);
}

function retry(chat: Chat, { attempt, nextAt }: Extract<Status, { type: "retry" }>, maxRetries: number) {
  const part = chat.messages.at(-1)?.parts.findLast((one) => one.type === "retry");
  const code = part?.type === "retry" ? part.error.code : "";
  return {
    type: "system",
    subtype: "api_retry",
    attempt,
    max_retries: maxRetries,
    retry_delay_ms: Math.max(0, Math.round(nextAt - Date.now())),
    // Other codes stand for several statuses.
    error_status: code === "rate-limit" ? 429 : null,
    error: errors[code] ?? "unknown",
  } as const;
}

/** By the code of a ReplyError. */
const errors: Readonly<Record<string, SDKAssistantMessageError>> = {
  "no-key": "authentication_failed",
  auth: "authentication_failed",
  "no-access": "invalid_request",
  flagged: "invalid_request",
  "rate-limit": "rate_limit",
  invalid: "invalid_request",
  "unknown-model": "invalid_request",
  "context-full": "invalid_request",
  overloaded: "server_error",
  server: "server_error",
};
