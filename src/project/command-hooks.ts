/** Runs hooks as commands (spec K4). */
import path from "node:path";
import type { PermissionMode } from "../chat/events.ts";
import { never } from "../chat/never.ts";
import { type HookEvent, type HookOutcome, type Hooks, mergeOutcomes, noOutcome } from "../loop/hooks.ts";
import { namesOf } from "./hook-matcher.ts";
import { outcomeOf } from "./hook-output.ts";
import { outputLimit, runProcess } from "./hook-process.ts";
import type { CommandHook, HookSettings } from "./hook-settings.ts";
import { claudeTools } from "./tool-names.ts";

interface HookContext {
  /** The project's folder, in which hooks run. */
  cwd: string;
  sessionID: string;
  /** Path of the session's record; "" when nothing is recorded. */
  transcriptPath: string;
  permissionMode(): PermissionMode;
  /** The environment, which hooks inherit without keys. */
  env: NodeJS.ProcessEnv;
  /** Logs a message. */
  onNote(message: string): void;
}

/** Runs the hooks of one snapshot of the settings. */
export function commandHooks({ hooks }: HookSettings, context: HookContext): Hooks {
  return {
    has: (event) => hooks.has(event),
    async fire(event, subject, input, signal) {
      const names = subject === undefined ? undefined : namesOf(event, subject);
      const matching = (hooks.get(event) ?? []).filter((hook) => names === undefined || hook.matches(names));
      const outcomes = await Promise.all(
        withoutDuplicates(matching).map((hook) => {
          const json = JSON.stringify({ ...commonInput(event, context), ...hookInput(hook, input, context.cwd) });
          return runHook(event, { hook, input: json, context, signal });
        }),
      );
      return signal.aborted ? noOutcome : mergeOutcomes(outcomes);
    },
  };
}

/** Removes repeated commands. */
function withoutDuplicates(hooks: readonly CommandHook[]): CommandHook[] {
  return hooks.filter((hook, index) => hooks.findIndex(({ command }) => command === hook.command) === index);
}

function commonInput(event: HookEvent, { sessionID, transcriptPath, cwd, permissionMode }: HookContext) {
  return {
    session_id: sessionID,
    transcript_path: transcriptPath,
    cwd,
    permission_mode: permissionMode(),
    hook_event_name: event,
  };
}

/** Returns the input that the hook was written for: with Claude Code's tool names if necessary, and an absolute path. */
function hookInput(hook: CommandHook, input: Record<string, unknown>, cwd: string): Record<string, unknown> {
  const { tool_name: tool, tool_input: given } = input;
  if (typeof tool !== "string") return input;
  const theirs = claudeTools(tool);
  // A matcher of `rondo.hooks` that matches only Claude Code's name was also written for Claude Code.
  const isTheirs = hook.forClaude || (!hook.matches([tool]) && hook.matches(theirs));
  return {
    ...input,
    tool_name: (isTheirs ? theirs[0] : undefined) ?? tool,
    tool_input: isRecord(given) ? withAbsolutePath(given, cwd) : given,
  };
}

function withAbsolutePath(input: Record<string, unknown>, cwd: string): Record<string, unknown> {
  const file = input["file_path"];
  if (typeof file !== "string" || file === "" || /^~([/\\]|$)/.test(file)) return input;
  return { ...input, file_path: path.resolve(cwd, file) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface HookRun {
  hook: CommandHook;
  /** JSON for its standard input. */
  input: string;
  context: HookContext;
  signal: AbortSignal;
}

async function runHook(event: HookEvent, { hook, input, context, signal }: HookRun): Promise<HookOutcome> {
  const { command, timeoutMs } = hook;
  const { cwd, env, onNote } = context;
  const name = `\`${command.length > 80 ? `${command.slice(0, 79)}…` : command}\``;
  const environment = { ...withoutKeys(env), CLAUDE_PROJECT_DIR: cwd };
  const end = await runProcess({ command, cwd, env: environment, input, timeoutMs, signal });
  switch (end.type) {
    case "aborted":
      return noOutcome;
    case "timeout":
      return failed(`The hook ${name} took longer than ${timeoutMs / 1000} s and was terminated.`);
    case "failed":
      return failed(`The hook ${name} could not be run: ${end.why}.`);
    case "exit":
      if (end.isCut) onNote(`The hook ${name} wrote more than ${outputLimit / 1024} KiB. The rest was ignored.`);
      return outcomeOf(event, name, end);
    default:
      return never(end);
  }
}

function failed(message: string): HookOutcome {
  return { ...noOutcome, messages: [message] };
}

/** Removes keys of providers and variables of the editor's own process. */
function withoutKeys(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secret.test(name)));
}

const secret =
  /^((ANTHROPIC|OPENAI|AZURE_OPENAI|OPENROUTER|GEMINI|GOOGLE|MISTRAL|GROQ|DEEPSEEK|XAI)_(API_KEY|AUTH_TOKEN)|CLAUDE_CODE_OAUTH_TOKEN|ELECTRON_.*|VSCODE_.*)$/i;
