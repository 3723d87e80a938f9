/** api.mistral.ai, which knows each field and refuses any other. */
import { chatReply, commonChatRules, eachMessage, rule, type StrictBody } from "./chat-rules.ts";
import type { StrictProvider } from "./strict-server.ts";

const bodyFields = new Set(
  "model temperature top_p max_tokens stream stop random_seed metadata messages response_format tools tool_choice presence_penalty frequency_penalty n prediction parallel_tool_calls prompt_mode reasoning_effort prompt_cache_key guardrails safe_prompt".split(
    " ",
  ),
);
const messageFields: Record<string, ReadonlySet<string>> = {
  system: new Set(["role", "content"]),
  user: new Set(["role", "content"]),
  assistant: new Set(["role", "content", "tool_calls", "prefix"]),
  tool: new Set(["role", "content", "tool_call_id", "name"]),
};
const partTypes = new Set(["text", "image_url", "document_url", "reference", "file", "thinking", "input_audio"]);

let count = 0;

export const mistral: StrictProvider<StrictBody> = {
  providerID: "mistral",
  model: "mistral-large-4",
  basePath: "/v1",
  rules: [
    rule("eca#231", (body) => extra(Object.keys(body).find((name) => !bodyFields.has(name)))),
    eachMessage("litellm#30835, crush#1590", (message) =>
      extra(Object.keys(message).find((name) => !messageFields[message.role]?.has(name))),
    ),
    eachMessage("docs.mistral.ai chat", ({ tool_calls = [] }) =>
      extra(tool_calls.flatMap(Object.keys).find((name) => !/^(id|type|function|index)$/.test(name))),
    ),
    eachMessage("docs.mistral.ai chat", ({ content }) => {
      const type = Array.isArray(content) ? content.find((part) => !partTypes.has(part.type))?.type : undefined;
      return type && `Input tag '${type}' found using 'type' does not match any of the expected tags`;
    }),
    eachMessage("opencode#1680, ironclaw#1241 (3280)", ({ tool_calls = [] }) => {
      const wrong = tool_calls.find(({ id }) => !/^[a-zA-Z0-9]{9}$/.test(id));
      return wrong && `Tool call id was ${wrong.id} but must be a-z, A-Z, 0-9, with a length of 9.`;
    }),
    eachMessage("hermes-agent#84944, zed#37021, litellm#17761 (3230)", ({ role }, at, all) =>
      role === "user" && all[at - 1]?.role === "tool" ? "Unexpected role 'user' after role 'tool'" : undefined,
    ),
    // pi-ai, mistral-conversations: thoughts in several blocks are refused.
    eachMessage("pi-ai 1.5.2", ({ role, content }) => {
      const thoughts = Array.isArray(content) ? content.filter(({ type }) => type === "thinking") : [];
      return role === "assistant" && thoughts.length > 1 ? "Only one thinking chunk is allowed" : undefined;
    }),
    rule("pi-ai 1.5.2, mistral.json", ({ model, reasoning_effort }) =>
      reasoning_effort === undefined ||
      (/large-4/.test(model) ? /^(low|medium|high)$/ : /^(none|high)$/).test(String(reasoning_effort))
        ? undefined
        : `Invalid reasoning_effort: ${reasoning_effort}`,
    ),
    ...commonChatRules,
  ],
  refuse(words) {
    const [, field] = /^extra (.+)$/.exec(words) ?? [];
    if (field === undefined) {
      const code = /^Tool call id/.test(words) ? "3280" : /^Unexpected role/.test(words) ? "3230" : "1500";
      return {
        status: 400,
        body: { object: "error", message: words, type: "invalid_request_message_order", param: null, code },
      };
    }
    const detail = [{ type: "extra_forbidden", loc: ["body", field], msg: "Extra inputs are not permitted", input: 1 }];
    return {
      status: 422,
      body: { object: "error", message: { detail }, type: "invalid_request_error", param: null, code: null },
    };
  },
  reply: (reply) =>
    chatReply(
      reply,
      {
        thinking: (text) => ({ content: [{ type: "thinking", thinking: [{ type: "text", text }] }] }),
        callID: () => (++count).toString(36).padStart(9, "Q"),
      },
      "mistral-large-4",
    ),
};

function extra(field: string | undefined): string | undefined {
  return field === undefined ? undefined : `extra ${field}`;
}
