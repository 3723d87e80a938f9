/** OpenAI's models. */
import { entryOf } from "../catalog/catalog-file.ts";
import { type Effort, effortLevels, perModel, type ResponsesRules } from "../openai-responses/responses-rules.ts";

/**
 * Version of a GPT model, such as 5.6; `undefined` for other names. Gateways put their name before it, and some write
 * "gpt-5-6".
 */
export function gptVersion(model: string): number | undefined {
  const [, major, minor = "0"] = /(?:^|[^a-z])gpt-?(\d+)(?:[.-](\d)(?!\d))?(?![\d.]|o)/i.exec(model) ?? [];
  return major === undefined ? undefined : Number(`${major}.${minor}`);
}

/**
 * Whether the model was trained to change files by patches, on whatever server it runs: GPT from 4.1 on (OpenAI's «GPT-4.1
 * Prompting Guide»), and those that Codex began with. Not gpt-4o and gpt-oss (microsoft/vscode-copilot-chat
 * chatModelCapabilities.ts; sst/opencode registry.ts).
 */
export function knowsPatches(model: string): boolean {
  return (gptVersion(model) ?? 0) >= 4.1 || /(?:^|[/.:@])(codex-|o3(?!-mini)|o4-mini)/.test(model);
}

/** Whether a name is that of a model of OpenAI's own service: `gpt-oss` runs elsewhere. */
export function isOpenAIModel(model: string): boolean {
  return gptVersion(model) !== undefined || isOldReasoning(model) || isOlder(model);
}

/** Whether a name is that of a model of OpenAI's that thinks: it refuses sampling parameters, also behind gateways. */
export function isOpenAIReasoning(model: string): boolean {
  return isOldReasoning(model) || ((gptVersion(model) ?? 0) >= 5 && !isChatModel(model));
}

/** Chat models do not think. */
const isChatModel = (model: string) => /-chat\b/i.test(model);
const isOldReasoning = (model: string) => /(?:^|[/.:])o\d(?![a-z\d])/i.test(model);

/** Names that are no GPT and no o-series: `chat-latest`, aliases of previews, and models newer than these rules. */
const isOlder = (model: string) => /(?:^|[/.:])(gpt-?(3|4)|chatgpt|davinci|babbage)/i.test(model);

/** Returns the effort levels of a model: those of the catalogue, else what is usual for its line. */
export function openaiEfforts(model: string): readonly Effort[] {
  const [modelID = model] = /(?:gpt-|o)\d.*/i.exec(model) ?? [];
  const { efforts = [], flags = [] } = entryOf("openai", modelID.toLowerCase()) ?? {};
  const known = effortLevels.filter((effort) => efforts.includes(effort));
  if (known.length === 0) return usualEfforts(model);
  // Aliases such as `chat-latest` do not tell of their own whether thinking can be switched off.
  const hasNone = !flags.includes("alwaysThinks") && gptVersion(model) !== undefined;
  return hasNone ? ["none", ...known] : known;
}

/**
 * Effort levels of each line, for names that the catalogue does not have: pages of the models and «Using GPT-5.6», «Using GPT-6», «Using GPT-6.2» on
 * developers.openai.com/api/docs/guides/latest-model; @earendil-works/pi-ai 1.5.2.
 */
function usualEfforts(model: string): readonly Effort[] {
  const version = gptVersion(model) ?? 6.2;
  if (isOldReasoning(model)) return ["low", "medium", "high"];
  if (/-pro\b/i.test(model)) return version < 5.2 ? ["high"] : ["medium", "high", "xhigh"];
  if (version < 5.1) return ["minimal", "low", "medium", "high"];
  if (version < 5.2) return ["none", "low", "medium", "high"];
  if (/-codex-spark/i.test(model)) return ["low", "medium", "high", "xhigh"];
  if (version < 5.6) return ["none", "low", "medium", "high", "xhigh"];
  const hasNone = version < 6.2 && !/astra|cyber|6[.-]1-sol/i.test(model) && gptVersion(model) !== undefined;
  return [...(hasNone ? (["none"] as const) : []), "low", "medium", "high", "xhigh", "max"];
}

/** Whether Chat Completions does not serve the model, or not with tools. [laozhang 2026-11-04, aihubmix 2026-11-18 on dev.to] */
export function needsResponses(model: string): boolean {
  const version = gptVersion(model);
  if (version === undefined) return false;
  return /-(codex|pro)\b/i.test(model) || (version >= 5.6 && !openaiEfforts(model).includes("none"));
}

/** Rules of the Responses API. [developers.openai.com/api/docs/guides/{reasoning,function-calling,keep-prefix-unchanged}] */
export const openaiResponses = perModel((model): ResponsesRules => {
  const version = gptVersion(model);
  const isReasoning = isOldReasoning(model) || (!isOlder(model) && !isChatModel(model));
  const isGpt5 = isReasoning && !isOldReasoning(model);
  return {
    systemRole: "developer",
    isReasoning,
    efforts: isReasoning ? openaiEfforts(model) : [],
    // guides/reasoning «Change reasoning mid-conversation»: from GPT-6 on; refused by pro models
    // [openrouter.ai/docs migrations/gpt-6-astra; pi-ai 1.5.2 `supportsMidConvoEffort`].
    takesEffortUpdates: isGpt5 && (version ?? 6) >= 6 && !/-pro\b|cyber/i.test(model),
    takesSummary: isReasoning,
    // «Encrypted content is not supported with this model» without reasoning. [vercel/ai#9412]
    takesInclude: isReasoning,
    takesPlainThoughts: false,
    verbosity: isGpt5 && !/codex/i.test(model) ? "low" : undefined,
    takesFreeformTools: isGpt5,
    // pi-ai 1.5.2 `supportsMidConvoSystemMessages`; guides/keep-prefix-unchanged.
    takesLaterInstructions: isGpt5 && (version ?? 6) >= 5.4,
    // Codex sends `additional_tools` from 5.6 on; pi-ai 1.5.2 `supportsAdditionalTools`.
    takesAdditionalTools: isGpt5 && (version ?? 6) >= 5.6 && !/cyber/i.test(model),
    takesAllowedTools: isGpt5,
    takesStrict: true,
    takesParallelCalls: isGpt5,
    takesCacheKey: true,
    takesFilesInResults: true,
    takesBadArguments: true,
  };
});

/**
 * `additional_tools` and `configuration_update` are documented for OpenAI's own address alone, and pi-ai 1.5.2 does not send
 * them to Azure either.
 */
export const cloudResponses = perModel(
  (model): ResponsesRules => ({
    ...openaiResponses(model),
    takesAdditionalTools: false,
    takesEffortUpdates: false,
  }),
);
