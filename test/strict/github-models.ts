/** models.github.ai with one of OpenAI's reasoning models. */
import { chatReply, commonChatRules, counted, eachMessage, positionOf, rule, type StrictBody } from "./chat-rules.ts";
import type { StrictProvider } from "./strict-server.ts";

export const githubModels: StrictProvider<StrictBody> = {
  providerID: "github-models",
  model: "openai/gpt-5",
  basePath: "/inference",
  rules: [
    rule("opencode#37964, OpenHands#11662, litellm#13432", ({ max_tokens }) =>
      max_tokens === undefined
        ? undefined
        : "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ),
    rule("platform.openai.com reasoning", ({ temperature }) =>
      temperature === undefined || temperature === 1
        ? undefined
        : "Unsupported value: 'temperature' does not support this value with this model.",
    ),
    eachMessage("platform.openai.com chat/create", ({ tool_calls = [] }, at) => {
      const wrong = tool_calls.find(({ id }) => id.length > 40);
      return (
        wrong &&
        `Invalid 'messages[${at}].tool_calls[0].id': string too long. Expected a string with maximum length 40.`
      );
    }),
    rule("kagent#1889", ({ tools = [] }) => {
      const wrong = tools.find(({ function: { parameters } }) => parameters && parameters["properties"] === undefined);
      return wrong && `Invalid schema for function '${wrong.function.name}': object schema missing properties.`;
    }),
    rule("docs.github.com models", ({ messages }) =>
      positionOf(messages, "file") >= 0
        ? "Invalid value: 'file'. Supported values are: 'text', 'image_url'."
        : undefined,
    ),
    ...commonChatRules,
  ],
  refuse: (message) => ({
    status: 400,
    body: { error: { message, type: "invalid_request_error", param: null, code: "unsupported_parameter" } },
  }),
  // Azure tells nothing of the thoughts.
  reply: (reply) => chatReply(reply, { thinking: () => ({}), callID: counted("call_") }, "gpt-5-2025-08-07"),
};
