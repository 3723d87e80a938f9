/** Runs hooks as commands (spec K4). */

import path from "node:path";
import { isRecord } from "../base/json.ts";
import { never } from "../base/never.ts";
import { withoutKeys } from "../base/node/without-keys.ts";
import type { PermissionMode } from "../chat/permission-mode.ts";
import { claudeTools } from "../chat/tool-cards.ts";
import { msg } from "../l10n/l10n.ts";
import { type HookEvent, type HookOutcome, type Hooks, mergeOutcomes, noOutcome } from "../loop/hooks.ts";
import { namesOf } from "./hook-matcher.ts";
import { outcomeOf } from "./hook-output.ts";
import { outputLimit, runProcess } from "./hook-process.ts";
import type { CommandHook, HookSettings } from "./hook-settings.ts";

interface HookContext {
  /** The project's folder, in which hooks run. */
  cwd: string;
  sessionID: string;
  /** Path of the session's record; "" when nothing is recorded. */
  transcriptPath: string;
  permissionMode(): PermissionMode;
  /** The environment, which hooks inherit without keys. */
  env: NodeJS.ProcessEnv;
  /** Variables that the user lets through to hooks. */
  passed?: NodeJS.ProcessEnv;
  onNote(message: string): void;
}

/** Runs the hooks of one snapshot of the settings. */
export function commandHooks({ hooks }: HookSettings, context: HookContext): Hooks {
  return {
    has: (event) => hooks.has(event),
    async fire(event, subject, input, signal) {
      const names = subject === undefined ? undefined : namesOf(event, subject);
      const matching = (hooks.get(event) ?? []).filter((hook) => names === undefined || hook.matches(names));
      const { cwd } = context;
      const common = {
        session_id: context.sessionID,
        transcript_path: context.transcriptPath,
        cwd,
        permission_mode: context.permissionMode(),
        hook_event_name: event,
      };
      const outcomes = await Promise.all(
        matching
          .filter((hook, index) => matching.findIndex(({ command }) => command === hook.command) === index)
          .map((hook) => {
            const json = JSON.stringify({ ...common, ...hookInput(hook, input, cwd) });
            return runHook(event, { hook, input: json, context, signal });
          }),
      );
      return signal.aborted ? noOutcome : mergeOutcomes(outcomes);
    },
  };
}

/** Returns the input in the hook's format: with Claude Code's tool names if needed, and an absolute path. */
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

interface HookRun {
  hook: CommandHook;
  /** JSON for its standard input. */
  input: string;
  context: HookContext;
  signal: AbortSignal;
}

async function runHook(event: HookEvent, { hook, input, context, signal }: HookRun): Promise<HookOutcome> {
  const { command, timeoutMs } = hook;
  const { cwd, env, passed, onNote } = context;
  const name = `\`${command.length > 80 ? `${command.slice(0, 79)}…` : command}\``;
  const failed = (message: string): HookOutcome => ({ ...noOutcome, messages: [message] });
  const environment = { ...withoutKeys(env, passed), CLAUDE_PROJECT_DIR: cwd };
  const end = await runProcess({ command, cwd, env: environment, input, timeoutMs, signal });
  switch (end.type) {
    case "aborted":
      return noOutcome;
    case "timeout":
      return failed(msg("The hook {0} took longer than {1} s and was terminated.", name, timeoutMs / 1000));
    case "failed":
      return failed(msg("The hook {0} could not be run: {1}.", name, end.why));
    case "exit":
      if (end.isCut) onNote(`The hook ${name} wrote more than ${outputLimit / 1024} KiB. The rest was ignored.`);
      return outcomeOf(event, name, end);
    default:
      return never(end);
  }
}
