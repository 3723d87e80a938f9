/** What happens to a chat. Replaying the recorded events gives the chat again; the others matter only while it runs. */
import * as z from "zod/mini";
import { Message, Part, type ReplyError } from "./message.ts";
import { PromptInput } from "./prompt-input.ts";
import type { UserRequest } from "./requests.ts";

export const PermissionMode = z.enum(["default", "acceptEdits", "plan", "bypassPermissions"]);
export type PermissionMode = z.infer<typeof PermissionMode>;

export const SessionInfo = z.object({
  id: z.string(),
  createdAt: z.number(),
  title: z.string(),
  /** The first workspace folder when the session began. */
  cwd: z.string(),
  /** Of a subagent's session: the one that it works for. */
  parentID: z.optional(z.string()),
  /** Of a fork: where it came from. */
  forkOf: z.optional(z.object({ sessionID: z.string(), messageID: z.string() })),
});
export type SessionInfo = z.infer<typeof SessionInfo>;

/** A prompt that waits for the next step, all of it (Q2). `id` becomes its message's. */
export const Queued = z.extend(z.omit(PromptInput, { messageID: true, noReply: true }), { id: z.string() });
export type Queued = z.infer<typeof Queued>;

/** Events that are written to the record, a line each (R1). */
export const RecordedEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("session"), session: SessionInfo }),
  /** Adds the message, or replaces the one with this id. */
  z.object({ type: z.literal("message"), message: Message }),
  /** Adds the part to its message, or replaces the one with this id. */
  z.object({ type: z.literal("part"), part: Part }),
  /** Appends to the text of a text or reasoning part, or to the raw arguments of a pending call. */
  z.object({ type: z.literal("delta"), messageID: z.string(), partID: z.string(), text: z.string() }),
  /** Drops the parts of a half-made reply before it is asked for again (H4). */
  z.object({ type: z.literal("reset"), messageID: z.string() }),
  /** The prompts that wait, all of them. */
  z.object({ type: z.literal("queued"), queue: z.array(Queued) }),
  /**
   * From now on requests leave out the outputs of calls up to and with the message `outputs`, and the reasoning up to and
   * with the message `reasoning`, which was tied to what is left out (C6).
   */
  z.object({ type: z.literal("pruned"), outputs: z.string(), reasoning: z.string() }),
  /**
   * The conversation goes back to before the user message `messageID`: that one and all after it are set aside. Null: what
   * was set aside last comes back, as long as nothing was said since.
   */
  z.object({ type: z.literal("rewound"), messageID: z.nullable(z.string()) }),
]);
export type RecordedEvent = z.infer<typeof RecordedEvent>;

/** idle → busy → retry → busy | idle (H1). Times in ms since 1970. */
export type Status =
  | { type: "idle" }
  | { type: "busy"; since: number }
  /** The next try begins at `nextAt`. */
  | { type: "retry"; attempt: number; message: string; nextAt: number; since: number };

/** A command that runs while the agent does other things, or has ended. */
export interface BackgroundCommand {
  /** "bash_1": what the model names it by. */
  id: string;
  command: string;
  /** ms since 1970 */
  startedAt: number;
  state:
    | { type: "running" }
    /** It has printed this prompt and waits for input that nobody can type. */
    | { type: "waiting"; prompt: string }
    /** `words`: "exit code 1", "ended by SIGTERM". */
    | { type: "ended"; words: string; failed: boolean; at: number };
  /** Number of lines of its output so far. */
  lines: number;
  /** The last lines of its output. */
  last: string;
}

/** How a turn ended (L9). */
export type ExitReason =
  | "end_turn"
  | "max_turns"
  | "error_max_budget_usd"
  | "interrupted"
  | "max_tokens"
  | "aborted"
  | "blocked"
  | "error";

export interface TurnEnded {
  type: "ended";
  reason: ExitReason;
  error?: ReplyError | undefined;
  durationMs: number;
  /** Number of replies of the model. */
  steps: number;
}

/** Events that matter only while the chat runs; never written. */
type LiveEvent =
  | { type: "status"; status: Status }
  | { type: "asked"; request: UserRequest }
  /** The request is answered, or withdrawn. */
  | { type: "answered"; requestID: string }
  /** The last lines of a running command's output, and the number of lines in all. */
  | { type: "output"; messageID: string; partID: string; text: string; lines: number }
  /** All commands in the background. */
  | { type: "background"; commands: readonly BackgroundCommand[] }
  /** Nothing has come from the model since then, in ms since 1970; null: it speaks again (H6). */
  | { type: "silence"; since: number | null }
  | TurnEnded;

/** Something that happened in the session of a subagent, which has a record of its own. */
interface ChildEvent {
  type: "child";
  sessionID: string;
  event: ChatEvent;
}

export type ChatEvent = RecordedEvent | LiveEvent | ChildEvent;

export function isRecorded(event: ChatEvent): event is RecordedEvent {
  switch (event.type) {
    case "session":
    case "message":
    case "part":
    case "delta":
    case "reset":
    case "queued":
    case "pruned":
    case "rewound":
      return true;
    default:
      return false;
  }
}
