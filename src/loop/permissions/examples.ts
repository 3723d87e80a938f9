/** Examples of what a rule would match, to show its width beforehand. */
import type { Rule, RuleTrial } from "../../chat/requests.ts";
import { outsidePermission } from "../../tools/tool.ts";
import { matches } from "./rules.ts";

/** `patterns`: those of the asking call. */
export function tryRule(rule: Rule, patterns: readonly string[]): RuleTrial {
  const examples = examplesFor([rule], rule.permission, patterns);
  const texts = (matching: boolean) => examples.filter(({ matches }) => matches === matching).map(({ text }) => text);
  return { allows: texts(true).slice(0, 2), asks: texts(false).slice(0, 2), invalid: "" };
}

/** `patterns`: those of the asking call. The narrowest examples come first. */
export function examplesFor(
  rules: readonly Rule[],
  permission: string,
  patterns: readonly string[],
): { text: string; matches: boolean }[] {
  const isCommand = permission === "bash" || permission === outsidePermission;
  const texts = patterns.flatMap((pattern) => (isCommand ? likeCommand(pattern) : likePath(pattern)));
  return [...new Set(texts)].slice(0, most).map((text) => ({
    text,
    matches: rules.some((rule) => rule.permission === permission && matches(rule, { pattern: text, match: "pattern" })),
  }));
}

const most = 8;

function likeCommand(command: string): string[] {
  const [program = "", first] = command.split(" ");
  if (first === undefined) return [command, `${program} …`, "another"];
  return [command, `${command} --more`, `${program} ${first}`, `${program} ${first} other`, `${program} other`];
}

function likePath(path: string): string[] {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const elsewhere = path.startsWith("/") ? "/elsewhere/file" : "elsewhere/file";
  return [path, `${folder}other`, `${folder}below/other`, elsewhere];
}
