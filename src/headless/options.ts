/** The command line of the headless run. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod/mini";
import { $ZodError } from "zod/v4/core";
import { PermissionMode, Rule } from "../loop/events.ts";
import { type ProviderID, providerIDs } from "../loop/models/providers.ts";
import { isSessionID } from "../record/sessions.ts";

/** Unusable arguments: exit status 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const outputFormats = ["text", "json", "stream-json"] as const;
const inputFormats = ["text", "stream-json"] as const;

export interface HeadlessOptions {
  prompt: string | undefined;
  cwd: string;
  provider: ProviderID | undefined;
  baseURL: string | undefined;
  model: string | undefined;
  agent: string;
  mode: PermissionMode;
  allowedTools: string[];
  disallowedTools: string[];
  maxTurns: number | undefined;
  maxBudgetUsd: number | undefined;
  maxRetries: number | undefined;
  contextWindow: number | undefined;
  appendSystemPrompt: string;
  sessionDir: string | undefined;
  session: { type: "new"; id: string | undefined } | { type: "resume"; id: string } | { type: "continue" };
  persist: boolean;
  output: (typeof outputFormats)[number];
  partial: boolean;
  input: (typeof inputFormats)[number];
  rules: Rule[] | undefined;
  trusted: boolean;
  explain: boolean;
}

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

const known = {
  cwd: text,
  provider: text,
  "base-url": text,
  model: text,
  agent: text,
  "permission-mode": text,
  "allowed-tools": text,
  "disallowed-tools": text,
  "max-turns": text,
  "max-budget-usd": text,
  "max-retries": text,
  "context-window": text,
  "append-system-prompt": text,
  "session-dir": text,
  "session-id": text,
  resume: text,
  continue: flag,
  "no-persist": flag,
  "output-format": text,
  "include-partial-messages": flag,
  "input-format": text,
  rules: text,
  untrusted: flag,
  explain: flag,
  help: flag,
} as const;

export const usage = `Usage: node dist/headless.js [options] PROMPT

One prompt on one folder. Without PROMPT it is read from standard input.

  --cwd DIR                    the folder to work in (default: this one)
  --provider anthropic|openai  --base-url URL  --model ID  --agent build|plan
  --permission-mode default|acceptEdits|plan|bypassPermissions
                               nobody is there to ask: what would ask is denied
  --allowed-tools A,B          --disallowed-tools A,B
  --rules FILE                 JSON list of {permission, pattern, action}; the last match wins
  --untrusted                  as in a workspace that is not trusted
  --max-turns N  --max-budget-usd X  --max-retries N  --context-window N
  --append-system-prompt TEXT
  --session-dir DIR  --session-id ID  --resume ID  --continue  --no-persist
  --output-format text|json|stream-json  --include-partial-messages
  --input-format text|stream-json
  --explain                    runs nothing: reads {tool, input} lines, prints what would be asked

Exit status: 0 success, 1 the turn failed, 2 unusable arguments, 130 interrupted.
`;

/** @throws UsageError; `help` when only the usage is wanted */
export function parseOptions(argv: readonly string[]): HeadlessOptions | "help" {
  const { values, positionals } = parsed(argv);
  if (values.help) return "help";
  if (positionals.length > 1) throw new UsageError("There is more than one prompt. Put it in quotes.");
  if (values.resume !== undefined && values.continue) throw new UsageError("Use either --resume or --continue.");
  return {
    prompt: positionals[0],
    cwd: path.resolve(values.cwd ?? "."),
    provider: values.provider === undefined ? undefined : oneOf("--provider", values.provider, providerIDs),
    baseURL: baseURL(values["base-url"]),
    model: values.model,
    agent: values.agent ?? "build",
    mode: oneOf("--permission-mode", values["permission-mode"] ?? "default", PermissionMode.options),
    allowedTools: list(values["allowed-tools"]),
    disallowedTools: list(values["disallowed-tools"]),
    maxTurns: count("--max-turns", values["max-turns"], 1),
    maxBudgetUsd: amount("--max-budget-usd", values["max-budget-usd"]),
    maxRetries: count("--max-retries", values["max-retries"], 0),
    contextWindow: count("--context-window", values["context-window"], 1),
    appendSystemPrompt: values["append-system-prompt"] ?? "",
    sessionDir: values["session-dir"] === undefined ? undefined : path.resolve(values["session-dir"]),
    session: session(values),
    persist: !values["no-persist"],
    output: oneOf("--output-format", values["output-format"] ?? "text", outputFormats),
    partial: values["include-partial-messages"] ?? false,
    input: oneOf("--input-format", values["input-format"] ?? "text", inputFormats),
    rules: values.rules === undefined ? undefined : readRules(values.rules),
    trusted: !values.untrusted,
    explain: values.explain ?? false,
  };
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: known, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function session(values: {
  resume?: string | undefined;
  continue?: boolean | undefined;
  "session-id"?: string | undefined;
}): HeadlessOptions["session"] {
  if (values.resume !== undefined) return { type: "resume", id: sessionID("--resume", values.resume) };
  if (values.continue) return { type: "continue" };
  const id = values["session-id"];
  return { type: "new", id: id === undefined ? undefined : sessionID("--session-id", id) };
}

function sessionID(name: string, id: string): string {
  if (isSessionID(id)) return id;
  throw new UsageError(`${name} takes letters, digits, - and _, at most 100 of them; not "${id.slice(0, 100)}".`);
}

function oneOf<T extends string>(name: string, value: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw new UsageError(`${name} takes ${choices.join(", ")}; not "${value}".`);
}

function list(value: string | undefined): string[] {
  return (value ?? "").split(/[\s,]+/).filter(Boolean);
}

function count(name: string, value: string | undefined, least: number): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new UsageError(`${name} takes a whole number of at least ${least}; not "${value}".`);
}

function amount(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (value.trim() !== "" && Number.isFinite(number) && number >= 0) return number;
  throw new UsageError(`${name} takes an amount in USD; not "${value}".`);
}

function baseURL(value: string | undefined): string | undefined {
  if (value === undefined || /^https?:\/\//.test(value)) return value;
  throw new UsageError(`--base-url takes an http or https address; not "${value}".`);
}

function readRules(file: string): Rule[] {
  try {
    return z.array(Rule).parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    const why = error instanceof $ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : "";
    throw new UsageError(`--rules: ${file} is not a JSON list of {permission, pattern, action}: ${why}`);
  }
}
