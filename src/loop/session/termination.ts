/** The ends of sessions: for good, where the user's memory file says so, and of runs that were broken off (spec P3). */
import type { SessionInfo } from "../../chat/events.ts";
import { isClosing } from "../../chat/stopped.ts";
import type { Project } from "../setup/project.ts";
import type { ChatAccess, TurnEnd } from "../turn.ts";
import { IntakeError } from "./intake-error.ts";

type Termination = NonNullable<SessionInfo["terminated"]>;

/** Replaces how the session has ended; undefined: it goes on. The end by the memory file stays. */
export function markSession({ chat, emit }: Pick<ChatAccess, "chat" | "emit">, mark: Termination | undefined): void {
  const { terminated, ...session } = chat.session;
  if (terminated?.by === "memory") return;
  emit({ type: "session", session: mark ? { ...session, terminated: mark } : session });
}

/** Returns the session's end for good, if the user's memory file says it. */
export function endByMemory({ id, cwd }: SessionInfo, { endings = [] }: Project): Termination | undefined {
  const ending = endings.find(({ target }) => target === "all" || target === id || target === cwd);
  return ending && { by: "memory", time: Date.now(), reason: ending.reason };
}

/** Returns the mark of a turn that was broken off; undefined for other ends. */
export function breakOf({ reason, error }: TurnEnd, signal: AbortSignal): Termination | undefined {
  if (reason === "interrupted" && isClosing(signal)) return killed();
  if (reason === "interrupted" || reason === "aborted") return { by: "stop", time: Date.now(), reason: "Stopped." };
  return error?.code === "execution-timeout"
    ? { by: "time-limit", time: Date.now(), reason: error.message }
    : undefined;
}

export const killed = (): Termination => ({ by: "process", time: Date.now(), reason: "Its process ended." });

export function endedError({ reason }: Termination): IntakeError {
  const why = reason === "" ? "" : ` (${reason})`;
  const sentence = `This session has ended, as your memory file ~/.rondo/MEMORY.md says${why}.`;
  return new IntakeError(
    "session-terminated",
    `${sentence} Remove the line there, and start a new session or fork this one.`,
  );
}
