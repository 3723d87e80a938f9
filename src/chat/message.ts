/** The message model: messages, their parts and the states of a tool call (spec D), from disk to screen. */
import * as z from "zod/mini";

export const ModelRef = z.object({ providerID: z.string(), modelID: z.string() });
export type ModelRef = z.infer<typeof ModelRef>;

/** Token counts; `input` excludes tokens read from or written to the provider's cache. */
export const Tokens = z.object({
  input: z.number(),
  output: z.number(),
  reasoning: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  /** The part of `cacheWrite` that stays for an hour, which costs more. */
  cacheWriteHour: z.optional(z.number()),
});
export type Tokens = z.infer<typeof Tokens>;

/** Why a reply ended. `tool-calls` and `unknown` continue the loop; all others end it (L4). */
export const Finish = z.enum([
  "stop",
  "tool-calls",
  "length",
  "context-full",
  "content-filter",
  "refusal",
  "pause",
  "interrupted",
  "unknown",
]);
export type Finish = z.infer<typeof Finish>;

/** Why a turn or a reply failed. The panel offers a way on from each (`webview/notices/remedies.ts`). */
export const errorCodes = [
  ...["network", "rate-limit", "overloaded", "server", "no-key", "auth", "no-access", "quota"],
  ...["flagged", "unknown-model", "context-full", "thoughts-refused", "images-refused", "invalid", "aborted"],
  ...["empty-reply", "paused", "max-tokens", "refusal", "compaction", "compaction-off"],
  ...["price-unknown", "execution-timeout", "hook", "doom-loop", "record", "bug"],
  ...["agent-not-found", "agent-invalid", "prompt-invalid", "session-terminated", "session-locked", "queue-full"],
  /** A code that this version does not know. */
  "other",
] as const;
export type ErrorCode = (typeof errorCodes)[number];

export const ReplyError = z.object({
  code: z.catch(z.enum(errorCodes), "other"),
  message: z.string(),
  next: z.string(),
});
export type ReplyError = z.infer<typeof ReplyError>;

const base = {
  id: z.string(),
  sessionID: z.string(),
  createdAt: z.number(),
  /** Belongs to a silent turn, which the model sees and the user does not (C5). */
  silent: z.optional(z.boolean()),
};

export const UserMessage = z.object({
  ...base,
  role: z.literal("user"),
  agent: z.string(),
  model: ModelRef,
  system: z.optional(z.string()),
  variant: z.optional(z.string()),
  /** Tools switched on or off for this message only (P1). */
  tools: z.optional(z.record(z.string(), z.boolean())),
});
export type UserMessage = z.infer<typeof UserMessage>;

export const AssistantMessage = z.object({
  ...base,
  role: z.literal("assistant"),
  parentID: z.string(),
  agent: z.string(),
  model: ModelRef,
  path: z.object({ cwd: z.string(), root: z.string() }),
  completedAt: z.optional(z.number()),
  finish: z.optional(Finish),
  error: z.optional(ReplyError),
  /** USD; absent when the model's price is unknown, never 0 (B1). */
  cost: z.optional(z.number()),
  tokens: Tokens,
  /** Whether tokens and cost are an estimate, because the server did not report them. */
  estimated: z.optional(z.boolean()),
  /** Whether the server has left out part of the request without saying so. */
  cut: z.optional(z.boolean()),
  /** Created by compaction: later requests begin with it (C3). */
  summary: z.optional(z.boolean()),
});
export type AssistantMessage = z.infer<typeof AssistantMessage>;

export const Message = z.discriminatedUnion("role", [UserMessage, AssistantMessage]);
export type Message = z.infer<typeof Message>;

const Span = z.object({ start: z.number(), end: z.optional(z.number()) });
const Json = z.record(z.string(), z.unknown());

const partBase = { id: z.string(), sessionID: z.string(), messageID: z.string() };

