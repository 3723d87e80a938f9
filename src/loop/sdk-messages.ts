/** A run as SDK messages, the form that scripts read (spec K2): fields are those of the public SDK of Claude Code. */
import { type Chat, type Entry, findEntry } from "./apply.ts";
import type { ChatEvent, PermissionMode, TurnEnded } from "./events.ts";
import { type AssistantMessage, noTokens, type Part, type Tokens, type ToolPart } from "./message.ts";
import { stopReason, streamEvents, toUsage } from "./stream-events.ts";

export type SdkMessage = Record<string, unknown> & { type: string; session_id: string };

export interface Projection {
  /** To be called after the event was applied to the chat. */
  take(event: ChatEvent): void;
  init(about: { cwd: string; tools: string[]; model: string; mode: PermissionMode }): void;
}

interface Options {
  chat: Chat;
  partial: boolean;
  makeID(): string;
  emit(message: SdkMessage): void;
}

/** Turns events into messages as they come: `assistant` when a reply is whole, `user` for each result in call order. */
export function project({ chat, partial, makeID, emit }: Options): Projection {
  const base = () => ({ session_id: chat.session.id, uuid: makeID() });
  /** Calls whose results are still to be told, in call order. */
  const waiting = new Map<string, string[]>();
  const stream = partial
    ? streamEvents(chat, (event) => emit({ type: "stream_event", event, parent_tool_use_id: null, ...base() }))
    : undefined;

  function assistant(message: AssistantMessage): void {
    const entry = findEntry(chat, message.id);
    if (!entry || waiting.has(message.id)) return;
    waiting.set(
      message.id,
      callsOf(entry).map((part) => part.id),
    );
    const content = entry.parts.flatMap(toBlocks);
    if (content.length === 0) return;
    emit({
      type: "assistant",
      message: {
        id: message.id,
        type: "message",
        role: "assistant",
        model: message.model.modelID,
        content,
        stop_reason: stopReason(message.finish),
        stop_sequence: null,
        usage: toUsage(message.tokens),
      },
      parent_tool_use_id: null,
      ...base(),
    });
    results(entry);
  }

  function results(entry: Entry): void {
    const calls = waiting.get(entry.info.id);
    while (calls?.[0] !== undefined) {
      const part = entry.parts.find((one) => one.id === calls[0]);
      if (part?.type !== "tool") return;
      const { state } = part;
      if (state.status !== "completed" && state.status !== "error") return;
      calls.shift();
      const failed = state.status === "error";
      const content = failed ? state.error : state.output;
      const result = { type: "tool_result", tool_use_id: part.callID, content, ...(failed && { is_error: true }) };
      const message = { role: "user", content: [result] };
      emit({ type: "user", message, parent_tool_use_id: null, ...base() });
    }
  }

  return {
    init({ cwd, tools, model, mode }) {
      const about = {
        cwd,
        tools,
        model,
        permissionMode: mode,
        mcp_servers: [],
        slash_commands: [],
        apiKeySource: "user",
      };
      emit({ type: "system", subtype: "init", ...about, ...base() });
    },
    take(event) {
      stream?.(event);
      if (event.type === "message" && event.message.role === "assistant" && event.message.completedAt !== undefined) {
        assistant(event.message);
      } else if (event.type === "part") {
        const entry = findEntry(chat, event.part.messageID);
        if (entry) results(entry);
      }
    },
  };
}

/** The last message of a run. `firstMessage` is how many messages the chat had when it began. */
export function resultMessage(chat: Chat, ended: TurnEnded, firstMessage: number, uuid: string): SdkMessage {
  const entries = chat.messages.slice(firstMessage);
  const replies = entries.map((entry) => entry.info).filter((info) => info.role === "assistant");
  const subtype = subtypeOf(ended);
  const failed = subtype !== "success";
  const costs = replies.map((reply) => reply.cost);
  return {
    type: "result",
    subtype,
    is_error: failed,
    duration_ms: ended.durationMs,
    duration_api_ms: replies.reduce(
      (sum, reply) => sum + ((reply.completedAt ?? reply.createdAt) - reply.createdAt),
      0,
    ),
    num_turns: ended.steps,
    result: lastText(entries),
    stop_reason: stopReason(replies.at(-1)?.finish),
    exit_reason: ended.reason,
    // Null: a price is not known. Never 0 for that.
    total_cost_usd: costs.some((cost) => cost === undefined)
      ? null
      : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    usage: toUsage(replies.reduce((sum, reply) => add(sum, reply.tokens), noTokens)),
    permission_denials: entries
      .flatMap(callsOf)
      .filter(wasDenied)
      .map((part) => ({
        tool_name: part.tool,
        tool_use_id: part.callID,
        tool_input: part.state.input,
      })),
    ...(ended.error && { errors: [`${ended.error.message} ${ended.error.next}`.trim()] }),
    session_id: chat.session.id,
    uuid,
  };
}

/** The text of the last reply that has any. */
export function lastText(entries: readonly Entry[]): string {
  const last = entries.findLast(
    ({ info, parts }) => info.role === "assistant" && parts.some((part) => part.type === "text"),
  );
  return last?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") ?? "";
}

function subtypeOf(ended: TurnEnded): string {
  switch (ended.reason) {
    case "end_turn":
      return "success";
    case "max_turns":
      return "error_max_turns";
    case "error_max_budget_usd":
      return "error_max_budget_usd";
    default:
      return "error_during_execution";
  }
}

function toBlocks(part: Part): Record<string, unknown>[] {
  switch (part.type) {
    case "text":
      return part.text ? [{ type: "text", text: part.text }] : [];
    case "reasoning": {
      const { redacted, signature } = part.metadata ?? {};
      if (redacted !== undefined) return [{ type: "redacted_thinking", data: redacted }];
      return [{ type: "thinking", thinking: part.text, signature: signature ?? "" }];
    }
    case "tool":
      return [{ type: "tool_use", id: part.callID, name: part.tool, input: part.state.input }];
    default:
      return [];
  }
}

function callsOf(entry: Entry): ToolPart[] {
  return entry.parts.filter((part) => part.type === "tool");
}

function wasDenied(part: ToolPart): boolean {
  return part.state.status === "error" && part.state.metadata?.denied === true;
}

function add(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}
