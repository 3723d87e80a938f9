/** Chooses the API of a server. */
import { compatibleResponses } from "./families/compatible-responses.ts";
import { familyOf } from "./families/families.ts";
import { needsResponses } from "./families/openai-responses.ts";
import type { NativeApi } from "./native-apis.ts";
import type { ResponsesRulesOf } from "./openai-responses/responses-rules.ts";

export const apiChoices = ["auto", "responses", "chat"] as const;
export type ApiChoice = (typeof apiChoices)[number];
export type OpenAIApi = Exclude<ApiChoice, "auto">;

export interface ApiPlan {
  rules: ResponsesRulesOf;
  /** The API that is tried first for a model. */
  first: (model: string) => OpenAIApi;
}

/** Returns when the Responses API is used; undefined: never. */
export function apiFor(choice: ApiChoice, providerID: string, baseURL: string): ApiPlan | undefined {
  if (choice === "chat" || !URL.canParse(baseURL)) return undefined;
  const family = familyOf(providerID, baseURL);
  if (family?.responses?.path.test(new URL(baseURL).pathname)) {
    const { rules, models = /^/ } = family.responses;
    return { rules, first: (model) => (models.test(model) ? "responses" : "chat") };
  }
  if (choice === "responses") return { rules: compatibleResponses, first: () => "responses" };
  if (family) return undefined;
  return { rules: compatibleResponses, first: (model) => (needsResponses(model) ? "responses" : "chat") };
}

/** Returns the API of the provider's own through which the server is used, if it is. */
export function nativeFor(choice: ApiChoice, providerID: string, baseURL: string): NativeApi | undefined {
  return choice === "auto" && URL.canParse(baseURL) ? familyOf(providerID, baseURL)?.native : undefined;
}
