/** Reads permission rules in the caller's notation: Claude Code's or Rondo's tool names. */
import type { Rule } from "../chat/requests.ts";
import { ourTool } from "../chat/tool-cards.ts";
import { isSwitchedOn } from "../loop/agents/agents.ts";
import { ruledOut } from "../loop/permissions/own-reads.ts";
import type { ReadBoundary } from "../tools/node-host/config-files.ts";
import { askUserName } from "../tools/tool.ts";
import type { Options } from "./query-types.ts";

/** Parses a tool name, optionally with a pattern: `bash`, `Bash`, `bash(npm test *)`, `Bash(npm test:*)`. */
export function toRule(tool: string, action: Rule["action"]): Rule {
  const [, name = tool, pattern = "*"] = /^([^(]+)\((.*)\)$/s.exec(tool.trim()) ?? [];
  return { permission: ourTool(name.trim()), pattern: pattern.replace(/:\*$/, " *"), action };
}

/** Denied tools come last, since the last matching rule wins. */
export function rulesOf({ allowedTools = [], rules = [], disallowedTools = [] }: Options): Rule[] {
  return [
    ...allowedTools.map((tool) => toRule(tool, "allow")),
    ...rules,
    ...disallowedTools.map((tool) => toRule(tool, "deny")),
  ];
}

/** The boundary of the files that Rondo reads on its own. Those that are left out are among the problems of a project. */
export function boundaryOf(rules: readonly Rule[]): ReadBoundary {
  const inForce = { user: rules, workspace: [] };
  return { secrets: [], ruledOut: (place) => ruledOut(place, inForce), onLeftOut: () => {} };
}

/** Returns the tools in `all` that are not offered: disallowed ones, and `ask_user` if nobody can answer. */
export function withheldTools(options: Options, all: readonly string[]): string[] {
  const { tools, disallowedTools = [], canUseTool } = options;
  const whole = disallowedTools.filter((tool) => !tool.includes("("));
  const switches = Object.fromEntries(whole.map((tool) => [ourTool(tool.trim()), false]));
  const wanted = Array.isArray(tools) ? new Set(tools.map((tool) => ourTool(tool.trim()))) : undefined;
  // Models that change files by patches get it in place of these.
  if (wanted?.has("edit") && wanted.has("write")) wanted.add("apply_patch");
  const isOffered = (name: string) =>
    isSwitchedOn(switches, name) &&
    (wanted === undefined || wanted.has(name)) &&
    (name !== askUserName || canUseTool !== undefined);
  return all.filter((name) => !isOffered(name));
}
