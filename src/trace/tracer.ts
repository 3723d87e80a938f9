/** Measures sessions from when this is created, builds their traces, and delivers each finished run. */
import type { Chat } from "../chat/apply.ts";
import type { AssistantMessage, Part, ToolPart } from "../chat/message.ts";
import type { CallDecision, CallTrace, StepTrace, Trace, TurnTrace } from "../chat/trace.ts";
import { isPrompt } from "../chat/words.ts";
import type { LoopEvent } from "../loop/loop-events.ts";

export interface TracerOptions {
  /** Returns the chat of a session; undefined for sessions of subagents, which belong to their parent's trace. */
  chatOf(sessionID: string): Chat | undefined;
  deliver(turns: readonly TurnTrace[]): void;
}

export class Tracer {
  readonly #options: TracerOptions;
  readonly #measured = new MeasurementCollector();
  /** Unfinished runs: the chat, and the index of the prompt that they answer. */
  readonly #runs = new Map<string, { chat: Chat; prompt: number }>();

  constructor(options: TracerOptions) {
    this.#options = options;
  }

  trace(chat: Chat): Trace {
    return buildTrace(chat, this.#measured);
  }

  firstByte(messageID: string, afterMs: number): void {
    this.#measured.firstByte(messageID, afterMs);
  }

  take(event: LoopEvent): void {
    this.#measured.take(event);
    if (event.type === "loop:start") {
      const chat = this.#options.chatOf(event.sessionId);
      const prompt = chat?.messages.findLastIndex(({ info }) => info.role === "user") ?? -1;
      if (chat) this.#runs.set(event.runId, { chat, prompt: Math.max(0, prompt) });
    } else if (event.type === "loop:end") {
      const run = this.#runs.get(event.runId);
      if (!run) return;
      this.#runs.delete(event.runId);
      const ids = new Set(run.chat.messages.slice(run.prompt).map(({ info }) => info.id));
      this.#options.deliver(this.trace(run.chat).turns.filter(({ messageID }) => ids.has(messageID)));
    }
  }
}

/** The oldest facts of each kind beyond this number are forgotten. */
const factsLimit = 10_000;

class MeasurementCollector implements Measurements {
  readonly firstBytes = new Map<string, number>();
  readonly decisions = new Map<string, CallDecision>();

  take(event: LoopEvent): void {
    if (event.type === "tool:end" && event.decision) this.#put(this.decisions, event.partId, event.decision);
  }

  firstByte(messageID: string, afterMs: number): void {
    this.#put(this.firstBytes, messageID, afterMs);
  }

  #put<T>(facts: Map<string, T>, key: string, value: T): void {
    facts.set(key, value);
    if (facts.size <= factsLimit) return;
    const [oldest] = facts.keys();
    if (oldest !== undefined) facts.delete(oldest);
  }
}

// Builds the trace of a chat: its messages say what happened, measurements add what only the running loop knew.

/** Facts that only the loop's events tell, kept while somebody looks at the trace. */
interface Measurements {
  /** Time from a request to its first byte, in ms, by the id of the assistant message. */
  readonly firstBytes: ReadonlyMap<string, number>;
  /** By the id of the call's part. */
  readonly decisions: ReadonlyMap<string, CallDecision>;
}

function buildTrace(chat: Chat, measured: Measurements): Trace {
  const { id, title } = chat.session;
  return { sessionID: id, title, turns: turnsOf(chat, measured) };
}

function turnsOf(chat: Chat, measured: Measurements): TurnTrace[] {
  const turns: TurnTrace[] = [];
  for (const { info, parts } of chat.messages) {
    const turn = turns.at(-1);
    if (info.role === "assistant") turn?.steps.push(stepOf(info, parts, chat, measured));
    else if (!turn || isPrompt(parts)) {
      const { id: messageID, sessionID, agent, createdAt: startedAt } = info;
      turns.push({ messageID, sessionID, agent, startedAt, endedAt: undefined, steps: [] });
    }
  }
  for (const turn of turns) {
    if (turn !== turns.at(-1) || chat.status.type === "idle") turn.endedAt = endOf(turn);
  }
  return turns;
}

function endOf({ startedAt, steps }: TurnTrace): number {
  const ends = steps.flatMap((step) => [step.endedAt, ...step.calls.map((call) => call.endedAt)]);
  return Math.max(startedAt, ...ends.filter((end) => end !== undefined));
}

function stepOf(info: AssistantMessage, parts: readonly Part[], chat: Chat, measured: Measurements): StepTrace {
  return {
    messageID: info.id,
    kind: info.summary ? "summary" : info.silent ? "notes" : "reply",
    model: info.model,
    startedAt: info.createdAt,
    endedAt: info.completedAt,
    firstByteMs: measured.firstBytes.get(info.id),
    tokens: info.tokens,
    cost: info.cost,
    finish: info.finish,
    error: info.error,
    retries: parts.flatMap((part) =>
      part.type === "retry" ? [{ attempt: part.attempt, at: part.time, error: part.error }] : [],
    ),
    calls: parts.flatMap((part) => (part.type === "tool" ? [callOf(part, chat, measured)] : [])),
  };
}

function callOf({ id, callID, tool, state }: ToolPart, chat: Chat, measured: Measurements): CallTrace {
  const isPending = state.status === "pending";
  const childID = isPending ? undefined : state.metadata?.childID;
  const child = childID === undefined ? undefined : chat.children[childID];
  return {
    partID: id,
    callID,
    tool,
    title: (isPending ? undefined : state.title) ?? tool,
    status: state.status,
    startedAt: isPending ? undefined : state.start,
    endedAt: state.status === "completed" || state.status === "error" ? state.end : undefined,
    decision: measured.decisions.get(id),
    turns: child ? turnsOf(child, measured) : [],
  };
}
