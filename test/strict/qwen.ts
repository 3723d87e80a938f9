/** DashScope's compatible mode. */
import { chatReply, commonChatRules, counted, positionOf, rule, type StrictBody } from "./chat-rules.ts";
import type { StrictProvider } from "./strict-server.ts";

const deepThinking = "help.aliyun.com model-studio/deep-thinking";

export const qwen: StrictProvider<StrictBody> = {
  providerID: "qwen",
  model: "qwen3.8-max",
  basePath: "/compatible-mode/v1",
  rules: [
    rule(deepThinking, ({ enable_thinking, stream }) =>
      enable_thinking === true && stream !== true
        ? "parameter.enable_thinking must be set to false for non-streaming calls"
        : undefined,
    ),
    rule(deepThinking, ({ thinking_budget, enable_thinking }) =>
      thinking_budget !== undefined && enable_thinking !== true ? "thinking_budget needs enable_thinking" : undefined,
    ),
    rule("help.aliyun.com openai-compatible", ({ messages }) =>
      positionOf(messages, "file") >= 0 ? "Unexpected item type in content." : undefined,
    ),
    ...commonChatRules,
  ],
  refuse: (words) => ({
    status: 400,
    body: {
      error: {
        code: "invalid_parameter_error",
        param: null,
        message: `<400> InternalError.Algo.InvalidParameter: ${words}`,
        type: "invalid_request_error",
      },
    },
  }),
  reply: (reply) =>
    chatReply(
      reply,
      { thinking: (reasoning_content) => ({ content: null, reasoning_content }), callID: counted("call_") },
      "qwen3.8-max",
    ),
};
