/** Parses the front matter of agents for Rondo, Claude Code and OpenCode (spec P4). */
import * as z from "zod/mini";
import { isRecord } from "../base/json.ts";
import { fieldOf, issueWords } from "../base/schema-issues.ts";
import { Rule } from "../chat/requests.ts";
import { ourTool } from "../chat/tool-cards.ts";
import { msg } from "../l10n/l10n.ts";
import type { Agent } from "../loop/agents/agents.ts";
import type { Markdown } from "./front-matter.ts";

const entries = 200;
const words = (longest: number) =>
  z
    .string({ error: (issue) => msg("{0} must be a string", fieldOf(issue)) })
    .check(
      z.trim(),
      z.minLength(1, { error: (issue) => msg("{0} must not be empty", fieldOf(issue)) }),
      z.maxLength(longest, { error: (issue) => msg("{0} must have at most {1} characters", fieldOf(issue), longest) }),
    );
const flag = z.boolean({ error: (issue) => msg("{0} must be true or false", fieldOf(issue)) });
const count = z
  .int({ error: (issue) => msg("{0} must be a whole number", fieldOf(issue)) })
  .check(
    z.gte(1, { error: (issue) => msg("{0} must be at least 1", fieldOf(issue)) }),
    z.lte(10_000, { error: (issue) => msg("{0} must be at most 10000", fieldOf(issue)) }),
  );
const action = z.enum(["allow", "ask", "deny"]);

/** "Read, Grep" or `[Read, Grep]`: only these tools. */
const ToolList = z.pipe(
  z.union([z.string(), z.array(z.string())], {
    error: (issue) => msg("{0} must be names of tools, as in `Read, Grep`", fieldOf(issue)),
  }),
  z.transform((value) => listOf(value).slice(0, entries)),
);
/** `{ bash: false }`: all tools except these. */
const ToolSwitches = z.record(z.string(), z.boolean());

/** `deny`, `{ edit: deny, bash: { "git *": allow } }`, or rules as in the settings. */
const AgentPermission = z.union(
  [action, z.record(z.string(), z.union([action, z.record(z.string(), action)])), z.array(Rule)],
  {
    error: (issue) =>
      msg('{0} must be as in `edit: deny` or `bash: { "git *": allow }`, each allow, ask or deny', fieldOf(issue)),
  },
);

const AgentFields = z.object({
  /** Never a path, and nothing that needs quotes in an @mention. */
  name: words(64).check(
    z.regex(/^[\p{L}\p{N}_-]+$/u, {
      error: (issue) => msg("{0} may hold letters, digits, - and _ only", fieldOf(issue)),
    }),
  ),
  description: words(4000),
  mode: z.optional(
    z.enum(["primary", "subagent", "all"], {
      error: (issue) => msg("{0} must be primary, subagent or all", fieldOf(issue)),
    }),
  ),
  model: z.optional(words(200)),
  temperature: z.optional(
    z
      .number({ error: (issue) => msg("{0} must be a number", fieldOf(issue)) })
      .check(
        z.gte(0, { error: (issue) => msg("{0} must be from 0 to 2", fieldOf(issue)) }),
        z.lte(2, { error: (issue) => msg("{0} must be from 0 to 2", fieldOf(issue)) }),
      ),
  ),
  steps: z.optional(count),
  tools: z.optional(
    z.union([ToolList, ToolSwitches], {
      error: (issue) => msg("{0} must be names, as in `Read, Grep`, or as in `bash: false`", fieldOf(issue)),
    }),
  ),
  permission: z.optional(AgentPermission),
  hidden: z.optional(flag),
  options: z.optional(
    z.record(z.string(), z.unknown(), { error: (issue) => msg("{0} must be fields and their values", fieldOf(issue)) }),
  ),
  /** Field of Claude Code. Only `plan` has an effect, because the other values would allow more. */
  permissionMode: z.optional(z.string({ error: (issue) => msg("{0} must be a string", fieldOf(issue)) })),
  /** Names of `steps` in Claude Code and OpenCode. */
  maxTurns: z.optional(count),
  maxSteps: z.optional(count),
  disallowedTools: z.optional(ToolList),
});

