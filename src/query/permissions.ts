/** Permission rules as callers write them, in the words of Claude Code or of Rondo. */
import type { Rule } from "../loop/events.ts";
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

/** Of all these tools, those that are not offered. */
export function withheldTools({ tools, disallowedTools = [] }: Options, all: readonly string[]): string[] {
  const forbidden = new Set(disallowedTools.map((tool) => (tool.includes("(") ? "" : ourTool(tool.trim()))));
  const wanted = Array.isArray(tools) ? new Set(tools.map((tool) => ourTool(tool.trim()))) : undefined;
  return all.filter((name) => forbidden.has(name) || (wanted !== undefined && !wanted.has(name)));
}