export const TextPart = z.object({
  ...partBase,
  type: z.literal("text"),
  text: z.string(),
  /** Written by Rondo: sent to the model, not shown as the user's text. */
  synthetic: z.optional(z.boolean()),
  /** Shown, but not sent to the model. */
  ignored: z.optional(z.boolean()),
  /** What the model knows from this text, by topic; see `Prefix`. */
  told: z.optional(z.record(z.string(), z.string())),
  /** Ids of the user's decisions about changes that this text tells the model. */
  decided: z.optional(z.array(z.string())),
  /** Files whose change this text tells in full, by absolute path: a model that has seen `from` has seen `to` (T12). */
  changed: z.optional(z.record(z.string(), z.object({ from: z.string(), to: z.nullable(z.string()) }))),
  /** The pinned part whose content this repeats in the message of a compaction (C8). */
  pin: z.optional(z.string()),
  /** Returned unchanged to the provider: a message's id and phase. */
  metadata: z.optional(Json),
  time: z.optional(Span),
});
export const ReasoningPart = z.object({
  ...partBase,
  type: z.literal("reasoning"),
  text: z.string(),
  /** Returned unchanged to the provider: a signature, redacted data, reasoning details. */
  metadata: z.optional(Json),
  time: Span,
});
export const FilePart = z.object({
  ...partBase,
  type: z.literal("file"),
  mime: z.string(),
  filename: z.string(),
  /** `file:` for a file of the workspace, `data:` for attached bytes. */
  url: z.string(),
  /** Line numbers from 1, both included, and their text when it was attached. `whole`: these were all lines of the file. */
  source: z.optional(
    z.object({ start: z.number(), end: z.number(), text: z.string(), whole: z.optional(z.literal(true)) }),
  ),
  /** The version of the file that the model sees by it, by absolute path (T12). */
  seen: z.optional(z.record(z.string(), z.string())),
  /** As in a text part. */
  pin: z.optional(z.string()),
});
export type FilePart = z.infer<typeof FilePart>;

const CommentedFile = { filename: z.string(), url: z.string() };

/** A comment of the user on lines of a file or a plan, sent to the agent. */
export const CommentPart = z.object({
  ...partBase,
  type: z.literal("comment"),
  /** Known to the editor, which shows the answer at the comment. */
  commentID: z.string(),
  /** Tells the comments of a session apart, from 1. */
  number: z.number(),
  text: z.string(),
  place: z.discriminatedUnion("type", [
    z.object({ type: z.literal("file"), ...CommentedFile }),
    /** Lines that a change of the agent has touched; `line` counts from 1. */
    z.object({
      type: z.literal("change"),
      ...CommentedFile,
      change: z.object({ line: z.number(), removed: z.string(), added: z.string() }),
    }),
    /** The reply that is the plan. */
    z.object({ type: z.literal("plan"), planID: z.string() }),
  ]),
  /** Line numbers from 1, both included, and their text when the comment was sent. */
  source: z.object({ start: z.number(), end: z.number(), text: z.string() }),
  /** What was said at these lines in another session. */
  earlier: z.optional(z.string()),
});
export type CommentPart = z.infer<typeof CommentPart>;

export const FileDiff = z.object({
  path: z.string(),
  added: z.number(),
  removed: z.number(),
  /** A unified diff without its file header. */
  patch: z.string(),
});
export type FileDiff = z.infer<typeof FileDiff>;

export const CallMetadata = z.object({
  diff: z.optional(FileDiff),
  /** Instead of `diff`, for a call that changed several files. */
  diffs: z.optional(z.array(FileDiff)),
  /** Shown at the end of the call's line: "312 lines", "exit code 1". */
  fact: z.optional(z.string()),
  tone: z.optional(z.enum(["good", "bad", "plain"])),
  exitCode: z.optional(z.nullable(z.number())),
  /** The last lines of a running command's output; transient, never recorded. */
  live: z.optional(z.string()),
  liveLines: z.optional(z.number()),
  outputFile: z.optional(z.string()),
  /** Versions of the files that the call has shown or written, by absolute path; null: deleted (T12). */
  seen: z.optional(z.record(z.string(), z.nullable(z.string()))),
  /** What people read from an offset of the output or error on, which is written for the model. */
  words: z.optional(z.object({ at: z.number(), text: z.string() })),
  /** The call was not allowed: by a rule, by the user, or because nobody could answer. */
  denied: z.optional(z.boolean()),
  /** The user is asked about it, and nothing of it has run: a session that is opened again asks again (R3). */
  asking: z.optional(z.boolean()),
  /** Cut within its arguments and never run: no longer sent to the model (C4). */
  discarded: z.optional(z.boolean()),
  childID: z.optional(z.string()),
  /** USD that the subagent has spent. */
  childCost: z.optional(z.number()),
  childTokens: z.optional(z.number()),
  /** Whether `childCost` leaves out replies whose price is not known. */
  childPartial: z.optional(z.boolean()),
  /** Files that the subagent has edited, by the paths of their diffs. */
  childEdited: z.optional(z.array(z.string())),
  /** The call as the model made it, where it ran as another one: what the model has said goes back to it unchanged. */
  asked: z.optional(z.object({ tool: z.string(), input: Json })),
  /** Opaque data of the provider that belongs to this call and is sent back unchanged. */
  provider: z.optional(Json),
});
export type CallMetadata = z.infer<typeof CallMetadata>;

