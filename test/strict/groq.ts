/** api.groq.com with a text model that thinks. */
import { chatReply, commonChatRules, counted, eachMessage, rule, type StrictBody } from "./chat-rules.ts";
import type { StrictProvider } from "./strict-server.ts";

const messageFields = new Set(["role", "content", "name", "tool_calls", "tool_call_id"]);

export const groq: StrictProvider<StrictBody> = {
  providerID: "groq",
  model: "openai/gpt-oss-120b",
  basePath: "/openai/v1",
  rules: [
    eachMessage("jan#8136, req_llm#772, freellmapi#1070, gptel#774", (message, at) => {
      const name = Object.keys(message).find((key) => !messageFields.has(key));
      return (
        name &&
        `'messages.${at}' : for 'role:${message.role}' the following must be satisfied[('messages.${at}' : property '${name}' is unsupported)]`
      );
    }),
    eachMessage("vercel/ai#2837", ({ content }, at) =>
      Array.isArray(content) ? `messages[${at}].content must be a string` : undefined,
    ),
    rule("console.groq.com/docs/reasoning", ({ reasoning_effort }) =>
      reasoning_effort === undefined || /^(low|medium|high)$/.test(String(reasoning_effort))
        ? undefined
        : "`reasoning_effort` must be one of `low`, `medium`, or `high`",
    ),
    ...commonChatRules,
  ],
  refuse: (message) => ({ status: 400, body: { error: { message, type: "invalid_request_error" } } }),
  reply: (reply) =>
    chatReply(reply, { thinking: (reasoning) => ({ reasoning }), callID: counted("fc_") }, "openai/gpt-oss-120b"),
};
