/** Hooks: commands of the user that the loop runs at fixed points, and their decisions (spec K4). */

export const hookEvents = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PostToolUseFailure",
  "PreCompact",
  "SubagentStart",
  "SubagentStop",
  "Stop",
  "SessionEnd",
  "Notification",
] as const;
export type HookEvent = (typeof hookEvents)[number];

export interface HookOutcome {
  /** `deny` also stands for "block". Undefined: the rules decide. */
  decision: "allow" | "ask" | "deny" | undefined;
  /** The hook's explanation, sent to the model with a denial. */
  reason: string;
  /** Replaces the call's input (PreToolUse, PermissionRequest). */
  updatedInput: Record<string, unknown> | undefined;
  additionalContext: string[];
  messages: string[];
  /** Ends the turn (`continue: false`); the reason is for the user. */
  stop: string | undefined;
}

export const noOutcome: HookOutcome = {
  decision: undefined,
  reason: "",
  updatedInput: undefined,
  additionalContext: [],
  messages: [],
  stop: undefined,
};

/** The strictest decision wins, with its reasons; everything else is kept in order, but only the first new input. */
export function mergeOutcomes(outcomes: readonly HookOutcome[]): HookOutcome {
  const decision = strictness.find((one) => outcomes.some((outcome) => outcome.decision === one));
  const deciding = outcomes.filter((outcome) => outcome.decision === decision);
  return {
    decision,
    reason: [...new Set(deciding.map(({ reason }) => reason))].filter((reason) => reason !== "").join("\n"),
    updatedInput: outcomes.find(({ updatedInput }) => updatedInput)?.updatedInput,
    additionalContext: outcomes.flatMap(({ additionalContext }) => additionalContext),
    messages: outcomes.flatMap(({ messages }) => messages),
    stop: outcomes.find(({ stop }) => stop !== undefined)?.stop,
  };
}

const strictness = ["deny", "ask", "allow"] as const;

export interface Hooks {
  /** Whether any hook is configured; cheap. */
  has(event: HookEvent): boolean;
  /**
   * Runs the hooks of the event whose matcher fits `subject` (a tool's name, a source, a trigger; undefined: all), side
   * by side. `input` is told to them with the fields that all events share. Never rejects: a hook that fails, hangs or
   * answers nonsense is a message. On abort they are killed and the outcome is empty.
   */
  fire(
    event: HookEvent,
    subject: string | undefined,
    input: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<HookOutcome>;
}

export const noHooks: Hooks = { has: () => false, fire: async () => noOutcome };
