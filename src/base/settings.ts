/**
 * The settings that are one value each: what they may be, their defaults, and who offers them. The loop's limits, the
 * readers of VS Code's settings, of options and of flags are made from these tables, and so are the manifest's entries, the
 * types of the options and the documents (`npm run docs`). What only some of them need stands in tables of its own, so that
 * bundles leave it out.
 */
import { english, t } from "../l10n/l10n.ts";

/** In VS Code: `resource` and `window` are also read from a workspace that is trusted, the others only from the user. */
type SettingScope = "application" | "machine" | "resource" | "window";

export interface ValueSetting {
  readonly type: "boolean" | "integer" | "number" | "usd";
  readonly minimum?: number;
  readonly maximum?: number;
  /** Undefined: not set, which is no limit. */
  readonly default: boolean | number | undefined;
  readonly scope: SettingScope;
}

type ValueOf<S extends ValueSetting> =
  | (S["type"] extends "boolean" ? boolean : number)
  | (S["default"] extends undefined ? undefined : never);

/** The numbers that a setting takes; as options and flags have some, too, that are no settings. */
export type NumberRange = Pick<ValueSetting, "type" | "minimum" | "maximum">;

export function isInRange({ type, minimum = 0, maximum = Infinity }: NumberRange, value: number): boolean {
  const isNumber = type === "integer" ? Number.isSafeInteger(value) : Number.isFinite(value);
  return isNumber && value >= minimum && value <= maximum;
}

/** The values of a table of settings, by name. */
export type Values<Table extends Record<string, ValueSetting>> = {
  -readonly [Name in keyof Table]: ValueOf<Table[Name]>;
};

/** Limits that every front end offers: the setting `rondo.maxTurns`, the option `maxTurns`, the flag `--max-turns`. */
export const sharedSettings = {
  /** Replies of a turn; 0: no limit, as for budgets. */
  maxTurns: { type: "integer", minimum: 0, default: 100, scope: "resource" },
  maxBudgetUsd: { type: "usd", minimum: 0, default: undefined, scope: "machine" },
  maxDailyBudgetUsd: { type: "usd", minimum: 0, default: undefined, scope: "machine" },
  /** Of a session, subagents and cached tokens included. */
  maxBudgetTokens: { type: "integer", minimum: 0, default: undefined, scope: "machine" },
  /** Whether the conversation is compacted before it fills the window; otherwise only by hand. */
  autoCompact: { type: "boolean", default: true, scope: "machine" },
} as const satisfies Record<string, ValueSetting>;

export type SharedName = keyof typeof sharedSettings;
// `Object.keys` forgets the names.
export const settingNames = Object.keys(sharedSettings) as readonly SharedName[];
export type SharedValues = Values<typeof sharedSettings>;

/** Settings of the window in VS Code. That of titles has an option and a flag of its own beside it, `titles` and `--no-title`. */
export const windowSettings = {
  titles: { type: "boolean", default: true, scope: "machine" },
  follow: { type: "boolean", default: false, scope: "window" },
  "attention.badge": { type: "boolean", default: true, scope: "application" },
  "attention.statusBar": { type: "boolean", default: true, scope: "application" },
  "attention.notifications": { type: "boolean", default: true, scope: "application" },
  "permission.bypassMinutes": { type: "number", minimum: 0.1, maximum: 480, default: 60, scope: "application" },
  "checkpoints.maxSizeMb": { type: "integer", minimum: 0, default: 500, scope: "machine" },
} as const satisfies Record<string, ValueSetting>;

export type WindowValues = Values<typeof windowSettings>;

/** A number of the loop: the setting `rondo.loop.NAME`, and an option in `limits`. */
export interface LoopSetting<Limit extends string = string> {
  readonly limit: Limit;
  /** Name in the settings after "rondo.loop.". */
  readonly name: string;
  /** In the limit's unit. */
  readonly default: number;
  /** In the setting's unit, as the maximum. */
  readonly minimum: number;
  readonly maximum: number;
  readonly type: "integer" | "number";
  /** Number of the limit's units in one unit of the setting: 1000 where the setting has seconds and the limit ms. */
  readonly factor: number;
  /** Name of the same setting in milliseconds, as versions up to 0.4.0 had it. */
  readonly oldName: string | undefined;
}

const day = 86_400;
const hour = 3600;

