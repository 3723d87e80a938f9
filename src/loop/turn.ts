/** What one turn has at hand: the chat it changes, the world it acts on, and the limits it keeps. */

import type { Chat } from "../chat/apply.ts";
import type { ChatEvent, ExitReason } from "../chat/events.ts";
import type { ModelRef, ReplyError, UserMessage } from "../chat/message.ts";
import type { Host } from "../tools/host.ts";
import type { FilesSeen, Tool, ToolDefinition } from "../tools/tool.ts";
import type { Agent } from "./agents/agents.ts";
import type { Budget } from "./budget.ts";
import type { DoomWatch } from "./calls/doom.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { Hooks } from "./hooks.ts";
import type { LoopEvent } from "./loop-events.ts";
import type { Model, Thinking } from "./model.ts";
import type { Permissions } from "./permissions/permission.ts";
import type { Prices } from "./setup/model-catalog.ts";
import type { Project } from "./setup/project.ts";
import type { Recorder } from "./storage.ts";

/** The numbers of O in the specification. Times in ms, costs in USD, sizes in tokens. */
export interface Limits {
  maxTurns: number;
  /** Working time of a turn, not counting waits for the user. */
  executionTimeoutMs: number;
  /** Longest time that a tool may run which does not name its own. */
  toolTimeoutMs: number;
  maxRetries: number;
  /** First delay between tries; doubled each time. */
  retryBackoffMs: number;
  maxQueueDepth: number;
  /** How long a prompt waits for a run of another process to end. */
  queueTimeoutMs: number;
  /** How long a lock that is not renewed holds. */
  lockTimeoutMs: number;
  maxBudgetUsd: number | undefined;
  /** Of all sessions of a day. */
  maxDailyBudgetUsd: number | undefined;
  /** Of a model whose window is not known. */
  contextWindow: number;
  /** Of models whose provider tells, by "provider/model"; goes before what is known of them. */
  windows: Readonly<Record<string, number>>;
  /** Of every model, whatever is known of it. */
  forcedWindow: number | undefined;
  /** Those that go before the catalog's (B1). */
  prices: Prices;
  /** Kept free for the answer. */
  reserveFloorTokens: number;
  /** So long before the reserve begins, lasting notes are asked for (C5). */
  flushThresholdTokens: number;
  /** Share of the window at which compaction begins at the latest. */
  compactAt: number;
  /** How often the same call may be made before it asks; 0: as often as it likes. */
  doomLoopThreshold: number;
  /** Without a byte from the model for so long, the user is told; for `stallTimeoutMs` it is given up (H6). */
  stallNoticeMs: number;
  stallTimeoutMs: number;
}

export const defaultLimits: Limits = {
  maxTurns: 100,
  executionTimeoutMs: 600_000,
  toolTimeoutMs: 30_000,
  maxRetries: 3,
  retryBackoffMs: 1000,
  maxQueueDepth: 10,
  queueTimeoutMs: 30_000,
  lockTimeoutMs: 900_000,
  maxBudgetUsd: undefined,
  maxDailyBudgetUsd: undefined,
  contextWindow: 128_000,
  windows: {},
  forcedWindow: undefined,
  prices: {},
  reserveFloorTokens: 4000,
  flushThresholdTokens: 8000,
  compactAt: 0.85,
  doomLoopThreshold: 3,
  stallNoticeMs: 60_000,
  stallTimeoutMs: 180_000,
};

/** Who answers a user message and with what (L8); the same object as long as nothing of it changes. */
export interface AgentConfig {
  readonly agent: Agent;
  readonly model: ModelRef;
  readonly thinking: Thinking;
  readonly temperature: number | undefined;
  /** Merged: provider, model, agent, variant (M2). */
  readonly options: Readonly<Record<string, unknown>>;
  /** Most tokens of one reply; undefined leaves it to the server. */
  readonly maxTokens: number | undefined;
  /** Tokens. */
  readonly contextWindow: number;
  /** Most tokens of a request, where a provider limits them apart from the window; else the window. */
  readonly inputLimit: number;
  readonly system: string;
  /** The tools on offer, by name. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly definitions: readonly ToolDefinition[];
}

export interface Turn {
  readonly runID: string;
  readonly chat: Chat;
  /** From the session's agent down to the one that works here; more than one in a subagent's turn (S1). */
  readonly lineage: readonly Agent[];
  readonly limits: Limits;
  readonly host: Host;
  readonly permissions: Permissions;
  readonly hooks: Hooks;
  /** Shared with all subagents. */
  readonly budget: Budget;
  readonly seen: FilesSeen;
  readonly doom: DoomWatch;
  readonly checkpoints: Checkpoints;
  /** How many messages the chat had when the turn began. */
  readonly firstReply: number;
  /** Aborted by Stop, and when the session's lock is lost. */
  readonly signal: AbortSignal;
  /** Takes over when the model stays overloaded (H5). */
  readonly fallback: ModelRef | undefined;
  /** Resolves when tools from elsewhere are there, or have been waited for; from then on they stay the same. */
  connectExternalTools(): Promise<void>;
  /** As it was when the session began, or was compacted last. */
  project(): Project;
  /** Whether nothing may be changed or run now: the mode or an agent is Plan. */
  readOnly(): boolean;
  /** What answers `user`. @throws IntakeError when its agent is gone */
  resolveConfig(user: UserMessage): AgentConfig;
  /** For a subagent; `depth` counts from 0, the session's own agent. */
  resolveConfigFor(agent: Agent, user: UserMessage, depth: number): AgentConfig;
  /** Project and system prompt may change now: the prefix is broken anyway (C7). */
  refresh(): void;
  /** From now on `fallback` answers (H5). */
  switchToFallback(): void;
  /** Loads the provider's SDK when first called. Rejects with a ModelError when the provider has no key. */
  openModel(ref: ModelRef): Promise<Model>;
  /** The record of a subagent's new session. */
  openChild(sessionID: string): Recorder & { close(): void };
  emit(event: ChatEvent): void;
  /** What was emitted is on disk when it returns (R2). @throws RecordError */
  flush(): void;
  report(event: LoopEvent): void;
  /** Shows the user a sentence at a message; the model is not told. */
  notifyUser(messageID: string, text: string): void;
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
