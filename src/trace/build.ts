/** Builds the trace of a chat: its messages say what happened, measurements add what only the running loop knew. */
import type { Chat } from "../chat/apply.ts";
import type { AssistantMessage, Part, ToolPart } from "../chat/message.ts";
import type { CallDecision, CallTrace, StepTrace, Trace, TurnTrace } from "../chat/trace.ts";
import { isPrompt } from "../chat/words.ts";

/** Facts that only the loop's events tell, kept while somebody looks at the trace. */
export interface Measurements {
  /** Time from a request to its first byte, in ms, by the id of the assistant message. */
  readonly firstBytes: ReadonlyMap<string, number>;
  /** By the id of the call's part. */
  readonly decisions: ReadonlyMap<string, CallDecision>;
}

export function buildTrace(chat: Chat, measured: Measurements): Trace {
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
