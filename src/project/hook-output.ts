/** What a hook answers, as Claude Code defines it, and what follows from it here (spec K4). Pure. */
import * as z from "zod/mini";
import { type HookEvent, type HookOutcome, noOutcome } from "../loop/hooks.ts";

const Input = z.record(z.string(), z.unknown());

const HookOutput = z.object({
  continue: z.optional(z.boolean()),
  stopReason: z.optional(z.string()),
  /** Nothing of a hook's output is shown but its messages, so there is nothing to suppress. */
  suppressOutput: z.optional(z.boolean()),
  systemMessage: z.optional(z.string()),
  decision: z.optional(z.enum(["approve", "block"])),
  reason: z.optional(z.string()),
  hookSpecificOutput: z.optional(
    z.object({
      permissionDecision: z.optional(z.enum(["allow", "deny", "ask", "defer"])),
      permissionDecisionReason: z.optional(z.string()),
      updatedInput: z.optional(Input),
      additionalContext: z.optional(z.string()),
      /** Of PermissionRequest. */
      decision: z.optional(
        z.object({
          behavior: z.enum(["allow", "deny"]),
          updatedInput: z.optional(Input),
          message: z.optional(z.string()),
          interrupt: z.optional(z.boolean()),
        }),
      ),
    }),
  ),
});
type HookOutput = z.infer<typeof HookOutput>;

/** How a hook's process ended. Texts are as it wrote them, cut at a limit. */
export interface HookExit {
  code: number;
  stdout: string;
  stderr: string;
}

/** These cannot be refused: what they tell of has happened, or is about to in any case. */
const withoutDecision: ReadonlySet<HookEvent> = new Set([
  "SessionStart",
  "SessionEnd",
  "SubagentStart",
  "Notification",
]);

/** What these print is for the model, JSON or not. */
const printsContext: ReadonlySet<HookEvent> = new Set(["SessionStart", "UserPromptSubmit"]);

/** `name` is how the hook is called in messages. */
export function outcomeOf(event: HookEvent, name: string, { code, stdout, stderr }: HookExit): HookOutcome {
  const words = stderr.trim();
  if (code === 2) {
    const reason = words === "" ? `The hook ${name} forbids it, without a reason.` : words;
    return withoutDecision.has(event) ? message(reason) : { ...noOutcome, decision: "deny", reason };
  }
  if (code !== 0) return message(`The hook ${name} failed with exit code ${code}${words === "" ? "." : `: ${words}`}`);
  const text = stdout.trim();
  const answer = parseObject(text);
  if (answer === undefined && printsContext.has(event)) {
    return text === "" ? noOutcome : { ...noOutcome, additionalContext: [text] };
  }
  if (answer === undefined) {
    // Words are for nobody, but who begins an answer means to decide.
    return text.startsWith("{") ? message(`The hook ${name} answered with broken JSON.`) : noOutcome;
  }
  const parsed = HookOutput.safeParse(answer);
  if (parsed.success) return fromOutput(event, name, parsed.data);
  const wrong = parsed.error.issues.map(({ path }) => path.join("."));
  return message(`The hook ${name} answered with JSON that cannot be used: ${wrong.join(", ")}.`);
}

function message(text: string): HookOutcome {
  return { ...noOutcome, messages: [text] };
}

function parseObject(text: string): object | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    // Text that begins with a brace parses as an object or not at all.
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

function fromOutput(event: HookEvent, name: string, output: HookOutput): HookOutcome {
  const specific = output.hookSpecificOutput;
  const asked = specific?.decision;
  const { decision, reason } = withoutDecision.has(event) ? noOutcome : decisionOf(output);
  const stops = output.continue === false || (asked?.behavior === "deny" && asked.interrupt === true);
  const context = specific?.additionalContext ?? "";
  return {
    decision,
    reason: decision === "deny" && reason === "" ? `The hook ${name} forbids it, without a reason.` : reason,
    updatedInput: asked?.updatedInput ?? specific?.updatedInput,
    additionalContext: context.trim() === "" ? [] : [context],
    messages: output.systemMessage ? [output.systemMessage] : [],
    stop: stops ? (output.stopReason ?? (reason || `The hook ${name} ended the turn.`)) : undefined,
  };
}

/** The newer fields count before the older ones. */
function decisionOf({
  decision,
  reason,
  hookSpecificOutput: specific,
}: HookOutput): Pick<HookOutcome, "decision" | "reason"> {
  if (specific?.decision) return { decision: specific.decision.behavior, reason: specific.decision.message ?? "" };
  const newer = specific?.permissionDecision;
  if (newer !== undefined) {
    const why = specific?.permissionDecisionReason ?? reason ?? "";
    return { decision: newer === "defer" ? undefined : newer, reason: why };
  }
  if (decision === undefined) return { decision: undefined, reason: "" };
  return { decision: decision === "block" ? "deny" : "allow", reason: reason ?? "" };
}
