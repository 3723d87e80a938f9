/** The limits of a session (spec O) and all their defaults, which `src/base/settings.ts` has where users can set them. */
import {
  type LoopValues,
  loopSettings,
  type SharedValues,
  sharedSettings,
  type ValueSetting,
  type Values,
} from "../base/settings.ts";
import type { ModelLimits } from "./setup/model-facts.ts";

/** Times in ms. */
export interface Limits extends SharedValues, LoopValues, ModelLimits {}

export const defaultLimits: Limits = {
  ...defaultsOf(sharedSettings),
  ...loopDefaults(),
  windows: {},
  forcedWindow: undefined,
  prices: {},
  modelOptions: {},
};

/** Limits where a person is there to stop a turn: it may take longer than elsewhere. */
export const extensionLimits: Limits = { ...defaultLimits, executionTimeoutMs: 3_600_000 };

// The names of what is made are those of the table, which `Object.entries` forgets.
function defaultsOf<Table extends Record<string, ValueSetting>>(table: Table): Values<Table> {
  return Object.fromEntries(Object.entries(table).map(([name, setting]) => [name, setting.default])) as Values<Table>;
}

function loopDefaults(): LoopValues {
  return Object.fromEntries(loopSettings.map((setting) => [setting.limit, setting.default])) as LoopValues;
}

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
