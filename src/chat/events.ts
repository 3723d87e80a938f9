/** Events of a chat. Replaying the recorded ones gives the chat again; the others matter only during a run. */
import * as z from "zod/mini";
import { Message, ModelRef, Part, type ReplyError, Tokens, ToolDefinition } from "./message.ts";
import { PromptInput, SendTime } from "./prompt-input.ts";
import type { UserRequest } from "./requests.ts";
import { ReviewDecision } from "./review-decisions.ts";

export const SessionInfo = z.object({
  id: z.string(),
  createdAt: z.number(),
  title: z.string(),
  /** The first workspace folder when the session began. */
  cwd: z.string(),
  /** The parent's session, in a subagent's session. */
  parentID: z.optional(z.string()),
  /** The session and message at which a fork began. */
  forkOf: z.optional(z.object({ sessionID: z.string(), messageID: z.string() })),
  /**
   * How its last run ended before the model was done, until the next run; `memory`: the session has ended for good (P3).
   * `error`: one that no reply holds.
   */
  terminated: z.optional(
    z.object({
      by: z.enum(["memory", "stop", "time-limit", "turn-limit", "budget", "error", "process"]),
      time: z.number(),
      reason: z.string(),
    }),
  ),
});
export type SessionInfo = z.infer<typeof SessionInfo>;

/** A queued prompt with all its fields (Q2). `id` becomes its message's. */
export const Queued = z.extend(z.omit(PromptInput, { messageID: true, noReply: true }), {
  id: z.string(),
  /** Missing in records of 0.4.0. */
  when: z._default(SendTime, "next-step"),
});
export type Queued = z.infer<typeof Queued>;

/** Beginning of every request of a conversation, until the next event of this kind (C7). */
export const Prefix = z.object({
  system: z.string(),
  tools: z.array(ToolDefinition),
  /** What the model knows from it, by topic ("branch", "rules AGENTS.md"); later changes are told in messages. */
  told: z.record(z.string(), z.string()),
});
export type Prefix = z.infer<typeof Prefix>;

/** What the user has decided about a part's place in requests (C8). */
export const PieceState = z.object({
  /** The message of the part. */
  messageID: z.string(),
  pinned: z.boolean(),
  /** `after`: the newest message when the first request without it was made; null: none was made, so it can be put back. */
  dropped: z.nullable(z.object({ after: z.nullable(z.string()) })),
});
export type PieceState = z.infer<typeof PieceState>;

/** Outputs that pruning leaves out: of calls up to the message `outputs`, except the pinned parts `kept`. */
export const Pruned = z.object({ outputs: z.string(), kept: z.optional(z.array(z.string())) });
export type Pruned = z.infer<typeof Pruned>;

export const RecordedEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("session"), session: SessionInfo }),
  z.object({ type: z.literal("message"), message: Message }),
  z.object({ type: z.literal("part"), part: Part }),
  /** Appends to the text of a text or reasoning part, or to the raw arguments of a pending call. */
  z.object({ type: z.literal("delta"), messageID: z.string(), partID: z.string(), text: z.string() }),
  /** Drops the parts of a partial reply before it is requested again (H4). */
  z.object({ type: z.literal("reset"), messageID: z.string() }),
  z.object({ type: z.literal("queued"), queue: z.array(Queued) }),
  /** Later requests leave out outputs of calls up to this message (C6). `reasoning`: 0.4.0, today the event `unbound`. */
  z.object({ type: z.literal("pruned"), ...Pruned.shape, reasoning: z.optional(z.string()) }),
  /** The user pins a part, drops it, or takes that back (C8). */
  z.object({ type: z.literal("piece"), partID: z.string(), piece: PieceState }),
  z.object({ type: z.literal("prefix"), prefix: Prefix }),
  /** Later requests leave out thoughts up to this message: something before them has changed, or they were refused. */
  z.object({ type: z.literal("unbound"), messageID: z.string() }),
  /** Later requests name images and PDFs up to this message and do not send them: the model does not take them. */
  z.object({ type: z.literal("imageless"), messageID: z.string() }),
  /** A request that left no message: for the title, or an attempt whose reply was dropped. */
  z.object({
    type: z.literal("charged"),
    model: ModelRef,
    tokens: Tokens,
    cost: z.optional(z.number()),
    estimated: z.optional(z.boolean()),
  }),
  /** The user has decided about a change of the agent. Told to the model by a text part with `decided`. */
  z.object({ type: z.literal("decided"), decision: ReviewDecision }),
  /** Removes this user message and all after it; null restores the last ones until a new message is sent. */
  z.object({ type: z.literal("rewound"), messageID: z.nullable(z.string()) }),
]);
export type RecordedEvent = z.infer<typeof RecordedEvent>;

/** idle → busy → retry → busy | idle (H1). Times in ms since 1970. */
export type Status =
  | { type: "idle" }
  | { type: "busy"; since: number }
  | { type: "retry"; attempt: number; message: string; nextAt: number; since: number };

export interface BackgroundCommand {
  id: string;
  command: string;
  /** ms since 1970 */
  startedAt: number;
  state:
    | { type: "running" }
    /** Has printed this prompt and waits for input. `by`: who can type it; the user where it asks for a password. */
    | { type: "waiting"; prompt: string; by: "nobody" | "user" }
    /** `words`: "exit code 1", "ended by SIGTERM". */
    | { type: "ended"; words: string; failed: boolean; at: number };
  lines: number;
  last: string;
}

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
  steps: number;
}

type LiveEvent =
  | { type: "status"; status: Status }
  /** With the ID of an open request it replaces that one. */
  | { type: "asked"; request: UserRequest }
  | { type: "answered"; requestID: string }
  /** The last lines of a running command's output, and the number of lines in all. */
  | { type: "output"; messageID: string; partID: string; text: string; lines: number }
  | { type: "background"; commands: readonly BackgroundCommand[] }
  /** `since`: time of the last byte from the model, in ms since 1970; null: it sends again (H6). */
  | { type: "silence"; since: number | null }
  | TurnEnded;

interface ChildEvent {
  type: "child";
  sessionID: string;
  event: ChatEvent;
}

export type ChatEvent = RecordedEvent | LiveEvent | ChildEvent;
