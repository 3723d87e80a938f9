/** Answers to the questions of a session. */
import * as z from "zod/mini";
import { BuildMode, Rule, ruleScopes, type UserRequest } from "./requests.ts";

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
