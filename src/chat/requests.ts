/** What a session asks the user, and the answers: one type for each kind of question. */
import * as z from "zod/mini";
import type { FileDiff } from "./message.ts";

export const Rule = z.object({
  /** What is asked for: `read`, `edit`, `bash`, `external_directory`, `doom_loop`, a tool's name, or `*`. */
  permission: z.string(),
  /** Matched against a path relative to the workspace or a command; `*` any characters, `?` one, ` *` at the end also nothing. */
  pattern: z.string(),
  action: z.enum(["allow", "ask", "deny"]),
});
export type Rule = z.infer<typeof Rule>;

/** One effect of a command: a simple command in it, a file that it reads or writes, a place it goes to. */
export interface CommandPart {
  text: string;
  /** As in a rule: `bash`, `edit`, `read`, `external_directory`. */
  permission: string;
  /** "deletes files", "writes out.txt"; empty where the text says it. */
  effect: string;
  decision: Rule["action"];
  /** Which rule, mode or guard decided, in words. */
  why: string;
}

/** What the card shows of a call that needs permission. */
export type Preview =
  | { type: "diff"; diff: FileDiff }
  | { type: "diffs"; diffs: FileDiff[] }
  /** `parts` are judged separately. */
  | { type: "command"; command: string; cwd: string; parts: CommandPart[] }
  | { type: "text"; text: string }
  | { type: "questions"; questions: Question[] };

/** A question that the model puts to the user, with answers to choose from. */
export interface Question {
  question: string;
  /** One or two words above it. */
  header: string;
  options: { label: string; description: string }[];
  /** Whether more than one may be chosen. */
  multiple: boolean;
}

/** A request about one tool call. */
interface AskedOfCall {
  id: string;
  sessionID: string;
  messageID: string;
  partID: string;
  callID: string;
  tool: string;
}

/** May this call run? */
export interface PermissionRequest extends AskedOfCall {
  permission: string;
  patterns: string[];
  /** A question: "Edit src/cart.ts?" */
  title: string;
  /** Which rule or mode makes it ask, in words. */
  reason: string;
  preview: Preview;
  /** The rules that "Always allow" would add, shown before they are given. Empty: it can only be allowed once. */
  always: Rule[];
}
