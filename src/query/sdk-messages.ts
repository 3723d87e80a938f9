/** A run as SDK messages, the form that programs and scripts read (spec K2): fields are those of Claude Code's public SDK. */

import { type Chat, type Entry, findEntry } from "../chat/apply.ts";
import type { ChatEvent, Status } from "../chat/events.ts";
import { type AssistantMessage, contextSize, type Message, type Part, type ToolPart } from "../chat/message.ts";
import { toBlocks, toResultBlock } from "./sdk-blocks.ts";
import { stopReason, streamEvents, toUsage } from "./stream-events.ts";
import type { SDKAssistantMessageError, SDKMessage } from "./types.ts";

/** A message without what all of them have. */
type Body<M = SDKMessage> = M extends unknown ? Omit<M, "uuid" | "session_id"> : never;

interface Options {
  chat: Chat;
  /** Whether the events of streaming replies are told, too. */
  partial: boolean;
  maxRetries(): number;
  makeID(): string;
  emit(message: SDKMessage): void;
  /** Each reply of a model once, when it has ended; `own` when it is the session's own agent that said it. */
  onReply(message: AssistantMessage, own: boolean): void;
  /** Each call that was not allowed. */
  onDenied(part: ToolPart): void;
}

interface Projection {
  /** To be called after the event was applied to the chat. */
  take(event: ChatEvent): void;
  emit(message: Body): void;
  /** Ends the telling of progress. */
  close(): void;
}

/** ms between two messages that tell of a call that is still running. */
const progressInterval = 5_000;

/** Turns events into messages as they come: `assistant` when a reply is whole, `user` for each result in call order. */
export function project(options: Options): Projection {
  const { chat, makeID } = options;
  const timers = new Set<NodeJS.Timeout>();
  const emit = (message: Body) => {
    // The body is that of one kind of message; TypeScript cannot put a union together again.
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

interface Shared extends Omit<Options, "chat" | "emit"> {
  emit(message: Body): void;
  timers: Set<NodeJS.Timeout>;
}

/** Follows one chat: the session's own, or that of a subagent. `parent` is the call of `task` that it works for. */
function follow(chat: Chat, parent: string | null, shared: Shared): (event: ChatEvent) => void {
  const { emit } = shared;
  const results = resultsOf(parent, shared);
  const children = new Map<string, (event: ChatEvent) => void>();
  const stream =
    shared.partial && parent === null
      ? streamEvents(chat, (event) => emit({ type: "stream_event", event, parent_tool_use_id: null }))
      : undefined;
  /** Replies that are nobody's words: of silent turns, and the summaries of compactions. */
  const hidden = new Set<string>();
  const ended = new Set<string>();
  /** Whether the compaction that runs was asked for by the user. */
  let compaction: "manual" | "auto" | undefined;

  function reply(message: AssistantMessage): void {
    if (message.completedAt === undefined || ended.has(message.id)) return;
    ended.add(message.id);
    const entry = findEntry(chat, message.id);
    if (!entry) return;
    // Without it the model said nothing: the request failed, or a subtask was begun in its place.
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
      ...(error && { error: errorOf(error.code) }),
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
        return;
      default:
        return;
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

  /** Whether it happens to a reply of an earlier run, or of another process: those are settled or caught up with first. */
  function isOld(event: ChatEvent): boolean {
    if (parent !== null || chat.status.type !== "idle") return false;
    const id = messageIDOf(event);
    return id !== undefined && findEntry(chat, id)?.info.role === "assistant";
  }

  return (event) => {
    if (isOld(event)) return;
    if (event.type === "message" && isHidden(event.message)) hidden.add(event.message.id);
    if (stream && !hidden.has(messageIDOf(event) ?? "")) stream(event);
    switch (event.type) {
      case "message":
        if (event.message.role === "assistant") reply(event.message);
        return;
      case "part":
        part(event.part);
        return;
      case "status":
        if (event.status.type === "retry") emit(retry(chat, event.status, shared.maxRetries()));
        return;
      case "child":
        child(event.sessionID, event.event);
        return;
      default:
        return;
    }
  };
}

/** Tells how calls get on, and their results in the order of the calls. */
function resultsOf(parent: string | null, { emit, timers, onDenied }: Shared) {
  /** Calls whose results are still to be told, by reply. */
  const due = new Map<string, string[]>();
  /** Calls that run, by part. */
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
    const timer = setInterval(() => progress(call, Date.now() - start), progressInterval);
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

  function tell(entry: Entry): void {
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
    /** The reply is told; from now on the results of its calls can be. */
    expect(entry: Entry): void {
      due.set(
        entry.info.id,
        entry.parts.flatMap((part) => (part.type === "tool" ? [part.id] : [])),
      );
      tell(entry);
    },
    part(call: ToolPart, entry: Entry | undefined): void {
      const { state } = call;
      if (state.status === "running") begin(call, state.start);
      if (state.status !== "completed" && state.status !== "error") return;
      end(call, state.end);
      if (state.metadata?.denied) onDenied(call);
      if (entry && due.has(entry.info.id)) tell(entry);
    },
  };
}

function isHidden(message: Message): boolean {
  return message.silent === true || (message.role === "assistant" && message.summary === true);
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

/** The call that a subagent's session works for. */
function callFor(chat: Chat, sessionID: string): string | undefined {
  const calls = chat.messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool"));
  const named = calls.findLast(
    ({ state }) => state.status !== "pending" && state.metadata !== undefined && state.metadata.childID === sessionID,
  );
  const call = named ?? calls.findLast(({ tool, state }) => tool === "task" && state.status === "running");
  return call?.callID;
}

/** Tokens of the context that a summary took the place of, as its provider counted them. */
function sizeBefore({ messages }: Chat, summary: AssistantMessage): number {
  const before = messages
    .map(({ info }) => info)
    .findLast((info) => info.role === "assistant" && !info.summary && contextSize(info.tokens) > 0);
  return contextSize(before?.role === "assistant" ? before.tokens : summary.tokens);
}

type Retry = Extract<Status, { type: "retry" }>;

function retry(chat: Chat, { attempt, nextAt }: Retry, maxRetries: number) {
  const part = chat.messages.at(-1)?.parts.findLast((one) => one.type === "retry");
  const code = part?.type === "retry" ? part.error.code : "";
  return {
    type: "system",
    subtype: "api_retry",
    attempt,
    max_retries: maxRetries,
    retry_delay_ms: Math.max(0, Math.round(nextAt - Date.now())),
    // Others stand for several.
    error_status: code === "rate-limit" ? 429 : null,
    error: errorOf(code),
  } as const;
}

/** The SDK's word for a ReplyError's code. */
function errorOf(code: string): SDKAssistantMessageError {
  switch (code) {
    case "no-key":
    case "auth":
      return "authentication_failed";
    case "rate-limit":
      return "rate_limit";
    case "invalid":
    case "unknown-model":
    case "context-full":
      return "invalid_request";
    case "overloaded":
    case "server":
      return "server_error";
    default:
      return "unknown";
  }
}
