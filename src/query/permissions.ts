/** Permission rules as callers write them, in the words of Claude Code or of Rondo. */

import type { Rule } from "../chat/requests.ts";
import { isSwitchedOn } from "../loop/agents/agents.ts";
import { ourTool } from "../project/tool-names.ts";
import type { Options } from "./types.ts";

/** `bash`, `Bash`, or a tool with what it may be used on: `bash(npm test *)`, `Bash(npm test:*)`. */
export function toRule(tool: string, action: Rule["action"]): Rule {
  const [, name = tool, pattern = "*"] = /^([^(]+)\((.*)\)$/s.exec(tool.trim()) ?? [];
  return { permission: ourTool(name.trim()), pattern: pattern.replace(/:\*$/, " *"), action };
}

/** What was forbidden comes last, and so wins. */
export function rulesOf({ allowedTools = [], rules = [], disallowedTools = [] }: Options): Rule[] {
  return [
    ...allowedTools.map((tool) => toRule(tool, "allow")),
    ...rules,
    ...disallowedTools.map((tool) => toRule(tool, "deny")),
  ];
}

/** Of all these tools, those that are not offered: what is forbidden, in its other ways too, and questions to nobody. */
export function withheldTools(options: Options, all: readonly string[]): string[] {
  const { tools, disallowedTools = [], canUseTool } = options;
  const whole = disallowedTools.filter((tool) => !tool.includes("("));
  const switches = Object.fromEntries(whole.map((tool) => [ourTool(tool.trim()), false]));
  const wanted = Array.isArray(tools) ? new Set(tools.map((tool) => ourTool(tool.trim()))) : undefined;
  const isOffered = (name: string) =>
    isSwitchedOn(switches, name) &&
    (wanted === undefined || wanted.has(name)) &&
    (name !== "ask_user" || canUseTool !== undefined);
  return all.filter((name) => !isOffered(name));
}
