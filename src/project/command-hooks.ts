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
  /** Where hooks run, and what they know as the project's folder. */
  cwd: string;
  sessionID: string;
  /** The session's record; "" when nothing is recorded. */
  transcriptPath: string;
  permissionMode(): PermissionMode;
  /** What hooks inherit, save keys. */
  env: NodeJS.ProcessEnv;
  /** Logs what is worth knowing later. */
  onNote(message: string): void;
}

/** Settings are those of one snapshot: nothing is read again. */
export function commandHooks({ hooks }: HookSettings, context: HookContext): Hooks {
  return {
    has: (event) => hooks.has(event),
    async fire(event, subject, input, signal) {
      const names = subject === undefined ? undefined : namesOf(event, subject);
      const matching = (hooks.get(event) ?? []).filter((hook) => names === undefined || hook.matches(names));
      const outcomes = await Promise.all(
        once(matching).map((hook) => {
          const told = JSON.stringify({ ...shared(event, context), ...inputFor(hook, input, context.cwd) });
          return run(event, hook, told, context, signal);
        }),
      );
      return signal.aborted ? noOutcome : mergeOutcomes(outcomes);
    },
  };
}

/** A command that several entries name runs once. */
function once(hooks: readonly CommandHook[]): CommandHook[] {
  return hooks.filter((hook, index) => hooks.findIndex(({ command }) => command === hook.command) === index);
}

function shared(event: HookEvent, { sessionID, transcriptPath, cwd, permissionMode }: HookContext) {
  return {
    session_id: sessionID,
    transcript_path: transcriptPath,
    cwd,
    permission_mode: permissionMode(),
    hook_event_name: event,
  };
}

/**
 * In the words that the hook was written for: Claude Code's names of tools, and absolute paths, where Rondo's tools also
 * take relative ones.
 */
function inputFor(hook: CommandHook, input: Record<string, unknown>, cwd: string): Record<string, unknown> {
  const { tool_name: tool, tool_input: given } = input;
  if (typeof tool !== "string") return input;
  const theirs = claudeTools(tool);
  // A matcher of `rondo.hooks` that fits Claude Code's name alone was written for Claude Code, too.
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

async function run(
  event: HookEvent,
  { command, timeout }: CommandHook,
  told: string,
  { cwd, env, onNote }: HookContext,
  signal: AbortSignal,
): Promise<HookOutcome> {
  const name = `\`${command.length > 80 ? `${command.slice(0, 79)}…` : command}\``;
  const environment = { ...withoutKeys(env), CLAUDE_PROJECT_DIR: cwd };
  const end = await runProcess({ command, cwd, env: environment, input: told, timeout, signal });
  switch (end.type) {
    case "aborted":
      return noOutcome;
    case "timeout":
      return failure(`The hook ${name} took longer than ${timeout / 1000} s and was ended.`);
    case "failed":
      return failure(`The hook ${name} could not be run: ${end.why}.`);
    case "exit":
      if (end.isCut) onNote(`The hook ${name} wrote more than ${outputLimit / 1024} KiB; the rest was left out.`);
      return outcomeOf(event, name, end);
    default:
      return never(end);
  }
}

function failure(message: string): HookOutcome {
  return { ...noOutcome, messages: [message] };
}

/** Without keys of providers, and without what belongs to the editor's own process. */
function withoutKeys(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secret.test(name)));
}

const secret =
  /^((ANTHROPIC|OPENAI|AZURE_OPENAI|OPENROUTER|GEMINI|GOOGLE|MISTRAL|GROQ|DEEPSEEK|XAI)_(API_KEY|AUTH_TOKEN)|CLAUDE_CODE_OAUTH_TOKEN|ELECTRON_.*|VSCODE_.*)$/i;
