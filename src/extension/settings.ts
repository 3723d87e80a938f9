/** Reads the settings. What could widen permissions or send code elsewhere is read from the user alone. */
import * as vscode from "vscode";
import * as z from "zod/mini";
import { PermissionMode } from "../chat/events.ts";
import { Rule } from "../chat/requests.ts";
import type { Thinking } from "../loop/model.ts";
import type { Price } from "../loop/setup/model-catalog.ts";
import { defaultLimits, type Limits } from "../loop/turn.ts";
import { type ProviderID, providerIDs } from "../providers/providers.ts";

export interface Settings {
  provider: ProviderID | "vscode" | undefined;
  model: string | undefined;
  baseURL: string | undefined;
  /** Answers when the chosen model is overloaded: a model's id, perhaps with its provider before a slash. */
  fallbackModel: string | undefined;
  agent: string;
  thinking: Thinking;
  mode: PermissionMode;
  rules: Rule[];
  /** Patterns of more files that may hold secrets, in the syntax of `.gitignore`. */
  secrets: string[];
  /** As it was written, in the form of Claude Code's `hooks`. */
  hooks: unknown;
  /** As it was written, in the form of `.mcp.json`'s `mcpServers`. */
  mcpServers: unknown;
  /** Names of tools of VS Code that may be used, or `*`. */
  vscodeTools: string[];
  /** `shell`: a path; empty for the usual one. */
  terminal: { mode: "separate" | "integrated"; shell: string };
  /** Most that checkpoints may take, in bytes; 0: none are kept. */
  checkpointBytes: number;
  limits: Limits;
  /** Sentences about settings that cannot be used; each falls back to its default. */
  problems: string[];
}

/** ms */
const hour = 3_600_000;
const day = 24 * hour;

const Address = z.url({ protocol: /^https?$/ });

let current: Settings | undefined;

/** The settings as they are now. Malformed ones are left out; `problems` says so. */
export function readSettings(): Settings {
  current ??= parseSettings();
  return current;
}

/** Calls back when the settings, or the trust that some of them need, have changed. */
export function watchSettings(changed: () => void): vscode.Disposable {
  const forget = () => {
    current = undefined;
    changed();
  };
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("rondo") && forget()),
    vscode.workspace.onDidGrantWorkspaceTrust(forget),
  );
}

/** USD for a million tokens. */
const Given = z.object({
  input: z.number().check(z.gte(0)),
  output: z.number().check(z.gte(0)),
  cacheRead: z.optional(z.number().check(z.gte(0))),
  cacheWrite: z.optional(z.number().check(z.gte(0))),
});
const Prices = z.record(z.string(), Given);
const Money = z.optional(z.number().check(z.gte(0)));

function parseSettings(): Settings {
  const problems: string[] = [];
  const settings = vscode.workspace.getConfiguration("rondo");
  const section = vscode.workspace.getConfiguration().inspect("rondo");
  /** Whether anybody but the user says anything: else there is no need to ask, setting by setting, who says what. */
  const hasOthers = section?.workspaceValue !== undefined || section?.workspaceFolderValue !== undefined;
  /** The value if it fits, else the default with a sentence. `userOnly` ignores what a workspace says. */
  function read<T>(key: string, schema: z.ZodMiniType<T>, fallback: T, userOnly: boolean): T {
    const found = userOnly && hasOthers ? settings.inspect<unknown>(key) : undefined;
    const value = found ? (found.globalValue ?? found.defaultValue) : settings.get<unknown>(key);
    if (value === undefined || value === null || value === "") return fallback;
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    problems.push(`The setting rondo.${key} cannot be used: ${parsed.error.issues[0]?.message ?? "it is malformed"}.`);
    return fallback;
  }
  /** A number of the user's, whole, with both ends included. */
  const loop = (key: string, least: number, most: number, fallback: number) =>
    read(`loop.${key}`, z.int().check(z.gte(least), z.lte(most)), fallback, true);
  const trusted = vscode.workspace.isTrusted;
  const usual = defaultLimits;
  return {
    provider: read("provider", z.optional(z.enum([...providerIDs, "vscode"])), undefined, true),
    model: read("model", z.optional(z.string()), undefined, !trusted),
    baseURL: read("baseUrl", z.optional(Address), undefined, true),
    fallbackModel: read("fallbackModel", z.optional(z.string()), undefined, true),
    agent: read("agent", z.string(), "build", !trusted),
    thinking: read("thinking", z.enum(["default", "off", "low", "medium", "high"]), "default", !trusted),
    mode: read("permission.mode", PermissionMode, "default", true),
    rules: read("permission.rules", z.array(Rule), [], true),
    secrets: read("permission.secrets", z.array(z.string()), [], true),
    mcpServers: read("mcpServers", z.record(z.string(), z.unknown()), {}, true),
    vscodeTools: read("vscodeTools", z.array(z.string()), [], true),
    terminal: {
      mode: read("terminal.mode", z.enum(["separate", "integrated"]), "separate", true),
      shell: read("terminal.shell", z.string(), "", true),
    },
    checkpointBytes: read("checkpoints.maxSizeMb", z.int().check(z.gte(0)), 500, true) * 1_000_000,
    hooks: read("hooks", z.record(z.string(), z.unknown()), {}, true),
    limits: {
      prices: whole(read("prices", Prices, {}, true)),
      forcedWindow: undefined,
      windows: {},
      maxTurns: read("maxTurns", z.int().check(z.gte(1)), usual.maxTurns, !trusted),
      maxBudgetUsd: read("maxBudgetUsd", Money, undefined, true),
      maxDailyBudgetUsd: read("maxDailyBudgetUsd", Money, undefined, true),
      contextWindow: loop("contextWindow", 1000, 10_000_000, usual.contextWindow),
      compactAt: read("loop.compactAt", z.number().check(z.gte(0.1), z.lte(1)), usual.compactAt, true),
      reserveFloorTokens: loop("reserveFloor", 0, 1_000_000, usual.reserveFloorTokens),
      flushThresholdTokens: loop("flushThreshold", 0, 1_000_000, usual.flushThresholdTokens),
      executionTimeoutMs: loop("executionTimeout", 1000, day, 3_600_000),
      toolTimeoutMs: loop("toolTimeout", 1000, hour, usual.toolTimeoutMs),
      doomLoopThreshold: loop("doomLoopThreshold", 0, 100, usual.doomLoopThreshold),
      maxRetries: loop("maxRetries", 0, 20, usual.maxRetries),
      retryBackoffMs: loop("retryBackoff", 1, 60_000, usual.retryBackoffMs),
      stallNoticeMs: loop("stallNotice", 100, hour, usual.stallNoticeMs),
      stallTimeoutMs: loop("stallTimeout", 1000, hour, usual.stallTimeoutMs),
      maxQueueDepth: loop("maxQueueDepth", 1, 100, usual.maxQueueDepth),
      queueTimeoutMs: loop("queueTimeout", 0, 600_000, usual.queueTimeoutMs),
      lockTimeoutMs: loop("lockTimeout", 10_000, day, usual.lockTimeoutMs),
    },
    problems,
  };
}

/** What is not said of the cache costs as much as input. */
function whole(prices: z.infer<typeof Prices>): Record<string, Price> {
  const each = Object.entries(prices).map(([id, { input, output, cacheRead, cacheWrite }]) => {
    return [id, { input, output, cacheRead: cacheRead ?? input, cacheWrite: cacheWrite ?? input }] as const;
  });
  return Object.fromEntries(each);
}