/** Claude Code's names for models that it chooses itself. Here they mean the session's model. */
const sessionModel = /^(inherit|default|sonnet|opus|haiku|opusplan)$/;

export type ParsedAgent =
  | { type: "agent"; agent: Agent; notes: string[] }
  /** The end of a sentence for each wrong field. */
  | { type: "invalid"; fields: string[] };

export interface AgentOrigin {
  source: "workspace" | "user";
  /** Used if the name is missing. */
  fileName: string;
  /** Used if the mode is missing. */
  mode: Agent["mode"];
}

export function parseAgent({ data, body }: Markdown, { source, fileName, mode }: AgentOrigin): ParsedAgent {
  // A field without a value, such as `tools:`, counts as missing.
  const given = isRecord(data) ? Object.entries(data).filter(([, value]) => value !== null) : undefined;
  const parsed = AgentFields.safeParse(given ? { name: fileName, ...Object.fromEntries(given) } : data);
  if (!parsed.success) {
    const whole = msg("it must begin with front matter: `name: …` and `description: …` between two lines of `---`");
    const fields = parsed.error.issues.map((issue) => issueWords(issue, whole));
    return { type: "invalid", fields };
  }
  const fields = parsed.data;
  const rules = rulesOf(fields.permission).slice(0, entries);
  // A workspace's agent can do no more than the user's rules allow.
  const permission = source === "user" ? rules : rules.filter((rule) => rule.action !== "allow");
  const notes: string[] = [];
  if (permission.length < rules.length)
    notes.push(msg("its rules that allow are ignored: a workspace may only deny or ask"));
  if (fields.options && source === "workspace")
    notes.push(msg("its options are ignored: only the user's agents may set them"));
  const denied = (fields.disallowedTools ?? []).map((name) => [name, false]);
  const agent: Agent = {
    name: fields.name,
    description: fields.description,
    mode: fields.mode ?? mode,
    prompt: body,
    model: fields.model === undefined || sessionModel.test(fields.model) ? undefined : fields.model,
    temperature: fields.temperature,
    steps: fields.steps ?? fields.maxTurns ?? fields.maxSteps,
    tools: { ...switchesOf(fields.tools), ...Object.fromEntries(denied) },
    permission,
    hidden: fields.hidden ?? false,
    readOnly: fields.permissionMode === "plan",
    options: source === "user" ? (fields.options ?? {}) : {},
    source,
  };
  return { type: "agent", agent, notes };
}

/** Ignores limits as in `Bash(git *)`, which are permissions. */
function listOf(value: string | string[]): string[] {
  const names = typeof value === "string" ? value.replace(/\([^()]*\)/g, "").split(",") : value;
  return names.map((name) => toolPattern(name.replace(/\(.*/s, "").trim())).filter((name) => name !== "");
}

/** `mcp__github` stands for all tools of that server. */
function toolPattern(name: string): string {
  return /^mcp__[^_*]+(_[^_*]+)*$/.test(name) ? `${name}__*` : ourTool(name);
}

function switchesOf(tools: string[] | Record<string, boolean> | undefined): Record<string, boolean> {
  if (tools === undefined) return {};
  if (Array.isArray(tools)) return Object.fromEntries([["*", false], ...tools.map((name) => [name, true] as const)]);
  return Object.fromEntries(Object.entries(tools).map(([name, on]) => [toolPattern(name), on]));
}

function rulesOf(permission: z.infer<typeof AgentPermission> | undefined): Rule[] {
  if (permission === undefined) return [];
  if (typeof permission === "string") return [{ permission: "*", pattern: "*", action: permission }];
  if (Array.isArray(permission)) return permission.map((rule) => ({ ...rule, permission: ourTool(rule.permission) }));
  return Object.entries(permission).flatMap(([name, value]): Rule[] => {
    const about = ourTool(name);
    if (typeof value === "string") return [{ permission: about, pattern: "*", action: value }];
    return Object.entries(value).map(([pattern, decided]) => ({ permission: about, pattern, action: decided }));
  });
}
