/** Amazon Bedrock with an API key: Claude by the Messages API, others by OpenAI's. */
import { anthropicProvider, type MessagesBody, messagesRows } from "./anthropic.ts";
import { chatReply, commonChatRules, counted, positionOf, rule, type StrictBody } from "./chat-rules.ts";
import { openaiResponses } from "./openai.ts";
import { renamed } from "./renamed.ts";
import { eachItem, type ResponsesBody } from "./responses-rules.ts";
import type { StrictProvider, StrictRule } from "./strict-server.ts";

const guide = "docs.aws.amazon.com/bedrock/latest/userguide";

function accessRules(path: string): StrictRule<unknown>[] {
  return [
    {
      source: `${guide}/endpoints.html`,
      breach: ({ path: asked }) => (asked === path ? undefined : `${asked} isn't supported on this route`),
    },
    {
      source: `${guide}/api-keys-use.html`,
      breach: ({ headers }) =>
        headers.authorization === "Bearer test-key-1" ? undefined : "Authentication failed: no valid API key.",
    },
  ];
}

/** Betas of Anthropic's own API that a cloud does not have. */
export const noBetas: StrictRule<unknown> = {
  source: "oh-my-pi#5614; claude-code#12429; vercel/ai#10981",
  breach: ({ headers }) =>
    headers["anthropic-beta"] === undefined
      ? undefined
      : `Unexpected value(s) \`${headers["anthropic-beta"]}\` for the \`anthropic-beta\` header. Please consult our documentation or try again without the header.`,
};

/** What Anthropic's API takes within a conversation needs betas, so the clouds have none of it. */
export const cloudRows = messagesRows
  .filter(({ model }) => /haiku-4-5|opus-4-8|5-5$/.test(model))
  .map((row) => ({ ...row, takesUpdates: false, takesEffort: false }));

/** Thoughts are bound to what came before them, and refused by default: claude-messages-thinking-block-binding.html. */
export const bedrockMessages: readonly (() => StrictProvider<MessagesBody>)[] = cloudRows.map((row) => () => {
  const own = anthropicProvider({ ...row, model: `anthropic.${row.model}` });
  return {
    ...own,
    providerID: "bedrock",
    rules: [
      ...accessRules("/anthropic/v1/messages"),
      noBetas,
      {
        source: `${guide}/inference-messages-api.html`,
        breach: ({ headers }) =>
          headers["anthropic-version"] === "2023-06-01" ? undefined : "anthropic-version: header is required",
      },
      {
        source: `${guide}/models-supported.html`,
        breach: ({ body }) =>
          body["model"] === own.model ? undefined : `The provided model identifier is invalid: ${body["model"]}`,
      },
      ...own.rules,
    ],
  };
});

export function bedrockResponses(model: string): StrictProvider<ResponsesBody> {
  return renamed(openaiResponses(model), "/v1/responses", {
    providerID: "bedrock",
    model: `openai.${model}`,
    basePath: "",
    rules: [
      ...accessRules("/openai/v1/responses"),
      eachItem("earendil-works/pi-ai 1.5.2: additional_tools is OpenAI's own", ({ type }, at) =>
        type === "additional_tools" ? `Invalid value: 'additional_tools'. - 'input[${at}].type'` : undefined,
      ),
    ],
  });
}

export const bedrockChat: StrictProvider<StrictBody> = {
  providerID: "bedrock",
  model: "openai.gpt-oss-120b",
  basePath: "",
  rules: [
    ...accessRules("/openai/v1/chat/completions"),
    rule(`${guide}/inference-chat-completions.html: text and images`, ({ messages }) =>
      positionOf(messages, "file") >= 0 ? "Invalid content part type: file" : undefined,
    ),
    ...commonChatRules,
  ],
  refuse: (message) => ({ status: 400, body: { error: { message, type: "invalid_request_error", code: null } } }),
  reply: (reply) =>
    chatReply(
      reply,
      { thinking: (text) => ({ reasoning: text }), callID: counted("call_"), call: () => ({}) },
      "openai.gpt-oss-120b",
    ),
};
