/** Questions of a session to the user, and their answers: a type and a schema for each kind. */

import * as z from "zod/mini";
import type { FileDiff } from "./message.ts";
import { ruleScopes } from "./rule-scopes.ts";

export const Rule = z.object({
  /** `read`, `edit`, `bash`, `external_directory`, `doom_loop`, a tool's name, or `*`. */
  permission: z.string(),
  /** Matches a relative path or a command; `*` any characters, `?` one, ` *` at the end also nothing. */
  pattern: z.string(),
  action: z.enum(["allow", "ask", "deny"]),
});
export type Rule = z.infer<typeof Rule>;

export interface CommandPart {
  text: string;
  /** As in a rule: `bash`, `edit`, `read`, `external_directory`. */
  permission: string;
  /** "deletes files", "writes out.txt"; empty if the text says it. */
  effect: string;
  decision: Rule["action"];
  /** The deciding rule, mode or protection, in words. */
  why: string;
}

/** What makes a call worth a question, the worst first. */
export const risks = [
  "deletes",
  "outside",
  "network-code",
  "secrets",
  "elsewhere",
  "unreadable",
  "writes",
  "no-rule",
] as const;
export type Risk = (typeof risks)[number];

/** UTF-16 offsets into the command, or into the text of the preview. */
export interface TextRange {
  start: number;
  end: number;
}

/** A reason why a call asks. Reasons are sorted by risk; parts that share a reason are joined; no sentence comes twice. */
export interface AskReason {
  risk: Risk;
  /** "It deletes 214 files." */
  sentence: string;
  /** The real effect: "Git has 9 of them. The other 205 cannot be brought back." May be empty. */
  detail: string;
  /** The places of the command that it is about, in order. Empty where it is about the whole. */
  marks: TextRange[];
}

/** A part of a command that the rules allow already. */
export interface AllowedPart {
  text: string;
  /** The deciding rule or mode, in words. */
  why: string;
  range: TextRange;
}

/** What a card shows of a command besides its text. */
export interface CommandMarks {
  /** `&&`, `||`, `;`, `&` and `|` between the commands of the first level: a new line is drawn before each. */
  connectors: TextRange[];
  allowed: AllowedPart[];
}

export interface CommandPreview extends CommandMarks {
  type: "command";
  command: string;
  cwd: string;
  /** The name of the shell that runs it: "bash". */
  shell: string;
  /** undefined: it runs in the background without a limit. */
  timeoutMs: number | undefined;
  parts: CommandPart[];
  /** The model's reason to run it outside of the sandbox; undefined if it runs inside, or there is none. */
  outsideSandbox?: string;
}

/** A tool of a server, or of another extension. */
interface ArgumentsPreview {
  type: "arguments";
  /** The name of the MCP server; empty for a tool of VS Code. */
  server: string;
  tool: string;
  /** What the server says that the tool does: untrusted. */
  claim: string;
  input: Record<string, unknown>;
}

export type Preview =
  | { type: "diff"; diff: FileDiff }
  | { type: "diffs"; diffs: FileDiff[] }
  | CommandPreview
  | ArgumentsPreview
  /** `sent`: what leaves this computer, a sentence. */
  | { type: "page"; url: string; sent: string }
  /** `copy`: where a copy is kept, a sentence. */
  | { type: "deletion"; files: { path: string; inGit: boolean }[]; copy: string }
  /** `outside`: the part of the path that leads out of the workspace. */
  | { type: "path"; path: string; outside: TextRange }
  /** `value`: dots, unless it is harmless. */
  | { type: "secret"; path: string; names: { name: string; value: string }[] }
  | { type: "text"; text: string };

/** What a rule of "Always allow" would let through and still ask for, near its border. */
export interface RuleTrial {
  /** At most two. */
  allows: string[];
  /** At most two. */
  asks: string[];
  /** Why the rule cannot be given, a sentence; empty if it can. */
  invalid: string;
}

export interface Question {
  question: string;
  header: string;
  options: { label: string; description: string }[];
  /** The label of the option that the model would take; empty if it has no favourite. */
  favorite: string;
  multiple: boolean;
}

interface Asked {
  id: string;
  sessionID: string;
}

interface AskedOfCall extends Asked {
  messageID: string;
  partID: string;
  callID: string;
  tool: string;
}

export interface PermissionRequest extends AskedOfCall {
  kind: "permission";
  permission: string;
  patterns: string[];
  title: string;
  /** The rule or mode that makes it ask, in words. */
  reason: string;
  /** Why it asks, the riskiest first. */
  reasons: AskReason[];
  /** The reasons are still looked for: until they come, with the same event and ID again, it can only be denied. */
  looking?: true;
  preview: Preview;
  /** The rules that "Always allow" would add, shown before. Empty: it can only be allowed once. */
  always: Rule[];
  /** Why "Always allow" cannot be given, a sentence; empty if `always` has rules. */
  noAlways: string;
}

