/** Gemini's OpenAI endpoint. */
import { type ChatRule, chatReply, commonChatRules, counted, positionOf, rule, type StrictBody } from "./chat-rules.ts";
import type { StrictProvider } from "./strict-server.ts";

const signaturesPage = "ai.google.dev/gemini-api/docs/thought-signatures";
const dummies = new Set(["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"]);

/** A server that knows the signatures it has given out. */
export function gemini(): StrictProvider<StrictBody> {
  const issued = new Set<string>(dummies);
  return {
    providerID: "gemini",
    model: "gemini-4-argon",
    basePath: "/v1beta/openai",
    rules: [
      rule(`${signaturesPage}; securo#884`, ({ messages }) => {
        const begin = messages.findLastIndex(({ role }) => role === "user");
        for (const { tool_calls: [call] = [] } of messages.slice(begin + 1)) {
          if (call === undefined) continue;
          const signature = call.extra_content?.google?.thought_signature;
          if (signature === undefined) {
            return `Function call is missing a thought_signature in functionCall parts. Additional data, function call \`default_api:${call.function.name}\`, position 2. please refer to https://${signaturesPage} for more details.`;
          }
        }
        return undefined;
      }),
      rule(signaturesPage, ({ messages }) => {
        const all = messages.flatMap(({ tool_calls = [] }) => tool_calls);
        const wrong = all.some(({ extra_content }) => {
          const signature = extra_content?.google?.thought_signature;
          return signature !== undefined && !issued.has(signature);
        });
        return wrong ? "Corrupted thought signature." : undefined;
      }),
      schemas,
      rule("ai.google.dev openai compatibility", ({ messages }) =>
        positionOf(messages, "file") >= 0 ? "Invalid content part type: file" : undefined,
      ),
      rule("pi-ai 1.5.2, google.json", ({ model, reasoning_effort }) =>
        reasoning_effort === undefined ||
        /^(low|medium|high)$/.test(String(reasoning_effort)) ||
        (reasoning_effort === "minimal" && /flash/.test(model))
          ? undefined
          : `Invalid value at 'reasoning_effort': ${reasoning_effort}`,
      ),
      ...commonChatRules,
    ],
    refuse: (message) => ({ status: 400, body: [{ error: { code: 400, message, status: "INVALID_ARGUMENT" } }] }),
    reply: (reply) =>
      chatReply(
        reply,
        {
          thinking: (text) => ({ content: text, extra_content: { google: { thought: true } } }),
          callID: counted("function-call-"),
          call(position) {
            if (position > 0) return {};
            const thought_signature = `sig${issued.size}`;
            issued.add(thought_signature);
            return { extra_content: { google: { thought_signature } } };
          },
        },
        "gemini-4-argon",
      ),
  };
}

const schemas: ChatRule = rule(
  "opencode#2687, gptel#806, zed#44875, mcp-obsidian#21, copilot-cli#4155",
  ({ tools = [] }) => tools.flatMap(({ function: { parameters } }) => breaches(parameters, "parameters"))[0],
);

function breaches(schema: unknown, at: string): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { type, properties, items, enum: values, anyOf, ...rest } = schema as Record<string, unknown>; // any JSON object
  const unknown = ["additionalProperties", "$schema", "$ref", "$defs", "oneOf", "allOf", "const", "exclusiveMinimum"];
  const name = unknown.find((one) => one in rest);
  if (name) return [`Invalid JSON payload received. Unknown name "${name}" at 'tools[0].${at}': Cannot find field.`];
  if (Array.isArray(type)) return [`Proto field is not repeating, cannot start list. at '${at}.type'`];
  if (Array.isArray(values) && (type !== "string" || values.some((value) => typeof value !== "string"))) {
    return [`${at}.enum: only allowed for STRING type`];
  }
  if (type === "array" && items === undefined) return [`${at}.items: missing field.`];
  const inner = Object.entries(properties ?? {});
  if (type === "object" && inner.length === 0) return [`${at}.properties: should be non-empty for OBJECT type`];
  return [
    ...inner.flatMap(([key, one]) => breaches(one, `${at}.properties[${key}]`)),
    ...(Array.isArray(anyOf) ? anyOf.flatMap((one) => breaches(one, `${at}.any_of`)) : []),
    ...breaches(items, `${at}.items`),
  ];
}