export const ToolState = z.discriminatedUnion("status", [
  /** `raw` is the JSON of the arguments received so far. */
  z.object({ status: z.literal("pending"), input: Json, raw: z.string(), provider: z.optional(Json) }),
  z.object({
    status: z.literal("running"),
    input: Json,
    title: z.optional(z.string()),
    metadata: z.optional(CallMetadata),
    start: z.number(),
  }),
  z.object({
    status: z.literal("completed"),
    input: Json,
    output: z.string(),
    title: z.string(),
    metadata: CallMetadata,
    attachments: z.optional(z.array(FilePart)),
    start: z.number(),
    end: z.number(),
  }),
  z.object({
    status: z.literal("error"),
    input: Json,
    error: z.string(),
    title: z.optional(z.string()),
    metadata: z.optional(CallMetadata),
    start: z.number(),
    end: z.number(),
  }),
]);
export type ToolState = z.infer<typeof ToolState>;

export const ToolPart = z.object({
  ...partBase,
  type: z.literal("tool"),
  callID: z.string(),
  tool: z.string(),
  state: ToolState,
});
export type ToolPart = z.infer<typeof ToolPart>;

/** Work for a subagent before the model is called; done when a call of `task` has answered its message. */
const SubtaskPart = z.object({
  ...partBase,
  type: z.literal("subtask"),
  agent: z.string(),
  description: z.string(),
  prompt: z.string(),
});
export type SubtaskPart = z.infer<typeof SubtaskPart>;

export const ToolDefinition = z.object({
  name: z.string(),
  description: z.string(),
  /** JSON Schema of the arguments: always an object. */
  schema: Json,
  /** For models that take tools with a text as input: a Lark grammar of that text, which is the argument `argument`. */
  freeform: z.optional(z.object({ grammar: z.string(), argument: z.string() })),
});
export type ToolDefinition = z.infer<typeof ToolDefinition>;

/** Tools that came or went since the conversation began; those with which it began stand in its prefix. */
const ToolsPart = z.object({
  ...partBase,
  type: z.literal("tools"),
  added: z.array(ToolDefinition),
  removed: z.array(z.string()),
});
export type ToolsPart = z.infer<typeof ToolsPart>;

const RetryPart = z.object({
  ...partBase,
  type: z.literal("retry"),
  attempt: z.number(),
  error: ReplyError,
  time: z.number(),
});

/** Kinds that a model says; a text may also be the user's. */
const saidParts = [TextPart, ReasoningPart, ToolPart] as const;

/** Further kinds that a user's message has: what the user gives the model, or asks Rondo for. */
const givenParts = [
  FilePart,
  CommentPart,
  SubtaskPart,
  ToolsPart,
  /** An @mention in a record of version 0.4.0 or before; today a mention is a subtask. */
  z.object({ ...partBase, type: z.literal("agent"), name: z.string() }),
  /** Has its own user message; answered by the message with `summary`. */
  z.object({
    ...partBase,
    type: z.literal("compaction"),
    auto: z.boolean(),
    /** What the user wants the summary to keep, in their words. */
    keep: z.optional(z.string()),
    /** The reply whose plan takes the place of a summary (C9). */
    plan: z.optional(z.string()),
  }),
] as const;

/** Kinds that Rondo notes about a reply. No model gets them; the panel may show them. */
const notedParts = [
  RetryPart,
  z.object({ ...partBase, type: z.literal("step-start"), snapshot: z.optional(z.string()) }),
  z.object({
    ...partBase,
    type: z.literal("step-finish"),
    reason: Finish,
    cost: z.optional(z.number()),
    tokens: Tokens,
    snapshot: z.optional(z.string()),
  }),
  z.object({ ...partBase, type: z.literal("patch"), hash: z.string(), files: z.array(z.string()) }),
] as const;

/** A kind belongs to one of these groups, and what handles a group does not compile until it handles each of its kinds. */
export const Part = z.discriminatedUnion("type", [...saidParts, ...givenParts, ...notedParts]);
export type Part = z.infer<typeof Part>;
export type PartOf<Type extends Part["type"]> = Extract<Part, { type: Type }>;
export type SaidPart = z.infer<(typeof saidParts)[number]>;
export type GivenPart = z.infer<(typeof givenParts)[number]>;
export type NotedPart = z.infer<(typeof notedParts)[number]>;
export type TextPart = z.infer<typeof TextPart>;
export type ReasoningPart = z.infer<typeof ReasoningPart>;
