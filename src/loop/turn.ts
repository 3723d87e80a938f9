/** What one turn has at hand: the chat it changes, the world it acts on, and the limits it keeps. */
import type { Host } from "../tools/host.ts";
import type { FilesSeen, Tool } from "../tools/tool.ts";
import type { Agent } from "./agents.ts";
import type { Chat } from "./apply.ts";
import type { ChatEvent, ExitReason } from "./events.ts";
import type { LoopEvent } from "./loop-events.ts";
import type { ModelRef, ReplyError } from "./message.ts";
import type { Model, Thinking, ToolDefinition } from "./model.ts";
import type { Permissions } from "./permission.ts";

/** The numbers of O in the specification. Times in ms, costs in USD. */
export interface Limits {
  maxTurns: number;
  /** Working time of a turn, not counting waits for the user. */
  executionTimeout: number;
  maxRetries: number;
  /** First delay between tries; doubled each time. */
  retryBackoff: number;
  maxQueueDepth: number;
  maxBudgetUsd: number | undefined;
  /** Of a model whose window is not known, in tokens. */
  contextWindow: number;
}

export const defaultLimits: Limits = {
  maxTurns: 100,
  executionTimeout: 600_000,
  maxRetries: 3,
  retryBackoff: 1000,
  maxQueueDepth: 10,
  maxBudgetUsd: undefined,
  contextWindow: 128_000,
};

export interface Turn {
  readonly runID: string;
  readonly chat: Chat;
  readonly agent: Agent;
  readonly modelRef: ModelRef;
  readonly thinking: Thinking;
  /** Most tokens of one reply; undefined leaves it to the server. */
  readonly maxTokens: number | undefined;
  readonly system: string;
  readonly limits: Limits;
  readonly host: Host;
  readonly permissions: Permissions;
  /** The tools on offer, by name. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly definitions: readonly ToolDefinition[];
  readonly seen: FilesSeen;
  /** How many messages the chat had when the turn began. */
  readonly firstReply: number;
  /** Whether nothing may be changed or run now: the mode or the agent is Plan. */
  readOnly(): boolean;
  /** Aborted by Stop. */
  readonly signal: AbortSignal;
  /** Loads the provider's SDK when first called. Rejects with a ModelError when the provider has no key. */
  openModel(): Promise<Model>;
  emit(event: ChatEvent): void;
  /** What was emitted is on disk when it returns (R2). @throws RecordError */
  flush(): void;
  report(event: LoopEvent): void;
  /** Logs what is worth knowing later. */
  note(message: string): void;
  /** Logs what should not have happened, with its stack. */
  bug(error: unknown): void;
  /** Moves the prompts that wait into the chat. */
  takeQueued(): void;
  /** From now on prompts do not join this turn: they begin one of their own when it has ended. */
  close(): void;
  /** Resolves after `ms`, or when the user presses "Try now". Rejects on abort. */
  pause(ms: number): Promise<void>;
  /** Runs `wait` without its time counting as working time. */
  untimed<T>(wait: () => Promise<T>): Promise<T>;
  /** Working time so far, in ms. */
  elapsed(): number;
}

/** How a turn ended. */
export interface TurnEnd {
  reason: ExitReason;
  /** With the reasons `error` and `max_tokens`. */
  error: ReplyError | undefined;
}
