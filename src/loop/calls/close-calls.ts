/** Gives every open call a result and every reply an end, whatever ended them (spec L10, R3). */
import type { AssistantMessage, CallMetadata, ToolPart, ToolState } from "../../chat/message.ts";
import type { ChatAccess } from "../turn.ts";

export const abortedText = "Tool execution aborted";

export const budgetText = "Not run: the budget is used up";

export const lastStepText = "Not run: this was the last step, in which no tool may be called.";

export const interruptedText =
  "Interrupted: Rondo was closed while this ran. It may have taken effect in part; look before doing it again.";

type OpenChat = Pick<ChatAccess, "chat" | "emit">;

/** @returns whether anything was open */
export function closeOpenCalls({ chat, emit }: OpenChat, error: string): boolean {
  let wasOpen = false;
  for (const { info, parts } of chat.messages) {
    if (info.role !== "assistant") continue;
    for (const part of [...parts]) {
      if (part.type === "tool" && closeCall(emit, part, info, { error })) wasOpen = true;
    }
    if (info.completedAt !== undefined) continue;
    wasOpen = true;
    const finish = info.error ? {} : ({ finish: "interrupted" } as const);
    emit({ type: "message", message: { ...info, ...finish, completedAt: Date.now() } });
  }
  return wasOpen;
}

/** Marks calls of a cut reply: they are not run, and no longer sent to the model (C4). */
export function discardCalls({ chat, emit }: OpenChat, message: AssistantMessage): void {
  const parts = chat.messages.findLast(({ info }) => info.id === message.id)?.parts ?? [];
  for (const part of [...parts]) {
    if (part.type === "tool") closeCall(emit, part, message, { error: cutText, metadata: { discarded: true } });
  }
}

const cutText = "Cut: the reply reached its longest length within this call, so it was not run.";

function closeCall(
  emit: OpenChat["emit"],
  part: ToolPart,
  { createdAt }: AssistantMessage,
  { error, metadata: more = {} }: { error: string; metadata?: CallMetadata },
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
  const end = Date.now();
  emit({ type: "part", part: { ...part, state: { status: "error", input, error, start, end, ...title, metadata } } });
  return true;
}

function withoutLiveOutput(state: Extract<ToolState, { status: "pending" | "running" }>): CallMetadata {
  if (state.status === "pending") return state.provider ? { provider: state.provider } : {};
  const { live: _, liveLines: __, ...metadata } = state.metadata ?? {};
  return metadata;
}
