/** Interprets the output of a hook, in the format of Claude Code (spec K4). Pure. */

import * as z from "zod/mini";
import { parseJson } from "../base/json.ts";
import { msg } from "../l10n/l10n.ts";
import { type HookEvent, type HookOutcome, noOutcome } from "../loop/hooks.ts";

const UpdatedInput = z.record(z.string(), z.unknown());

const HookOutput = z.object({
  continue: z.optional(z.boolean()),
  stopReason: z.optional(z.string()),
  /** Has no effect, because only messages of hooks are shown. */
  suppressOutput: z.optional(z.boolean()),
  systemMessage: z.optional(z.string()),
  decision: z.optional(z.enum(["approve", "block"])),
  reason: z.optional(z.string()),
  hookSpecificOutput: z.optional(
    z.object({
      permissionDecision: z.optional(z.enum(["allow", "deny", "ask", "defer"])),
      permissionDecisionReason: z.optional(z.string()),
      updatedInput: z.optional(UpdatedInput),
      additionalContext: z.optional(z.string()),
      /** Answer to PermissionRequest. */
      decision: z.optional(
        z.object({
          behavior: z.enum(["allow", "deny"]),
          updatedInput: z.optional(UpdatedInput),
          message: z.optional(z.string()),
          interrupt: z.optional(z.boolean()),
        }),
      ),
    }),
  ),
});
type HookOutput = z.infer<typeof HookOutput>;

/** How a hook's process ended. Texts are cut at a limit. */
export interface HookExit {
  code: number;
  stdout: string;
  stderr: string;
}

/** Events that hooks cannot deny, because they have happened or will happen in any case. */
const withoutDecision = new Set<HookEvent>(["SessionStart", "SessionEnd", "SubagentStart", "Notification"]);

/** Events whose output goes to the model, even if it is not JSON. */
const printsContext: ReadonlySet<HookEvent> = new Set(["SessionStart", "UserPromptSubmit"]);

/** `name` is the name of the hook in messages. */
export function outcomeOf(event: HookEvent, name: string, { code, stdout, stderr }: HookExit): HookOutcome {
  const words = stderr.trim();
  if (code === 2) {
    const reason = words === "" ? msg("The hook {0} denied it without a reason.", name) : words;
    return withoutDecision.has(event) ? message(reason) : { ...noOutcome, decision: "deny", reason };
  }
  if (code !== 0) {
    return message(
      words === ""
        ? msg("The hook {0} failed with exit code {1}.", name, code)
        : msg("The hook {0} failed with exit code {1}: {2}", name, code, words),
    );
  }
  const text = stdout.trim();
  const answer = text.startsWith("{") ? parseJson(text) : undefined;
  if (answer === undefined && printsContext.has(event)) {
    return text === "" ? noOutcome : { ...noOutcome, additionalContext: [text] };
  }
  if (answer === undefined) {
    // Plain text is ignored, but the start of an object is meant as an answer.
    return text.startsWith("{") ? message(msg("The hook {0} answered with broken JSON.", name)) : noOutcome;
  }
  const parsed = HookOutput.safeParse(answer);
  if (parsed.success) return fromOutput(event, name, parsed.data);
  const wrong = parsed.error.issues.map(({ path }) => path.join("."));
  return message(msg("The hook {0} answered with JSON that cannot be used: {1}.", name, wrong.join(", ")));
}

function message(text: string): HookOutcome {
  return { ...noOutcome, messages: [text] };
}

function fromOutput(event: HookEvent, name: string, output: HookOutput): HookOutcome {
  const specific = output.hookSpecificOutput;
  const asked = specific?.decision;
  const { decision, reason } = withoutDecision.has(event) ? noOutcome : decisionOf(output);
  const stops = output.continue === false || (asked?.behavior === "deny" && asked.interrupt === true);
  const context = specific?.additionalContext ?? "";
  return {
    decision,
    reason: decision === "deny" && reason === "" ? msg("The hook {0} denied it without a reason.", name) : reason,
    updatedInput: asked?.updatedInput ?? specific?.updatedInput,
    additionalContext: context.trim() === "" ? [] : [context],
    messages: output.systemMessage ? [output.systemMessage] : [],
    stop: stops ? (output.stopReason ?? (reason || msg("The hook {0} ended the turn.", name))) : undefined,
  };
}

/** Newer fields take precedence over older ones. */
function decisionOf(output: HookOutput): Pick<HookOutcome, "decision" | "reason"> {
  const { decision, reason, hookSpecificOutput: specific } = output;
  if (specific?.decision) return { decision: specific.decision.behavior, reason: specific.decision.message ?? "" };
  const newer = specific?.permissionDecision;
  if (newer !== undefined) {
    const why = specific?.permissionDecisionReason ?? reason ?? "";
    return { decision: newer === "defer" ? undefined : newer, reason: why };
  }
  if (decision === undefined) return { decision: undefined, reason: "" };
  return { decision: decision === "block" ? "deny" : "allow", reason: reason ?? "" };
}
