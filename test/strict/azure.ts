/** Azure OpenAI: v1 with the Responses API, and the older paths of deployments. */
import type { StrictBody } from "./chat-rules.ts";
import { openaiChat, openaiResponses } from "./openai.ts";
import { renamed } from "./renamed.ts";
import { eachItem, type ResponsesBody } from "./responses-rules.ts";
import type { StrictProvider, StrictRule } from "./strict-server.ts";

const deployment = "our-model";
const reference = "learn.microsoft.com/azure/ai-services/openai/reference";

function accessRules(path: string): StrictRule<unknown>[] {
  return [
    {
      source: reference,
      breach: ({ path: asked }) => (asked === path ? undefined : `Resource not found: ${asked}`),
    },
    {
      source: `${reference}#authentication: api-key, or a token as Bearer`,
      breach: ({ headers }) =>
        headers["api-key"] === "test-key-1" && headers.authorization === undefined
          ? undefined
          : "Access denied due to invalid subscription key or wrong API endpoint.",
    },
  ];
}

/** Its errors are OpenAI's, with the status inside. */
const refuse = (message: string) => ({
  status: 400,
  body: { error: { message, type: "invalid_request_error", param: null, code: null, status: 400 } },
});

export function azureResponses(model: string): StrictProvider<ResponsesBody> {
  return renamed(openaiResponses(model), "/v1/responses", {
    providerID: "azure",
    model: deployment,
    models: { [deployment]: model },
    basePath: "/openai/v1",
    rules: [
      ...accessRules("/openai/v1/responses"),
      eachItem("earendil-works/pi-ai 1.5.2, azure.json: additional_tools is OpenAI's own", ({ type }, at) =>
        type === "additional_tools" ? `Invalid value: 'additional_tools'. - 'input[${at}].type'` : undefined,
      ),
    ],
  });
}

export function azureDeployment(model: string): StrictProvider<StrictBody> {
  const basePath = `/openai/deployments/${deployment}`;
  const query = "?api-version=2025-04-01-preview";
  return renamed(openaiChat(model), "/v1/chat/completions", {
    providerID: "azure",
    model: deployment,
    models: { [deployment]: model },
    basePath,
    query,
    refuse,
    rules: accessRules(`${basePath}/chat/completions${query}`),
  });
}
