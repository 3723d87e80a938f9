/** The rules of Chat Completions that a server keeps, known or not. */
import { catalogFacts, catalogModels, usualFacts } from "../catalog/catalog.ts";
import { type ChatRules, commonRules, needsThoughts, type SentThoughts, thoughtsPlaceholder } from "./chat-rules.ts";
import { families, familyIDs, familyOf } from "./families.ts";
import type { ProviderFamily } from "./family.ts";
import { textModels } from "./text-models.ts";

/** Returns the rules of Chat Completions for a model of a server. */
export function chatRulesFor(providerID: string, baseURL: string, model: string): ChatRules {
  const family = familyOf(providerID, baseURL);
  if (!family) {
    // Few servers take PDFs: only models that are known for it are sent some. GitHub Models, whose names begin with the
    // maker's, takes none of OpenAI's (docs.github.com models).
    const takesPDFs = factsAnywhere(model)?.pdfs === true && !/^openai\//.test(model);
    return { ...unknownServerRules(model), takesPDFs, takesImages: takesImagesAnywhere(model) };
  }
  const rules = family.chatRules(model);
  const id = familyIDs.find((one) => families[one] === family) ?? providerID;
  return { ...rules, takesImages: rules.takesImages && !isTextModel(id, model) };
}

/**
 * An unknown server may pass requests on to the model's maker: it follows the maker's rules, except those that only the
 * maker's own server knows.
 */
function unknownServerRules(model: string): ChatRules {
  const common = commonRules(model);
  const makers: readonly ProviderFamily[] = Object.values(families);
  const maker = makers.find(({ modelNames }) => modelNames?.test(model))?.chatRules(model);
  // A gateway sends thoughts in a form of its own. What the model needs where there are none is the same everywhere.
  const thoughts: SentThoughts = {
    type: "as-received",
    ...(needsThoughts(model) && { placeholder: thoughtsPlaceholder }),
    ...(maker?.thoughts.type === "call-signatures" && { dummy: maker.thoughts.dummy }),
  };
  // Gateways name Claude so; it is not cached unasked (OpenRouter prompt-caching; docs.litellm.ai prompt_caching).
  const cacheMarks = /^~?anthropic\//.test(model);
  if (!maker) return { ...common, thoughts, cacheMarks };
  return {
    ...maker,
    thinking: (level, request) => (level === "default" ? {} : maker.thinking(level, request)),
    thoughts: maker.thoughts.type === "none" ? maker.thoughts : thoughts,
    toolImages: "user",
    conversation: {},
    laterTools: "request",
    parameters: {},
  };
}

/** Whether the catalogue says that the model takes no images; gateways have models of others. */
function isTextModel(providerID: string, modelID: string): boolean {
  const isGateway = catalogModels(providerID).length === 0;
  const facts = isGateway ? usualFacts({ providerID, modelID }) : catalogFacts({ providerID, modelID });
  return facts ? !facts.images : textModels.test(modelID);
}

/** Uses the catalogue's entry of this name, else the rules for such names, else the newest model of its line. */
function takesImagesAnywhere(modelID: string): boolean {
  const exact = familyIDs
    .map((providerID) => catalogFacts({ providerID, modelID }))
    .find((facts) => facts !== undefined);
  if (exact) return exact.images === true;
  return !textModels.test(modelID) && factsAnywhere(modelID)?.images !== false;
}

/** Returns what the catalogue says of a model by its name alone. */
function factsAnywhere(modelID: string): ReturnType<typeof usualFacts> {
  const known = familyIDs.map((providerID) => catalogFacts({ providerID, modelID }));
  return known.find((facts) => facts !== undefined) ?? usualFacts({ providerID: "", modelID });
}
