/** The ends of sessions: for good, where the user's memory file says so, and of runs that were broken off (spec P3). */

import { never } from "../../base/never.ts";
import type { SessionInfo } from "../../chat/events.ts";
import { isClosing } from "../../chat/stopped.ts";
import { msg } from "../../l10n/l10n.ts";
import type { Project } from "../setup/project.ts";
import type { ChatAccess, TurnEnd } from "../turn.ts";
import { IntakeError } from "./intake-error.ts";

type Termination = NonNullable<SessionInfo["terminated"]>;

/** Replaces how the session has ended; undefined: it goes on. The end by the memory file stays. */
export function markSession({ chat, emit }: Pick<ChatAccess, "chat" | "emit">, mark: Termination | undefined): void {
  const { terminated, ...session } = chat.session;
  if (terminated?.by === "memory" || terminated === mark) return;
  emit({ type: "session", session: mark ? { ...session, terminated: mark } : session });
}

/** Returns the session's end for good, if the user's memory file says it. */
export function endByMemory({ id, cwd }: SessionInfo, { endings = [] }: Project): Termination | undefined {
  const ending = endings.find(({ target }) => target === "all" || target === id || target === cwd);
  return ending && { by: "memory", time: Date.now(), reason: ending.reason };
}

/**
 * Returns the mark of a turn that ended before the model was done; undefined where a reply says so itself. `isStored`:
 * a reply holds the error.
 */
export function breakOf({ reason, error }: TurnEnd, signal: AbortSignal, isStored: boolean): Termination | undefined {
  if (reason === "interrupted" && isClosing(signal)) return killed();
  if (error?.code === "execution-timeout") return mark("time-limit", error.message);
  if (error) return isStored ? undefined : mark("error", error.message);
  switch (reason) {
    case "interrupted":
    case "aborted":
      return mark("stop", "Stopped.");
    case "blocked":
      return mark("stop", msg("A call was denied."));
    case "max_turns":
      return mark("turn-limit", msg("The limit of replies was reached."));
    case "error_max_budget_usd":
      return mark("budget", msg("The budget is used up."));
    case "end_turn":
    case "max_tokens":
    case "error":
      return undefined;
    default:
      return never(reason);
  }
}

export const killed = (): Termination => mark("process", msg("Its process ended."));

function mark(by: Termination["by"], reason: string): Termination {
  return { by, time: Date.now(), reason };
}

export function endedError({ reason }: Termination): IntakeError {
  const why = reason === "" ? "" : ` (${reason})`;
  const sentence = msg("This session has ended, as your memory file ~/.rondo/MEMORY.md says{0}.", why);
  return new IntakeError(
    "session-terminated",
    msg("{0} Remove the line there, and start a new session or fork this one.", sentence),
  );
}
