/** Makes options of a run from the arguments of the command line. */

import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import { $ZodError } from "zod/v4/core";
import { flagOf, isInRange, isSwitchedOff, type NumberRange, settingNames, sharedSettings } from "../base/settings.ts";
import { PermissionMode } from "../chat/permission-mode.ts";
import { Rule } from "../chat/requests.ts";
import { english, msg } from "../l10n/l10n.ts";
import { GivenPrices, ModelOptions } from "../loop/setup/model-facts.ts";
import { apiChoices } from "../providers/api-choice.ts";
import { providerIDs } from "../providers/providers.ts";
import type { Options } from "../query/query-types.ts";
import type { SettingOptions } from "../query/setting-options.ts";
import { isSessionID } from "../record/sessions.ts";
import { sandboxModes } from "../tools/host.ts";
import { flagsOf, UsageError } from "./flags.ts";

const outputFormats = ["text", "json", "stream-json"] as const;
const inputFormats = ["text", "stream-json"] as const;

export interface HeadlessOptions {
  prompt: string | undefined;
  output: (typeof outputFormats)[number];
  input: (typeof inputFormats)[number];
  explain: boolean;
  query: Options;
}

const McpConfig = z.object({ mcpServers: z.record(z.string(), z.unknown()) });
const HookSettings = z.looseObject({ hooks: z.optional(z.unknown()) });

/** @throws UsageError */
export function parseOptions(argv: readonly string[]): HeadlessOptions {
  const { values, positionals, settings } = flagsOf(argv);
  if (positionals.length > 1) throw new UsageError(msg("There is more than one prompt. Put it in quotes."));
  if (values.resume !== undefined && values.continue) throw new UsageError(msg("Use either --resume or --continue."));
  return {
    prompt: positionals[0],
    output: oneOf("--output-format", values["output-format"] ?? "text", outputFormats),
    input: oneOf("--input-format", values["input-format"] ?? "text", inputFormats),
    explain: values.explain ?? false,
    query: {
      cwd: folder("--cwd", values.cwd ?? "."),
      additionalDirectories: (values["add-dir"] ?? []).map((dir) => folder("--add-dir", dir)),
      provider: values.provider === undefined ? undefined : oneOf("--provider", values.provider, providerIDs),
      baseUrl: httpAddress("--base-url", values["base-url"]),
      api: oneOf("--api", values.api ?? "auto", apiChoices),
      model: values.model,
      fallbackModel: values["fallback-model"],
      agent: values.agent ?? "build",
      permissionMode: oneOf("--permission-mode", values["permission-mode"] ?? "default", PermissionMode.options),
      allowedTools: list(values["allowed-tools"]),
      disallowedTools: list(values["disallowed-tools"]),
      mcpServers: readJson("--mcp-config", values["mcp-config"], english('{"mcpServers": {…}}'), McpConfig)?.mcpServers,
      allowProjectMcpServers: values["project-mcp"] ?? false,
      allowProjectHooks: values["project-hooks"] ?? false,
      passEnvironment: values["pass-env"] ?? [],
      ...settingsIn(settings),
      modelOptions: readJson("--model-options", values["model-options"], english('{"model": {…}}'), ModelOptions),
      prices: readJson("--prices", values.prices, english('{"model": {"input": USD, "output": USD}}'), GivenPrices),
      limits: {
        maxRetries: numberIn("--max-retries", values["max-retries"], count(0)),
        maxPromptBytes: numberIn("--max-prompt-bytes", values["max-prompt-bytes"], count(1)),
      },
      contextWindow: numberIn("--context-window", values["context-window"], count(1)),
      systemPrompt: { type: "preset", preset: "claude_code", append: values["append-system-prompt"] ?? "" },
      sessionDir: values["session-dir"] === undefined ? undefined : path.resolve(values["session-dir"]),
      ...session(values),
      persistSession: !values["no-persist"],
      titles: !values["no-title"],
      includePartialMessages: values["include-partial-messages"] ?? false,
      rules: readJson("--rules", values.rules, msg("a JSON list of {permission, pattern, action}"), z.array(Rule)),
      sandbox: oneOf("--sandbox", values.sandbox ?? "off", sandboxModes),
      settings: readJson("--settings", values.settings, msg("a JSON object"), HookSettings),
      traceFile: values.trace,
      traceCollector: httpAddress("--trace-collector", values["trace-collector"]),
      trusted: !values.untrusted,
    },
  };
}

