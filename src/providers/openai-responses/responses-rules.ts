/** What a server and its model take of the Responses API; each provider's rules are in `../families`. */

/** Weakest first. */
export const effortLevels = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof effortLevels)[number];

export interface ResponsesRules {
  /** Role of the system prompt and of notes about tools. It is a message, for `instructions` is not known everywhere. */
  systemRole: "developer" | "system";
  /** Whether the model thinks. Then sampling parameters are refused, and thoughts come encrypted when asked for. */
  isReasoning: boolean;
  /** Levels that `reasoning.effort` may have, weakest first; none at all where it is refused. */
  efforts: readonly Effort[];
  /** Whether the effort may change within the conversation; else in the request's head, at the cost of the cache. */
  takesEffortUpdates: boolean;
  /** Whether a summary of the thoughts may be asked for. */
  takesSummary: boolean;
  /** Whether `include` may ask for encrypted thoughts. */
  takesInclude: boolean;
  /** Whether thoughts in plain text go back, too. */
  takesPlainThoughts: boolean;
  /** How much the model writes, if it can be told. */
  verbosity: "low" | undefined;
  /** Whether tools may have a text as input. */
  takesFreeformTools: boolean;
  /** Whether messages with the system prompt's role may stand within the conversation. */
  takesLaterInstructions: boolean;
  /** Whether tools may be added within the conversation. */
  takesAdditionalTools: boolean;
  /** Whether `tool_choice` may name the tools that are allowed now. */
  takesAllowedTools: boolean;
  /** Whether functions have the field `strict`, which would be on without it. */
  takesStrict: boolean;
  takesParallelCalls: boolean;
  takesCacheKey: boolean;
  /** Whether results of calls may contain images and files; else these follow in a user message. */
  takesFilesInResults: boolean;
  /** Whether arguments that are no JSON may go back as they came. */
  takesBadArguments: boolean;
}

/** The rules for a model; the same object for the same name. */
export type ResponsesRulesOf = (model: string) => ResponsesRules;

export function perModel(rulesOf: (model: string) => ResponsesRules): ResponsesRulesOf {
  const known = new Map<string, ResponsesRules>();
  return (model) => {
    const rules = known.get(model) ?? rulesOf(model);
    known.set(model, rules);
    return rules;
  };
}
