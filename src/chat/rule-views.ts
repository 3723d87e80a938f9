/** What the panel shows of permission rules: each with its uses, and what they say of a command. */
import type { AskReason, CommandMarks, CommandPart, Rule } from "./requests.ts";

/** A rule, and how often it has decided in this workspace. */
export interface RuleRow {
  rule: Rule;
  /** Rules from `agent` and `built-in` cannot be removed. */
  source: "settings" | "workspace" | "session" | "agent" | "built-in";
  /** The agent's name; empty for other sources. */
  agent: string;
  count: number;
  /** ms since 1970; undefined: never. */
  lastAt: number | undefined;
}

export interface CommandJudgement extends CommandMarks {
  command: string;
  decision: "allow" | "ask" | "deny";
  parts: CommandPart[];
  reasons: AskReason[];
  always: Rule[];
  /** Why "Always allow" cannot be given, a sentence; empty if `always` has rules. */
  noAlways: string;
}
