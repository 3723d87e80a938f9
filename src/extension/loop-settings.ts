/** The loop's numbers that users can set: names, bounds and defaults. Free of VS Code, so that scripts can read it. */
import { defaultLimits, type Limits } from "../loop/limits.ts";

type NumberLimit = { [K in keyof Limits]: Limits[K] extends number ? K : never }[keyof Limits];

export interface LoopSetting {
  /** Name in the settings after "rondo.loop.". */
  name: string;
  limit: NumberLimit;
  /** Number of the limit's units in one unit of the setting: 1000 where the setting has seconds and the limit ms. */
  factor: number;
  minimum: number;
  maximum: number;
  type: "integer" | "number";
  /** Name of the same setting in milliseconds, as versions up to 0.4.0 had it. */
  oldName: string | undefined;
}

/** Limits of the extension. A turn may take longer than elsewhere, since a person is there to stop it. */
export const extensionLimits: Limits = { ...defaultLimits, executionTimeoutMs: 3_600_000 };

const day = 86_400;
const hour = 3600;

export const loopSettings: readonly LoopSetting[] = [
  count("contextWindow", "contextWindow", 1000, 10_000_000),
  { ...count("compactAt", "compactAt", 0.1, 1), type: "number" },
  count("reserveFloor", "reserveFloorTokens", 0, 1_000_000),
  count("flushThreshold", "flushThresholdTokens", 0, 1_000_000),
  seconds("executionTimeout", 1, day),
  seconds("toolTimeout", 1, hour),
  count("doomLoopThreshold", "doomLoopThreshold", 0, 100),
  count("maxRetries", "maxRetries", 0, 20),
  seconds("retryBackoff", 0.001, 60),
  seconds("stallNotice", 0.1, hour),
  seconds("stallTimeout", 1, hour),
  { ...count("maxPromptKiB", "maxPromptBytes", 1, 65_536), factor: 1024 },
  count("maxQueueDepth", "maxQueueDepth", 1, 100),
  seconds("queueTimeout", 0, 600),
  seconds("lockTimeout", 10, day),
];

function count(name: string, limit: NumberLimit, minimum: number, maximum: number): LoopSetting {
  return { name, limit, factor: 1, minimum, maximum, type: "integer", oldName: undefined };
}

type TimeLimit = Extract<NumberLimit, `${string}Ms`>;
type WithoutUnit<Name> = Name extends `${infer Stem}Ms` ? Stem : never;

function seconds(oldName: WithoutUnit<TimeLimit>, minimum: number, maximum: number): LoopSetting {
  const name = `${oldName}Seconds`;
  return { name, limit: `${oldName}Ms`, factor: 1000, minimum, maximum, type: "number", oldName };
}
