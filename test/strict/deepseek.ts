/** api.deepseek.com, the model that takes text alone. */
import { chatReply, commonChatRules, counted, eachMessage, positionOf, rule, type StrictBody } from "./chat-rules.ts";
import type { StrictProvider } from "./strict-server.ts";

const thinkingMode = "api-docs.deepseek.com thinking_mode";

export const deepseek: StrictProvider<StrictBody> = {
  providerID: "deepseek",
  model: "deepseek-v4-pro",
  basePath: "/v1",
  rules: [
    rule("rikkahub#1433, deepcode-cli#50, shelley#224", ({ messages }) => {
      const type = ["image_url", "file"].find((one) => positionOf(messages, one) >= 0);
      if (type === undefined) return undefined;
      const at = positionOf(messages, type);
      return `Failed to deserialize the JSON body into the target type: messages[${at}]: unknown variant \`${type}\`, expected \`text\` at line 1 column 9000`;
    }),
    eachMessage("9router#773", ({ role }, at) =>
      role === "developer" ? `messages[${at}].role: unknown variant \`developer\`` : undefined,
    ),
    // hermes-agent#15228 says on every message of the assistant.
    rule(`${thinkingMode}; hermes-agent#15228`, ({ messages, thinking }) => {
      const isOff =
        typeof thinking === "object" && thinking !== null && "type" in thinking && thinking.type === "disabled";
      const missing = messages.some(
        ({ role, reasoning_content }) => role === "assistant" && reasoning_content === undefined,
      );
      return !isOff && missing
        ? "The `reasoning_content` in the thinking mode must be passed back to the API."
        : undefined;
    }),
    rule(thinkingMode, ({ reasoning_effort }) =>
      reasoning_effort === undefined || /^(high|max)$/.test(String(reasoning_effort))
        ? undefined
        : `reasoning_effort: unknown variant \`${reasoning_effort}\`, expected one of \`high\`, \`max\``,
    ),
    rule("api-docs.deepseek.com create-chat-completion", ({ max_tokens }) =>
      Number(max_tokens ?? 1) > 384_000
        ? "Invalid max_tokens value, the valid range of max_tokens is [1, 384000]"
        : undefined,
    ),
    ...commonChatRules,
  ],
  refuse: (message) => ({
    status: 400,
    body: { error: { message, type: "invalid_request_error", param: null, code: "invalid_request_error" } },
  }),
  reply: (reply) =>
    chatReply(
      reply,
      {
        thinking: (reasoning_content) => ({ content: null, reasoning_content }),
        callID: counted("call_00_"),
        usage: { prompt_cache_hit_tokens: 128, prompt_cache_miss_tokens: 72 },
      },
      "deepseek-v4-pro",
    ),
};
