/** Questions of a session to the user, and their answers: one type for each kind. */
import * as z from "zod/mini";
import type { FileDiff } from "./message.ts";

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

export type Preview =
  | { type: "diff"; diff: FileDiff }
  | { type: "diffs"; diffs: FileDiff[] }
  /** `outsideSandbox`: the model's reason to run it outside of the sandbox; undefined if it runs inside, or there is none. */
  | { type: "command"; command: string; cwd: string; parts: CommandPart[]; outsideSandbox?: string }
  | { type: "text"; text: string };

export interface Question {
  question: string;
  header: string;
  options: { label: string; description: string }[];
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
  preview: Preview;
  /** The rules that "Always allow" would add, shown before. Empty: it can only be allowed once. */
  always: Rule[];
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

/** A limit is reached, or cannot be kept since the model's price is not known. `next…`: the limit after "Continue". */
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

const BuildMode = z.enum(["default", "acceptEdits"]);
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
    /** `rules` are those of the request, possibly with edited patterns. */
    z.object({ kind: permission, type: z.literal("always"), rules: Rules }),
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
    z.object({ kind: plan, type: z.literal("build"), mode: BuildMode }),
    z.object({ kind: plan, type: z.literal("keep") }),
  ]),
  z.discriminatedUnion("type", [
    z.object({ kind: budget, type: z.literal("continue") }),
    z.object({ kind: budget, type: z.literal("stop") }),
  ]),
  z.discriminatedUnion("type", [
    z.object({ kind: loop, type: z.literal("continue") }),
    z.object({ kind: loop, type: z.literal("always"), rules: Rules }),
    /** The call is denied; `words` are sent to the model and the turn continues. */
    z.object({ kind: loop, type: z.literal("hint"), words: Words.check(z.minLength(1)) }),
    z.object({ kind: loop, type: z.literal("stop") }),
  ]),
]);
export type Answer = z.infer<typeof Answer>;
export type AnswerTo<R extends UserRequest> = Extract<Answer, { kind: R["kind"] }>;
