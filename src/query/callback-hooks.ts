/** Runs hooks that are callbacks of the caller, next to hooks that are commands (spec K4). */
import { english, msg } from "../l10n/l10n.ts";
import { type HookOutcome, type Hooks, mergeOutcomes, noOutcome } from "../loop/hooks.ts";
import { deferred } from "../loop/session/deferred.ts";
import { type Matcher, matcherOf, namesOf } from "../project/hook-matcher.ts";
import { outcomeOf } from "../project/hook-output.ts";
import { QueryError } from "./query-error.ts";
import type { HookCallback, HookCallbackMatcher, HookEvent, HookInput, Options } from "./query-types.ts";

interface CallbackContext {
  sessionID: string;
  /** Empty when nothing is recorded. */
  transcriptPath: string;
  cwd: string;
  permissionMode(): string;
}

interface CompiledHooks {
  matches: Matcher;
  hooks: readonly HookCallback[];
  timeoutMs: number;
}

const defaultTimeoutMs = 60_000;

/** Returns hooks that run commands and callbacks concurrently. @throws QueryError when a matcher is no valid regex */
export function withCallbacks(
  commands: Hooks,
  callbacks: NonNullable<Options["hooks"]>,
  context: CallbackContext,
): Hooks {
  const byEvent = compiled(callbacks);
  return {
    has: (event) => commands.has(event) || byEvent.has(event),
    async fire(event, subject, input, signal) {
      const shared = {
        session_id: context.sessionID,
        transcript_path: context.transcriptPath,
        cwd: context.cwd,
        permission_mode: context.permissionMode(),
        hook_event_name: event,
      };
      const names = subject === undefined ? undefined : namesOf(event, subject);
      const own = (byEvent.get(event) ?? [])
        .filter(({ matches }) => names === undefined || matches(names))
        .flatMap(({ matches, hooks, timeoutMs }) => {
          // A matcher that fits only Claude Code's name was written for it, so it is given that name.
          const name = names?.find((one) => matches([one]));
          const hookInput = { ...input, ...("tool_name" in input && { tool_name: name }), ...shared };
          return hooks.map((hook) => callHook(hook, hookInput, timeoutMs, signal));
        });
      const outcomes = await Promise.all([commands.fire(event, subject, input, signal), ...own]);
      return signal.aborted ? noOutcome : mergeOutcomes(outcomes);
    },
  };
}

function compiled(callbacks: NonNullable<Options["hooks"]>): ReadonlyMap<HookEvent, CompiledHooks[]> {
  const byEvent = new Map<HookEvent, CompiledHooks[]>();
  for (const [event, matchers] of Object.entries(callbacks)) {
    // The keys of `hooks` are events; TypeScript does not keep them.
    if (matchers.length > 0) byEvent.set(event as HookEvent, matchers.map(compile));
  }
  return byEvent;
}

function compile({ matcher = "", hooks, timeout }: HookCallbackMatcher): CompiledHooks {
  try {
    return { matches: matcherOf(matcher), hooks, timeoutMs: timeout === undefined ? defaultTimeoutMs : timeout * 1000 };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new QueryError("invalid-option", msg("A hook cannot be used: {0}.", error.message));
  }
}

async function callHook(hook: HookCallback, input: HookInput, timeoutMs: number, signal: AbortSignal) {
  const event = input.hook_event_name;
  const toolUseID = typeof input["tool_use_id"] === "string" ? input["tool_use_id"] : undefined;
  const late = new AbortController();
  const either = AbortSignal.any([signal, late.signal]);
  const { promise: ended, resolve } = deferred<"ended">();
  either.addEventListener("abort", () => resolve("ended"), { once: true });
  const timer = setTimeout(() => late.abort(), timeoutMs);
  try {
    either.throwIfAborted();
    const answer = await Promise.race([hook(input, toolUseID, { signal: either }), ended]);
    if (answer === "ended")
      return failed(msg("A hook of {0} took longer than {1} s and was ignored.", event, timeoutMs / 1000));
    if (answer === undefined || answer.async) return noOutcome;
    return outcomeOf(event, english("of the caller"), { code: 0, stdout: JSON.stringify(answer), stderr: "" });
  } catch (error) {
    return failed(msg("A hook of {0} failed: {1}", event, error instanceof Error ? error.message : String(error)));
  } finally {
    clearTimeout(timer);
  }
}

function failed(message: string): HookOutcome {
  return { ...noOutcome, messages: [message] };
}
