/** api.z.ai, a text model that always thinks. */
import { chatReply, commonChatRules, counted, positionOf, rule, type StrictBody } from "./chat-rules.ts";
import type { StrictProvider } from "./strict-server.ts";

export const zai: StrictProvider<StrictBody> = {
  providerID: "zai",
  model: "glm-5.3",
  basePath: "/api/paas/v4",
  rules: [
    rule("dev.to aihubmix 2026-08-14", ({ max_tokens }) =>
      Number(max_tokens ?? 1) > 131_072 ? "max_tokens must be in [1, 131072]" : undefined,
    ),
    rule("dev.to aihubmix 2026-08-14", ({ messages }) =>
      positionOf(messages, "image_url") >= 0 || positionOf(messages, "file") >= 0
        ? "messages.content.type parameter is illegal: the model does not support image input"
        : undefined,
    ),
    rule("docs.z.ai chat-completion", ({ tool_choice }) =>
      tool_choice === undefined || tool_choice === "auto" ? undefined : "tool_choice parameter is illegal, only auto",
    ),
    rule("dev.to aihubmix 2026-08-14", ({ thinking, reasoning_effort }) => {
      const isOff =
        typeof thinking === "object" && thinking !== null && "type" in thinking && thinking.type === "disabled";
      if (isOff) return "thinking cannot be disabled";
      return reasoning_effort === undefined || /^(low|high|max)$/.test(String(reasoning_effort))
        ? undefined
        : "reasoning_effort parameter is illegal";
    }),
    ...commonChatRules,
  ],
  refuse: (message) => ({
    status: 400,
    body: { error: { code: "1210", message: `Invalid API parameter: ${message}` } },
  }),
  reply: (reply) =>
    chatReply(
      reply,
      { thinking: (reasoning_content) => ({ role: "assistant", reasoning_content }), callID: counted("call_-70") },
      "glm-5.3",
    ),
};
