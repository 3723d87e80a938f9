/** Reads hooks from settings, in the format of Claude Code (spec K4). */

import * as z from "zod/mini";
import { isRecord, parseJson } from "../base/json.ts";
import { decodeText } from "../base/node/read-checked.ts";
import { fieldOf, issueWords } from "../base/schema-issues.ts";
import { msg } from "../l10n/l10n.ts";
import { type HookEvent, hookEvents } from "../loop/hooks.ts";
import { type ConfigPlaces, type ConfigRoot, configRoots, readConfigFile } from "../tools/node-host/config-files.ts";
import { type Matcher, matcherOf } from "./hook-matcher.ts";

export interface CommandHook {
  command: string;
  timeoutMs: number;
  matches: Matcher;
  /** Whether it was written for Claude Code and expects that program's tool names. */
  forClaude: boolean;
}

/** A snapshot: later changes of the files have no effect until they are loaded again. */
export interface HookSettings {
  /** In this order: the user's, the workspace's, those of `rondo.hooks`. */
  hooks: ReadonlyMap<HookEvent, readonly CommandHook[]>;
  /** A sentence for each entry that cannot be used. */
  problems: readonly string[];
  /** The workspace's files whose hooks were left out because `files` is false. */
  skipped: readonly string[];
}

export interface HookOptions extends ConfigPlaces {
  /** Whether to use hooks of the workspace's files; true by default. */
  files?: boolean;
  /** Value of the setting `rondo.hooks`. */
  own: unknown;
}

const defaultHookTimeoutMs = 60_000;
const maxHookTimeoutMs = 600_000;
const fileLimit = 1024 * 1024;

/**
 * Never throws: an entry that cannot be used becomes a problem. An untrusted workspace has no hooks, not even the
 * user's: a hook such as `npm test` would run the workspace's code.
 */
export function loadHooks({ own, files: usesFiles = true, ...sources }: HookOptions): HookSettings {
  if (!sources.trusted) return { hooks: new Map(), problems: [], skipped: [] };
  const reader = new Reader();
  const roots = configRoots(sources);
  const files = [...roots].reverse().flatMap((root) => filesOf(root).map((name) => ({ root, name })));
  const loaded = files.map(({ root, name }) => ({ root, name, settings: reader.file(root, name) }));
  const isOff = (source: ConfigRoot["source"]) =>
    loaded.some(({ root, settings }) => root.source === source && settings["disableAllHooks"] === true);
  if (isOff("user")) return { hooks: new Map(), problems: reader.problems, skipped: [] };
  const skipped: string[] = [];
  for (const { root, name, settings } of loaded) {
    // A workspace may switch off its own hooks, but not the user's.
    if (root.source === "workspace" && isOff("workspace")) continue;
    if (root.source === "user" || usesFiles) reader.hooks(settings["hooks"], root.prefix + name, true);
    else if (isRecord(settings["hooks"]) && Object.keys(settings["hooks"]).length > 0) skipped.push(root.prefix + name);
  }
  reader.hooks(own, msg("The setting rondo.hooks"), false);
  return { hooks: reader.found, problems: reader.problems, skipped };
}

/** The second file holds private settings. */
function filesOf({ source }: ConfigRoot): string[] {
  return source === "user" ? [".claude/settings.json"] : [".claude/settings.json", ".claude/settings.local.json"];
}

const Entry = z.object({
  type: z.literal("command", {
    error: (issue) => msg('{0} must be "command": other kinds of hooks are not run here', fieldOf(issue)),
  }),
  command: z
    .string({ error: (issue) => msg("{0} must be a string", fieldOf(issue)) })
    .check(
      z.trim(),
      z.minLength(1, { error: (issue) => msg("{0} must not be empty", fieldOf(issue)) }),
      z.maxLength(20_000, { error: (issue) => msg("{0} is too long", fieldOf(issue)) }),
    ),
  timeout: z.optional(
    z
      .number({ error: (issue) => msg("{0} must be seconds", fieldOf(issue)) })
      .check(z.gt(0, { error: (issue) => msg("{0} must be more than 0", fieldOf(issue)) })),
  ),
  /** Set by newer versions of Claude Code when `command` is not a shell command. */
  args: z.optional(
    z.undefined({ error: (issue) => msg("{0} is not known here: write all of it into the command", fieldOf(issue)) }),
  ),
});

const Group = z.object({
  matcher: z.optional(z.string({ error: (issue) => msg("{0} must be a string", fieldOf(issue)) })),
  hooks: z.array(z.unknown(), { error: (issue) => msg("{0} must be a list", fieldOf(issue)) }),
});

class Reader {
  readonly found = new Map<HookEvent, CommandHook[]>();
  readonly problems: string[] = [];

  file(root: ConfigRoot, name: string): Record<string, unknown> {
    const found = readConfigFile(root, name, fileLimit);
    if (found.type === "missing") return {};
    const shown = root.prefix + name;
    if (found.type === "unusable") return this.#unusable(shown, found.why);
    if (found.size > fileLimit) return this.#unusable(shown, msg("it is larger than {0} KiB", fileLimit / 1024));
    const settings = parseJson(decodeText(found.bytes) ?? "");
    if (settings === undefined) return this.#unusable(shown, msg("it is not valid JSON"));
    return isRecord(settings) ? settings : this.#unusable(shown, msg("it is not a JSON object"));
  }

  #unusable(shown: string, why: string): Record<string, unknown> {
    this.problems.push(msg("The hooks of {0} are not used: {1}.", shown, why));
    return {};
  }

  /** `place` starts the sentence about a problem. */
  hooks(hooks: unknown, place: string, forClaude: boolean): void {
    if (hooks === undefined || hooks === null) return;
    if (!isRecord(hooks)) {
      this.problems.push(msg("{0}: hooks must be an object of events.", place));
      return;
    }
    const unknown = Object.keys(hooks).filter((name) => !hookEvents.some((event) => event === name));
    if (unknown.length > 0)
      this.problems.push(msg("{0}: Rondo has no such events for hooks: {1}.", place, unknown.join(", ")));
    for (const event of hookEvents) {
      if (!Object.hasOwn(hooks, event)) continue;
      const groups = hooks[event];
      if (!Array.isArray(groups)) {
        this.problems.push(msg("{0}: {1} must be a list.", place, event));
        continue;
      }
      for (const [index, group] of groups.entries()) {
        this.#group(event, group, msg("{0}: {1}, entry {2}", place, event, index + 1), forClaude);
      }
    }
  }

  #group(event: HookEvent, value: unknown, place: string, forClaude: boolean): void {
    const group = this.#parse(Group, value, place);
    if (!group) return;
    let matches: Matcher;
    try {
      matches = matcherOf(group.matcher ?? "");
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.problems.push(msg("{0} is not used: {1}.", place, error.message));
      return;
    }
    for (const [index, one] of group.hooks.entries()) {
      const entry = this.#parse(Entry, one, msg("{0}, hook {1}", place, index + 1));
      if (!entry) continue;
      const timeoutMs =
        entry.timeout === undefined ? defaultHookTimeoutMs : Math.min(entry.timeout * 1000, maxHookTimeoutMs);
      const hook = { command: entry.command, timeoutMs, matches, forClaude };
      this.found.set(event, [...(this.found.get(event) ?? []), hook]);
    }
  }

  #parse<T extends z.ZodMiniType>(schema: T, value: unknown, place: string): z.infer<T> | undefined {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const wrong = parsed.error.issues.map((issue) => issueWords(issue, msg("it must be an object")));
    this.problems.push(msg("{0} is not used: {1}.", place, wrong.join("; ")));
    return undefined;
  }
}
