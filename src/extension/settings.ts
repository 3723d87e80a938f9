/** Reads the settings. What could widen permissions or send code elsewhere is read from the user alone. */
import * as vscode from "vscode";
import * as z from "zod/mini";
import { PermissionMode, Rule } from "../loop/events.ts";
import type { Thinking } from "../loop/model.ts";
import { type ProviderID, providerIDs } from "../loop/models/providers.ts";
import { defaultLimits, type Limits } from "../loop/turn.ts";

export interface Settings {
  provider: ProviderID | undefined;
  model: string | undefined;
  baseURL: string | undefined;
  agent: string;
  thinking: Thinking;
  mode: PermissionMode;
  rules: Rule[];
  limits: Limits;
  /** Sentences about settings that cannot be used; each falls back to its default. */
  problems: string[];
}

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
  const count = (least: number) => z.int().check(z.gte(least));
  const trusted = vscode.workspace.isTrusted;
  return {
    provider: read("provider", z.optional(z.enum(providerIDs)), undefined, true),
    model: read("model", z.optional(z.string()), undefined, !trusted),
    baseURL: read("baseUrl", z.optional(Address), undefined, true),
    agent: read("agent", z.enum(["build", "plan"]), "build", !trusted),
    thinking: read("thinking", z.enum(["default", "off", "low", "medium", "high"]), "default", !trusted),
    mode: read("permission.mode", PermissionMode, "default", true),
    rules: read("permission.rules", z.array(Rule), [], true),
    limits: {
      ...defaultLimits,
      maxTurns: read("maxTurns", count(1), defaultLimits.maxTurns, !trusted),
      maxBudgetUsd: read("maxBudgetUsd", z.optional(z.number().check(z.gte(0))), undefined, true),
      maxRetries: read("loop.maxRetries", count(0), defaultLimits.maxRetries, true),
      retryBackoff: read("loop.retryBackoff", count(1), defaultLimits.retryBackoff, true),
      executionTimeout: read("loop.executionTimeout", count(1000), 3_600_000, true),
      maxQueueDepth: read("loop.maxQueueDepth", count(1), defaultLimits.maxQueueDepth, true),
      contextWindow: read("loop.contextWindow", count(1000), defaultLimits.contextWindow, true),
    },
    problems,
  };
}
