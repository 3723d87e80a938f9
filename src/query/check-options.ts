/** Checks the caller's options before anything runs: each is used, ignored with a note, or refused. */

import { appendFileSync, statSync } from "node:fs";
import path from "node:path";
import { keysIn } from "../base/key-names.ts";
import { isInRange, type NumberRange, type SharedName, sharedSettings, type ValueSetting } from "../base/settings.ts";
import type { ModelRef } from "../chat/message.ts";
import { PermissionMode } from "../chat/permission-mode.ts";
import { msg } from "../l10n/l10n.ts";
import type { Thinking } from "../loop/model.ts";
import { isSessionID } from "../record/sessions.ts";
import { chooseModel, type ResolvedModel } from "../runtime/process-models.ts";
import { type SandboxMode, sandboxModes } from "../tools/host.ts";
import { QueryError } from "./query-error.ts";
import type { Options } from "./query-types.ts";

/** How each option is treated that is no setting. Ignoring a `refused` one would change what is done. */
const support: Record<Exclude<keyof Options, SharedName>, "used" | "noted" | "refused"> = {
  abortController: "used",
  additionalDirectories: "used",
  agent: "used",
  agents: "used",
  allowDangerouslySkipPermissions: "used",
  allowProjectHooks: "used",
  allowProjectMcpServers: "used",
  allowedTools: "used",
  api: "used",
  apiKey: "used",
  baseUrl: "used",
  betas: "noted",
  canUseTool: "used",
  contextWindow: "used",
  continue: "used",
  cwd: "used",
  debug: "used",
  debugFile: "used",
  disallowedTools: "used",
  effort: "used",
  env: "used",
  fallbackModel: "used",
  forkSession: "used",
  hooks: "used",
  includePartialMessages: "used",
  limits: "used",
  maxThinkingTokens: "used",
  mcpServers: "used",
  model: "used",
  modelOptions: "used",
  onLoopEvent: "used",
  outputFormat: "refused",
  passEnvironment: "used",
  permissionMode: "used",
  permissionPromptToolName: "refused",
  persistSession: "used",
  plugins: "refused",
  prices: "used",
  provider: "used",
  resume: "used",
  resumeSessionAt: "used",
  rules: "used",
  sandbox: "used",
  sessionDir: "used",
  sessionId: "used",
  settings: "used",
  settingSources: "used",
  stderr: "used",
  systemPrompt: "used",
  thinking: "used",
  titles: "used",
  tools: "used",
  traceCollector: "used",
  traceFile: "used",
  trusted: "used",
};

/** @throws QueryError when an option is invalid, or cannot be honoured and would change what is done */
export function checkOptions(options: Options, note: (sentence: string) => void): void {
  for (const [name, value] of Object.entries(options)) {
    if (isEmpty(value)) continue;
    const treatment = treatmentOf(name);
    if (treatment === "noted") note(msg("The option {0} does not apply here and is ignored.", name));
    if (treatment !== "refused") continue;
    throw new QueryError("unsupported-option", msg("The option {0} is not supported. Remove it.", name));
  }
  const unusable = (options.passEnvironment ?? []).find((name) => !/^\w+$/.test(name));
  if (unusable !== undefined)
    throw invalid(msg('passEnvironment takes names of variables; not "{0}".', unusable.slice(0, 100)));
  if (options.env && namesForCommands(options.env).length > 0) {
    note(
      msg(
        "Only what concerns model providers in the option env is used; commands get the environment of this process.",
      ),
    );
  }
  const { permissionMode, sessionId, resume, resumeSessionAt, forkSession } = options;
  if (permissionMode !== undefined) checkMode(permissionMode);
  for (const [name, id] of Object.entries({ sessionId, resume })) {
    if (id !== undefined && !isSessionID(id)) {
      throw invalid(msg('{0} takes letters, digits, - and _, at most 100 of them; not "{1}".', name, id.slice(0, 100)));
    }
  }
  if (resume !== undefined && options.continue) throw invalid(msg("Use either resume or continue."));
  if (resume === undefined && !options.continue) {
    if (forkSession) throw invalid(msg("forkSession needs resume or continue."));
    if (resumeSessionAt !== undefined) throw invalid(msg("resumeSessionAt needs resume or continue."));
  }
  checkSandbox(options, note);
  checkNumbers(options);
  for (const folder of foldersOf(options)) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw invalid(msg("There is no folder {0}.", folder));
  }
}

function treatmentOf(name: string): "used" | "noted" | "refused" {
  if (Object.hasOwn(sharedSettings, name)) return "used";
  return Object.hasOwn(support, name) ? support[name as keyof typeof support] : "noted"; // an own key
}

/** Returns the variables that differ from this process's own and are not meant for a provider. */
function namesForCommands(env: NodeJS.ProcessEnv): string[] {
  const keys = keysIn(env);
  return Object.keys(env).filter(
    (name) =>
      env[name] !== process.env[name] &&
      !keys.includes(name) &&
      !/_(BASE_URL|MODEL)$|^OPENAI_(ORG|PROJECT)_ID$/.test(name),
  );
}

