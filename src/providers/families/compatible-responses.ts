/** Servers of others that are told to speak the Responses API: local ones, gateways, clouds. */
import { perModel, type ResponsesRules } from "../openai-responses/responses-rules.ts";
import { isOpenAIModel, openaiResponses } from "./openai-responses.ts";
import { isGrok, xaiResponses } from "./xai-responses.ts";

/** A model keeps the rules of those who made it; for others it is the least that all servers take. */
export const compatibleResponses = perModel((model): ResponsesRules => {
  if (isOpenAIModel(model)) return openaiResponses(model);
  return isGrok(model) ? xaiResponses(model) : leastRules;
});

const leastRules: ResponsesRules = {
  systemRole: "system",
  isReasoning: false,
  efforts: ["low", "medium", "high"],
  takesEffortUpdates: false,
  takesSummary: false,
  takesInclude: false,
  // LM Studio, vLLM, DeepSeek and llama.cpp send thoughts as plain text and read them.
  takesPlainThoughts: true,
  verbosity: undefined,
  takesFreeformTools: false,
  takesLaterInstructions: false,
  takesAdditionalTools: false,
  takesAllowedTools: false,
  takesStrict: true,
  takesParallelCalls: false,
  takesCacheKey: false,
  takesFilesInResults: false,
  // llama.cpp parses them. [ggml-org/llama.cpp tools/server]
  takesBadArguments: false,
};
