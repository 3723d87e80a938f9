/** Written by scripts/setting-tables.mjs from src/base/settings.ts. Run `npm run docs` after a change. */

/** Limits of a run. */
export interface SettingOptions {
  /** Model replies for each prompt, by default 100; 0: no limit. */
  maxTurns?: number | undefined;
  /** USD of the session, subagents included, after which a run ends. 0, like no value: no limit. */
  maxBudgetUsd?: number | undefined;
  /** USD of all sessions of a day after which a run ends. 0, like no value: no limit. */
  maxDailyBudgetUsd?: number | undefined;
  /** Tokens of the session, subagents and cached tokens included, after which a run ends. 0, like no value: no limit. */
  maxBudgetTokens?: number | undefined;
  /** Whether the conversation is compacted before it fills the window (default: true); otherwise a run ends when it no longer fits. */
  autoCompact?: boolean | undefined;
}

/** Names in `limits`. */
export type LimitName =
  | "compactAt"
  | "reserveFloor"
  | "flushThreshold"
  | "executionTimeout"
  | "toolTimeout"
  | "doomLoopThreshold"
  | "maxRetries"
  | "retryBackoff"
  | "stallNotice"
  | "stallTimeout"
  | "maxPromptBytes"
  | "queueTimeout"
  | "lockTimeout";
