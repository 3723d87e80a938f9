/** Google Vertex: Claude with the model in the path, Gemini by its OpenAI endpoint. */
import { anthropicProvider, type MessagesBody } from "./anthropic.ts";
import { cloudRows, noBetas } from "./bedrock.ts";
import type { StrictBody } from "./chat-rules.ts";
import { gemini } from "./gemini.ts";
import { renamed } from "./renamed.ts";
import type { StrictProvider, StrictRule } from "./strict-server.ts";

const basePath = "/v1/projects/our-project/locations/global";
const page = "platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai";

function accessRules(path: string): StrictRule<unknown>[] {
  return [
    { source: page, breach: ({ path: asked }) => (asked === path ? undefined : `Not found: ${asked}`) },
    {
      source: "cloud.google.com/docs/authentication/rest: the access token as Bearer, and nowhere else",
      breach: ({ headers }) =>
        headers.authorization === "Bearer test-key-1" && headers["x-api-key"] === undefined
          ? undefined
          : "Request had invalid authentication credentials. Expected OAuth 2 access token.",
    },
  ];
}

export const vertexMessages: readonly (() => StrictProvider<MessagesBody>)[] = cloudRows.map((row) => () => {
  const own = anthropicProvider(row);
  return {
    ...own,
    providerID: "vertex",
    basePath,
    rules: [
      ...accessRules(`${basePath}/publishers/anthropic/models/${row.model}:streamRawPredict`),
      noBetas,
      {
        source: page,
        breach: ({ headers, body: { model, anthropic_version: version } }) => {
          if (headers["anthropic-version"] !== undefined) return "The version stands in the body.";
          if (model !== undefined) return "model: Extra inputs are not permitted";
          return version === "vertex-2023-10-16" ? undefined : "anthropic_version: Field required";
        },
      },
      ...own.rules,
    ],
  };
});

export function vertexGemini(): StrictProvider<StrictBody> {
  const { model, ...own } = gemini();
  const renamedOwn = renamed({ ...own, model }, "/v1beta/openai/chat/completions", {
    providerID: "vertex",
    model: `google/${model}`,
    basePath,
    rules: accessRules(`${basePath}/endpoints/openapi/chat/completions`),
  });
  // Rondo's name for it is Google's.
  return { ...renamedOwn, model };
}