/** @throws QueryError */
export function checkMode(mode: string): PermissionMode {
  const parsed = PermissionMode.safeParse(mode);
  if (parsed.success) return parsed.data;
  throw invalid(msg('A permission mode is one of {0}; not "{1}".', PermissionMode.options.join(", "), mode));
}

function checkSandbox({ sandbox }: Options, note: (sentence: string) => void): void {
  if (typeof sandbox === "string" && !sandboxModes.includes(sandbox)) {
    throw invalid(msg('sandbox is one of {0}; not "{1}".', sandboxModes.join(", "), sandbox));
  }
  const unknown = typeof sandbox === "object" ? Object.keys(sandbox).filter((name) => name !== "enabled") : [];
  if (unknown.length > 0) note(msg("Of the option sandbox only enabled is used, not {0}.", unknown.join(", ")));
}

export function sandboxOf({ sandbox = "off" }: Options): SandboxMode {
  if (typeof sandbox === "string") return sandbox;
  return sandbox.enabled ? "workspace" : "off";
}

function checkNumbers(options: Options): void {
  for (const [name, value] of Object.entries(options.limits ?? {})) {
    if (value !== undefined && !(Number.isFinite(value) && value >= 0)) {
      throw invalid(msg("limits.{0} takes a number of at least 0; not {1}.", name, value));
    }
  }
  const table: readonly [string, ValueSetting][] = Object.entries(sharedSettings);
  for (const [name, setting] of table) {
    if (setting.type !== "boolean") checkNumber(name, options[name as SharedName], setting); // an own key
  }
  checkNumber("contextWindow", options.contextWindow, { type: "integer", minimum: 1 });
  checkNumber("maxThinkingTokens", options.maxThinkingTokens, { type: "number", minimum: 0 });
}

function checkNumber(name: string, value: unknown, range: NumberRange): void {
  if (value === undefined || (typeof value === "number" && isInRange(range, value))) return;
  const { type, minimum = 0, maximum } = range;
  const given = String(value);
  if (maximum !== undefined) throw invalid(msg('{0} takes {1}; not "{2}".', name, `${minimum}–${maximum}`, given));
  throw invalid(
    type === "integer"
      ? msg("{0} takes a whole number of at least {1}; not {2}.", name, minimum, given)
      : msg("{0} takes a number of at least {1}; not {2}.", name, minimum, given),
  );
}

function invalid(message: string): QueryError {
  return new QueryError("invalid-option", message);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (typeof value !== "object") return false;
  if ("enabled" in value && !value.enabled) return true;
  const isPlain = Object.getPrototypeOf(value) === Object.prototype || Array.isArray(value);
  return isPlain && Object.keys(value).length === 0;
}

/** Returns absolute paths; commands run in the first. */
export function foldersOf({ cwd = process.cwd(), additionalDirectories = [] }: Options): [string, ...string[]] {
  const first = path.resolve(cwd);
  return [first, ...additionalDirectories.map((folder) => path.resolve(first, folder))];
}

export interface QueryModel extends Pick<ResolvedModel, "accessTo"> {
  model: ModelRef;
}

/** @throws QueryError when an address is invalid, or a custom server is given without a model */
export function modelFor(options: Options): QueryModel {
  const { env = process.env, baseUrl: baseURL, apiKey, api = "auto", traceCollector } = options;
  for (const [name, address] of Object.entries({ baseUrl: baseURL, traceCollector })) {
    if (address === undefined || (/^https?:\/\//.test(address) && URL.canParse(address))) continue;
    throw invalid(msg('{0} takes an http or https address; not "{1}".', name, address));
  }
  const chosen = chooseModel({ env, provider: options.provider, modelID: options.model, apiKey, baseURL, api });
  const { provider: providerID, modelID, accessTo } = chosen;
  if (modelID === undefined) throw invalid(msg("A custom server needs a model name (model, --model)."));
  return { model: { providerID, modelID }, accessTo };
}

export function thinkingOf({ thinking, effort, maxThinkingTokens }: Options): Thinking {
  if (thinking?.type === "disabled") return "off";
  const tokens = thinking?.type === "enabled" ? thinking.budgetTokens : maxThinkingTokens;
  return tokens === undefined ? (effort ?? "default") : thinkingBudget(tokens);
}

/** Converts a token limit for thinking: null leaves it to the provider, 0 turns thinking off. */
export function thinkingBudget(tokens: number | null): Thinking {
  if (tokens === null) return "default";
  return tokens === 0 ? "off" : { budgetTokens: tokens };
}

/** Returns where notes go: `say` always reaches `stderr`, `log` only with `debug` or `debugFile`. */
export function notesOf({ stderr, debug, debugFile }: Options): { say(text: string): void; log(text: string): void } {
  return {
    say: (text) => stderr?.(`${text}\n`),
    log(text) {
      if (debug) stderr?.(`${text}\n`);
      if (debugFile === undefined) return;
      try {
        appendFileSync(debugFile, `${new Date().toISOString()} ${text}\n`, { mode: 0o600 });
      } catch {
        // A log that cannot be written must not end the run.
      }
    },
  };
}