// Called, so that bundles that do not need it leave it out.
export const loopSettings = /* @__PURE__ */ (() =>
  [
    // Window that is assumed where nothing is known.
    count("contextWindow", 128_000, 1000, 10_000_000),
    // Share of the window at which compaction starts at the latest.
    { ...count("compactAt", 0.85, 0.1, 1), type: "number" },
    count("reserveFloorTokens", 4000, 0, 1_000_000),
    // Distance to the reserve at which the model is asked to save notes to memory (C5).
    count("flushThresholdTokens", 8000, 0, 1_000_000),
    // Working time of a turn, without waits for the user.
    seconds("executionTimeout", 600, 1, day),
    // Time limit of tools that do not set their own.
    seconds("toolTimeout", 30, 1, hour),
    // Identical calls in a row after which the next one asks; 0 disables loop detection.
    count("doomLoopThreshold", 3, 0, 100),
    count("maxRetries", 3, 0, 20),
    seconds("retryBackoff", 1, 0.001, 60),
    // Time without a byte from the model after which the user is told (H6).
    seconds("stallNotice", 60, 0.1, hour),
    // Time without a byte from the model after which the request counts as failed (H6).
    seconds("stallTimeout", 180, 1, hour),
    // Text of one prompt in UTF-8, its subtasks included (P2).
    { ...count("maxPromptBytes", 1 << 20, 1, 65_536), name: "maxPromptKiB", factor: 1024 },
    count("maxQueueDepth", 10, 1, 100),
    // Maximum time that a prompt waits for a run of another process.
    seconds("queueTimeout", 30, 0, 600),
    seconds("lockTimeout", 900, 10, day),
  ] as const)();

type LoopLimit = (typeof loopSettings)[number]["limit"];

export type LoopValues = Record<LoopLimit, number>;

function count<const Limit extends string>(limit: Limit, fallback: number, minimum: number, maximum: number) {
  const name = limit.replace("Tokens", "");
  const setting: LoopSetting<Limit> = {
    ...{ limit, name, default: fallback, minimum, maximum, type: "integer", factor: 1, oldName: undefined },
  };
  return setting;
}

/** The setting is in seconds, the limit in milliseconds. */
function seconds<const Name extends string>(oldName: Name, fallback: number, minimum: number, maximum: number) {
  const setting: LoopSetting<`${Name}Ms`> = {
    ...{ limit: `${oldName}Ms`, name: `${oldName}Seconds`, default: fallback * 1000, minimum, maximum },
    ...{ type: "number", factor: 1000, oldName },
  };
  return setting;
}

/** The option `contextWindow` stands for itself, and overrides what is known, too. A run has one prompt at a time. */
type NoOption = "contextWindow" | "maxQueueDepth";

type Stem<Limit> = Limit extends `${infer Name}Ms` | `${infer Name}Tokens` ? Name : Limit;

/** Returns the name of a limit in the option `limits`; undefined where it is not offered. */
export function limitOption(limit: LoopLimit): Stem<Exclude<LoopLimit, NoOption>> | undefined {
  if (limit === "contextWindow" || limit === "maxQueueDepth") return undefined;
  // What the type says.
  return limit.replace(/Ms$|Tokens$/, "") as Stem<typeof limit>;
}

/** "maxBudgetUsd" → "max-budget-usd", "autoCompact" → "no-auto-compact": a flag changes what holds without it. */
export function flagOf(name: SharedName): string {
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return isSwitchedOff(name) ? `no-${flag}` : flag;
}

export const isSwitchedOff = (name: SharedName) => (sharedSettings[name] satisfies ValueSetting).default === true;

/** What `--help` and `docs/command-line.md` say of the flags, and what stands for a value. */
export const flagTexts = (): Readonly<Record<SharedName, { value: string; text: string }>> => ({
  maxTurns: {
    value: "N",
    text: t("replies to the prompt (default: {0}); 0: no limit", sharedSettings.maxTurns.default),
  },
  maxBudgetUsd: { value: "X", text: t("cost of the session in USD; 0: no limit") },
  maxDailyBudgetUsd: { value: "X", text: t("cost of all sessions of a day in USD; 0: no limit") },
  maxBudgetTokens: { value: "N", text: t("tokens of the session, subagents and cached ones included; 0: no limit") },
  autoCompact: { value: "", text: t("ends the run when the conversation does not fit, in place of compacting it") },
});

/** What the types of the options and `docs/sdk.md` say. */
export const optionTexts = (): Readonly<Record<SharedName, string>> => ({
  maxTurns: english(`Model replies for each prompt, by default ${sharedSettings.maxTurns.default}; 0: no limit.`),
  maxBudgetUsd: english("USD of the session, subagents included, after which a run ends. 0, like no value: no limit."),
  maxDailyBudgetUsd: english("USD of all sessions of a day after which a run ends. 0, like no value: no limit."),
  maxBudgetTokens: english(
    "Tokens of the session, subagents and cached tokens included, after which a run ends. 0, like no value: no limit.",
  ),
  autoCompact: english(
    `Whether the conversation is compacted before it fills the window (default: ${sharedSettings.autoCompact.default}); otherwise a run ends when it no longer fits.`,
  ),
});
