/** xAI's Grok models. */
import { type Effort, perModel, type ResponsesRules } from "../openai-responses/responses-rules.ts";

export const isGrok = (model: string) => /(?:^|[/.:])grok-/i.test(model);

/** Effort is refused by grok-4, code-fast and build, and taken from 4.3 on. [hermes#23435; CLIProxyAPI#3968; pi-ai 1.5.2] */
function efforts(model: string): readonly Effort[] {
  const version = Number(/grok-(\d+(?:[.-]\d(?!\d))?)/i.exec(model)?.[1]?.replace("-", ".") ?? 0);
  if (version < 4.3 || /non-reasoning/i.test(model)) return [];
  if (version === 4.3) return ["none", "low", "medium", "high", "xhigh"];
  return version === 4.5 ? ["low", "medium", "high"] : ["low", "medium", "high", "xhigh"];
}

/** Rules of the Responses API. [docs.x.ai best-practices, reasoning] */
export const xaiResponses = perModel(
  (model): ResponsesRules => ({
    systemRole: "system",
    isReasoning: !/non-reasoning|grok-[23](?!\.|-mini)/i.test(model),
    efforts: efforts(model),
    takesEffortUpdates: false,
    // Sources disagree whether a summary may be asked for; it comes unasked. [oh-my-pi#7454, CLIProxyAPI#3968]
    takesSummary: false,
    takesInclude: !/non-reasoning|grok-[23](?!\.|-mini)/i.test(model),
    takesPlainThoughts: false,
    verbosity: undefined,
    takesFreeformTools: false,
    takesLaterInstructions: false,
    takesAdditionalTools: false,
    takesAllowedTools: false,
    takesStrict: false,
    takesParallelCalls: true,
    takesCacheKey: true,
    takesFilesInResults: false,
    takesBadArguments: true,
  }),
);
