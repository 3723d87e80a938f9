/** The limits of a session (spec O) and all their defaults. */
import type { ModelLimits } from "./setup/model-facts.ts";

export interface Limits extends ModelLimits {
  /** Replies of a turn; 0: no limit, as for budgets. */
  maxTurns: number;
  /** Working time of a turn, without waits for the user. */
  executionTimeoutMs: number;
  /** Time limit of tools that do not set their own. */
  toolTimeoutMs: number;
  maxRetries: number;
  retryBackoffMs: number;
  /** Text of one prompt in UTF-8, its subtasks included (P2). */
  maxPromptBytes: number;
  maxQueueDepth: number;
  /** Maximum time that a prompt waits for a run of another process. */
  queueTimeoutMs: number;
  lockTimeoutMs: number;
  maxBudgetUsd: number | undefined;
  maxDailyBudgetUsd: number | undefined;
  /** Of a session, subagents and cached tokens included. */
  maxBudgetTokens: number | undefined;
  reserveFloorTokens: number;
  /** Distance to the reserve at which the model is asked to save notes to memory (C5). */
  flushThresholdTokens: number;
  /** Whether the conversation is compacted before it fills the window; otherwise only by hand. */
  autoCompact: boolean;
  /** Share of the window at which compaction starts at the latest. */
  compactAt: number;
  /** Identical calls in a row after which the next one asks; 0 disables loop detection. */
  doomLoopThreshold: number;
  /** Time without a byte from the model after which the user is told (H6). */
  stallNoticeMs: number;
  /** Time without a byte from the model after which the request counts as failed (H6). */
  stallTimeoutMs: number;
}

export const defaultLimits: Limits = {
  maxTurns: 100,
  executionTimeoutMs: 600_000,
  toolTimeoutMs: 30_000,
  maxRetries: 3,
  retryBackoffMs: 1000,
  maxPromptBytes: 1 << 20,
  maxQueueDepth: 10,
  queueTimeoutMs: 30_000,
  lockTimeoutMs: 900_000,
  maxBudgetUsd: undefined,
  maxDailyBudgetUsd: undefined,
  maxBudgetTokens: undefined,
  contextWindow: 128_000,
  windows: {},
  forcedWindow: undefined,
  prices: {},
  modelOptions: {},
  reserveFloorTokens: 4000,
  flushThresholdTokens: 8000,
  autoCompact: true,
  compactAt: 0.85,
  doomLoopThreshold: 3,
  stallNoticeMs: 60_000,
  stallTimeoutMs: 180_000,
};

/** Returns limits of turns and budgets with 0 as no limit. */
export function withoutZeros(limits: Limits): Limits {
  const { maxTurns, maxBudgetUsd, maxDailyBudgetUsd, maxBudgetTokens } = limits;
  return {
    ...limits,
    maxTurns: maxTurns === 0 ? Number.POSITIVE_INFINITY : maxTurns,
    maxBudgetUsd: maxBudgetUsd === 0 ? undefined : maxBudgetUsd,
    maxDailyBudgetUsd: maxDailyBudgetUsd === 0 ? undefined : maxDailyBudgetUsd,
    maxBudgetTokens: maxBudgetTokens === 0 ? undefined : maxBudgetTokens,
  };
}
