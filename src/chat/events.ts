/** What happens to a chat. Replaying the recorded events gives the chat again; the others matter only while it runs. */
import * as z from "zod/mini";
import { FileDiff, Message, Part, ReplyError } from "./message.ts";
import { PromptInput } from "./prompt-input.ts";

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

/** idle → busy → retry → busy | idle (H1). */
export const Status = z.discriminatedUnion("type", [
  z.object({ type: z.literal("idle") }),
  z.object({ type: z.literal("busy"), since: z.number() }),
  /** `nextAt`: when the next try begins, in ms since 1970. */
  z.object({
    type: z.literal("retry"),
    attempt: z.number(),
    message: z.string(),
    nextAt: z.number(),
    since: z.number(),
  }),
]);
export type Status = z.infer<typeof Status>;

/** A question that the model puts to the user, with answers to choose from. */
export const Question = z.object({
  question: z.string(),
  /** One or two words above it. */
  header: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string() })),
  /** Whether more than one may be chosen. */
  multiple: z.boolean(),
});
export type Question = z.infer<typeof Question>;

/** A command that runs while the agent does other things, or has ended. */
export const BackgroundCommand = z.object({
  /** "bash_1": what the model names it by. */
  id: z.string(),
  command: z.string(),
  /** ms since 1970 */
  startedAt: z.number(),
  state: z.discriminatedUnion("type", [
    z.object({ type: z.literal("running") }),
    /** It has put this out, and waits for an answer that nobody can type. */
    z.object({ type: z.literal("waiting"), prompt: z.string() }),
    /** `words`: "exit code 1", "ended by SIGTERM". */
    z.object({ type: z.literal("ended"), words: z.string(), failed: z.boolean(), at: z.number() }),
  ]),
  /** Of its output so far. */
  lines: z.number(),
  /** The last lines of its output. */
  last: z.string(),
});
export type BackgroundCommand = z.infer<typeof BackgroundCommand>;

/** One of the things that a command does: a simple command in it, a file that it reads or writes, a place it goes to. */
export const CommandPart = z.object({
  text: z.string(),
  /** As in a rule: `bash`, `edit`, `read`, `external_directory`. */
  permission: z.string(),
  /** "deletes files", "writes out.txt"; empty where the text says it. */
  effect: z.string(),
  decision: z.enum(["allow", "ask", "deny"]),
  /** Which rule, mode or guard decided, in words. */
  why: z.string(),
});
export type CommandPart = z.infer<typeof CommandPart>;

/** What the card shows of the thing that asks. */
export const Preview = z.discriminatedUnion("type", [
  z.object({ type: z.literal("diff"), diff: FileDiff }),
  z.object({ type: z.literal("diffs"), diffs: z.array(FileDiff) }),
  /** A command; `parts` are its simple commands, each judged by itself. */
  z.object({
    type: z.literal("command"),
    command: z.string(),
    cwd: z.string(),
    parts: z.array(CommandPart),
  }),
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("questions"), questions: z.array(Question) }),
]);
export type Preview = z.infer<typeof Preview>;

export const Rule = z.object({
  /** What is asked for: `read`, `edit`, `bash`, `external_directory`, `doom_loop`, a tool's name, or `*`. */
  permission: z.string(),
  /** Matched against a path relative to the workspace or a command; `*` any characters, `?` one, ` *` at the end also nothing. */
  pattern: z.string(),
  action: z.enum(["allow", "ask", "deny"]),
});
export type Rule = z.infer<typeof Rule>;

/** A question that is open. The turn waits for it; the rest of the panel does not. */
export const PermissionRequest = z.object({
  id: z.string(),
  sessionID: z.string(),
  messageID: z.string(),
  partID: z.string(),
  callID: z.string(),
  tool: z.string(),
  permission: z.string(),
  patterns: z.array(z.string()),
  /** A question: "Edit src/cart.ts?" */
  title: z.string(),
  /** Which rule or mode makes it ask, in words. */
  reason: z.string(),
  preview: Preview,
  /** The rules that "Always allow" would add, shown before they are given. Empty: it cannot be given for always. */
  always: z.array(Rule),
});
export type PermissionRequest = z.infer<typeof PermissionRequest>;

/** How a turn ended (L9). */
export const ExitReason = z.enum([
  "end_turn",
  "max_turns",
  "error_max_budget_usd",
  "interrupted",
  "max_tokens",
  "aborted",
  "blocked",
  "error",
]);
export type ExitReason = z.infer<typeof ExitReason>;

/** Events that matter only while the chat runs; never written. */
const LiveEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("status"), status: Status }),
  z.object({ type: z.literal("asked"), request: PermissionRequest }),
  z.object({ type: z.literal("answered"), requestID: z.string() }),
  /** The last lines of a running command's output, and how many lines there are in all. */
  z.object({
    type: z.literal("output"),
    messageID: z.string(),
    partID: z.string(),
    text: z.string(),
    lines: z.number(),
  }),
  /** The commands in the background, all of them. */
  z.object({ type: z.literal("background"), commands: z.array(BackgroundCommand) }),
  /** Nothing has come from the model since then, in ms since 1970; null: it speaks again (H6). */
  z.object({ type: z.literal("silence"), since: z.nullable(z.number()) }),
  /** `steps` counts the model's replies. */
  z.object({
    type: z.literal("ended"),
    reason: ExitReason,
    error: z.optional(ReplyError),
    durationMs: z.number(),
    steps: z.number(),
  }),
]);
type LiveEvent = z.infer<typeof LiveEvent>;
export type TurnEnded = Extract<LiveEvent, { type: "ended" }>;

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