export interface ChoicesRequest extends AskedOfCall {
  kind: "choices";
  questions: readonly Question[];
}

/** A turn in Plan mode, or of an agent that only reads, has ended with a plan. The session is idle meanwhile, and any prompt withdraws the request. */
export interface PlanRequest extends Asked {
  kind: "plan";
  messageID: string;
  /** The user's mode before Plan. */
  buildMode: BuildMode;
}

interface BudgetAsked extends Asked {
  kind: "budget";
}

/** A limit is reached, or cannot be kept since the model's price is not known. `next…`: the limit after a "Continue" that names none. */
export type BudgetRequest =
  | (BudgetAsked & { scope: "session" | "day"; spentUsd: number; limitUsd: number; nextLimitUsd: number })
  | (BudgetAsked & { scope: "tokens"; spentTokens: number; limitTokens: number; nextLimitTokens: number })
  | (BudgetAsked & { scope: "price"; model: string; limitUsd: number });

export interface LoopRequest extends AskedOfCall {
  kind: "loop";
  /** The rule or mode that makes it ask, in words. */
  reason: string;
  input: string;
  always: Rule[];
}

export type UserRequest = PermissionRequest | ChoicesRequest | PlanRequest | BudgetRequest | LoopRequest;

/** The request of a kind. */
export type RequestOf<Kind extends UserRequest["kind"]> = Extract<UserRequest, { kind: Kind }>;
/** Requests about a call that waits. */
export type CallRequest = Extract<UserRequest, { callID: string }>;

export const BuildMode = z.enum(["default", "acceptEdits"]);
export type BuildMode = z.infer<typeof BuildMode>;

const Words = z.string().check(z.maxLength(100_000));
const Rules = z.array(Rule).check(z.maxLength(50));
const permission = z.literal("permission");
const choices = z.literal("choices");
const plan = z.literal("plan");
const budget = z.literal("budget");
const loop = z.literal("loop");

/** An answer of the user, or of a program for the user. `kind` is that of the request. */
export const Answer = z.discriminatedUnion("kind", [
  z.discriminatedUnion("type", [
    z.object({ kind: permission, type: z.literal("once") }),
    /** Runs this command instead of the model's. */
    z.object({ kind: permission, type: z.literal("command"), command: Words }),
    /** Runs with these arguments instead of the model's. */
    z.object({ kind: permission, type: z.literal("input"), input: z.record(z.string(), z.unknown()) }),
    /** `rules` are those of the request, possibly with edited patterns. `scope`: "workspace" if absent. */
    z.object({ kind: permission, type: z.literal("always"), rules: Rules, scope: z.optional(z.enum(ruleScopes)) }),
    /** `words` are sent to the model and the turn continues; without them it stops. */
    z.object({ kind: permission, type: z.literal("deny"), words: Words }),
  ]),
  z.discriminatedUnion("type", [
    /** For each question the chosen options, or other text. */
    z.object({
      kind: choices,
      type: z.literal("chosen"),
      choices: z.array(z.array(z.string().check(z.maxLength(10_000))).check(z.maxLength(50))).check(z.maxLength(20)),
    }),
    /** The model decides; `words` are sent to it. */
    z.object({ kind: choices, type: z.literal("skip"), words: Words }),
  ]),
  z.discriminatedUnion("type", [
    /** `fresh`: the model sees the plan without the conversation in which it was made. */
    z.object({ kind: plan, type: z.literal("build"), mode: BuildMode, fresh: z.optional(z.boolean()) }),
    z.object({ kind: plan, type: z.literal("keep") }),
  ]),
  z.discriminatedUnion("type", [
    /** `limit`: the next one, in USD or tokens, or none for this session; that of the request if absent. */
    z.object({
      kind: budget,
      type: z.literal("continue"),
      limit: z.optional(z.union([z.number(), z.literal("none")])),
    }),
    /** The step that runs is finished: its calls run, the model sums up, and the turn ends. */
    z.object({ kind: budget, type: z.literal("finish") }),
    z.object({ kind: budget, type: z.literal("stop") }),
  ]),
  z.discriminatedUnion("type", [
    z.object({ kind: loop, type: z.literal("continue") }),
    z.object({ kind: loop, type: z.literal("always"), rules: Rules, scope: z.optional(z.enum(ruleScopes)) }),
    /** The call is denied; `words` are sent to the model and the turn continues. */
    z.object({ kind: loop, type: z.literal("hint"), words: Words.check(z.minLength(1)) }),
    z.object({ kind: loop, type: z.literal("stop") }),
  ]),
]);
export type Answer = z.infer<typeof Answer>;
export type AnswerTo<R extends UserRequest> = Extract<Answer, { kind: R["kind"] }>;