const count = (minimum: number): NumberRange => ({ type: "integer", minimum });

/** Reads the flags of settings. @throws UsageError */
function settingsIn(values: ReturnType<typeof flagsOf>["settings"]): SettingOptions {
  const options = settingNames.map((name) => {
    const value = values[flagOf(name)];
    if (sharedSettings[name].type === "boolean") return [name, (value === true) !== isSwitchedOff(name)];
    return [name, numberIn(`--${flagOf(name)}`, typeof value === "string" ? value : undefined, sharedSettings[name])];
  });
  return Object.fromEntries(options);
}

/** @throws UsageError */
function numberIn(name: string, text: string | undefined, range: NumberRange): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && isInRange(range, value)) return value;
  const { type, minimum = 0, maximum } = range;
  if (maximum !== undefined)
    throw new UsageError(msg('{0} takes {1}; not "{2}".', name, `${minimum}–${maximum}`, text));
  if (type === "usd") throw new UsageError(msg('{0} takes an amount in USD of at least 0; not "{1}".', name, text));
  if (type === "integer")
    throw new UsageError(msg('{0} takes a whole number of at least {1}; not "{2}".', name, minimum, text));
  throw new UsageError(msg('{0} takes {1}; not "{2}".', name, `≥ ${minimum}`, text));
}

function session(
  values: ReturnType<typeof flagsOf>["values"],
): Pick<Options, "resume" | "continue" | "sessionId" | "forkSession"> {
  const { resume, continue: continues, "session-id": id, "fork-session": forkSession } = values;
  if (forkSession && resume === undefined && !continues)
    throw new UsageError(msg("--fork-session needs --resume or --continue."));
  return {
    resume: resume === undefined ? undefined : sessionID("--resume", resume),
    continue: continues,
    // A session that continues keeps its id.
    sessionId:
      id === undefined || ((resume !== undefined || continues) && !forkSession)
        ? undefined
        : sessionID("--session-id", id),
    forkSession,
  };
}

function sessionID(name: string, id: string): string {
  if (isSessionID(id)) return id;
  throw new UsageError(
    msg('{0} takes letters, digits, - and _, at most 100 of them; not "{1}".', name, id.slice(0, 100)),
  );
}

function oneOf<T extends string>(name: string, value: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw new UsageError(msg('{0} takes {1}; not "{2}".', name, choices.join(", "), value));
}

function folder(name: string, value: string): string {
  const absolute = path.resolve(value);
  if (statSync(absolute, { throwIfNoEntry: false })?.isDirectory()) return absolute;
  throw new UsageError(msg("{0}: there is no folder {1}.", name, absolute));
}

/** Splits at commas and blanks, but not inside parentheses, as in `bash(npm test *)`. */
function list(value: string | undefined): string[] {
  return (value ?? "").match(/[^\s,(]+(\([^)]*\)?)?/g) ?? [];
}

function httpAddress(name: string, value: string | undefined): string | undefined {
  if (value === undefined || /^https?:\/\//.test(value)) return value;
  throw new UsageError(msg('{0} takes an http or https address; not "{1}".', name, value));
}

function readJson<T extends z.ZodMiniType>(option: string, file: string | undefined, form: string, schema: T) {
  if (file === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    const why = error instanceof $ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : "";
    throw new UsageError(msg("{0}: {1} is not {2}: {3}", option, file, form, why));
  }
}
