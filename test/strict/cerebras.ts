/** api.cerebras.ai. */
import { chatReply, commonChatRules, counted, eachMessage, positionOf, rule, type StrictBody } from "./chat-rules.ts";
import type { StrictProvider } from "./strict-server.ts";

const messageFields = new Set(["role", "content", "name", "tool_calls", "tool_call_id", "reasoning"]);
const refused = [
  "frequency_penalty",
  "logit_bias",
  "presence_penalty",
  "parallel_tool_calls",
  "service_tier",
  "prompt_cache_key",
];

export const cerebras: StrictProvider<StrictBody> = {
  providerID: "cerebras",
  model: "gpt-oss-120b",
  basePath: "/v1",
  rules: [
    rule("req_llm guides/cerebras; docs.getbifrost.ai cerebras", (body) => {
      const name = refused.find((one) => one in body);
      return name && `body.${name}: property 'body.${name}' is unsupported`;
    }),
    eachMessage("kilocode#10375, cherry-studio#16790", (message, at) => {
      const name = Object.keys(message).find((key) => !messageFields.has(key));
      const path = `messages.${at}.${message.role}.${name}`;
      return name && `${path}: property '${path}' is unsupported`;
    }),
    rule("req_llm guides/cerebras", ({ tool_choice }) =>
      tool_choice === undefined || tool_choice === "auto" || tool_choice === "none"
        ? undefined
        : "body.tool_choice: Input should be 'none' or 'auto'",
    ),
    rule("pi-ai 1.5.2, cerebras.json", ({ messages }) =>
      positionOf(messages, "image_url") >= 0 ? "Model gpt-oss-120b does not support image input" : undefined,
    ),
    ...commonChatRules,
  ],
  refuse: (message) => ({
    status: 400,
    body: { message, type: "invalid_request_error", param: "validation_error", code: "wrong_api_format" },
  }),
  reply: (reply) =>
    chatReply(reply, { thinking: (reasoning) => ({ reasoning }), callID: counted("chatcmpl-tool-") }, "gpt-oss-120b"),
};
