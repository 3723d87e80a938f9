/** Every call has a result, whatever ended it (spec L10, R3). */
import type { Chat } from "./apply.ts";
import type { ChatEvent } from "./events.ts";

/** What the model is told of a call that Stop ended. */
export const abortedText = "Tool execution aborted";

/** What it is told of a call that was running when the window or the process ended. */
export const interruptedText =
  "Interrupted: Rondo was closed while this ran. It may have taken effect in part; look before doing it again.";

/** Turns every open call into a failed one. */
export function closeOpenCalls(chat: Chat, error: string, emit: (event: ChatEvent) => void): void {
  for (const { info, parts } of chat.messages) {
    if (info.role !== "assistant") continue;
    for (const part of [...parts]) {
      if (part.type !== "tool" || part.state.status === "completed" || part.state.status === "error") continue;
      const { input } = part.state;
      const start = part.state.status === "running" ? part.state.start : info.createdAt;
      const title =
        part.state.status === "running" && part.state.title !== undefined ? { title: part.state.title } : {};
      if (part.state.status === "pending") {
        emit({ type: "part", part: { ...part, state: { status: "running", input, start } } });
      }
      emit({
        type: "part",
        part: { ...part, state: { status: "error", input, error, start, end: Date.now(), ...title } },
      });
    }
  }
}
