/** api.moonshot.ai: K2.6, which may think, and K3, which always does. */
import {
  type ChatRule,
  type ChatTool,
  chatReply,
  commonChatRules,
  counted,
  eachMessage,
  positionOf,
  rule,
  type StrictBody,
} from "./chat-rules.ts";
import type { StrictProvider } from "./strict-server.ts";

const missing = (at: number) =>
  `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`;

const shared: readonly ChatRule[] = [
  rule("kimi-cli#1595, kimi-cli#2061, codewhale#2438", ({ tools = [], messages }) => {
    const later = messages.flatMap(({ tools: more }) => (Array.isArray(more) ? (more as ChatTool[]) : []));
    const found = [...tools, ...later].flatMap(({ function: { parameters } }) => flavor(parameters, "root"))[0];
    return found && `tools.function.parameters is not a valid moonshot flavored json schema, details: <${found}>`;
  }),
  rule("VideoAdGuard#34, sim#5716", ({ temperature }) =>
    temperature === undefined || temperature === 1
      ? undefined
      : "invalid temperature: only 1 is allowed for this model",
  ),
  rule("sim#5716", ({ tool_choice }) =>
    tool_choice === undefined || tool_choice === "auto" || tool_choice === "none"
      ? undefined
      : "tool_choice 'specified' is incompatible with thinking enabled",
  ),
  rule("platform.moonshot.ai vision", ({ messages }) =>
    positionOf(messages, "file") >= 0 ? "Invalid request: unsupported content type: file" : undefined,
  ),
];

/** Returns what is wrong with a schema. */
function flavor(schema: unknown, at: string): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { type, anyOf, $ref, properties = {}, items, ...rest } = schema as Record<string, unknown>; // any JSON object
  if ($ref !== undefined) {
    const beside = Object.keys(rest)[0];
    return beside === undefined ? [] : [`At path '${at}': conflicting keywords found after $ref expansion: ${beside}`];
  }
  if (Array.isArray(anyOf)) {
    if (type !== undefined) {
      return [`At path '${at}': when using anyOf, type should be defined in anyOf items instead of the parent schema`];
    }
    return anyOf.flatMap((one) => flavor(one, at));
  }
  if (typeof type !== "string") return [`At path '${at}': type is not defined`];
  const inside = Object.entries(properties ?? {}).flatMap(([name, one]) => flavor(one, `properties.${name}`));
  return [...inside, ...(items === undefined ? [] : flavor(items, `${at}.items`))];
}

function refuse(message: string) {
  return { status: 400, body: { error: { message: `Invalid request: ${message}`, type: "invalid_request_error" } } };
}

export const kimiK2: StrictProvider<StrictBody> = {
  providerID: "moonshot",
  model: "kimi-k2.6",
  basePath: "/v1",
  rules: [
    rule("llmgateway#2093, pi#4178, axonhub#686", ({ messages, thinking }) => {
      if (typeof thinking === "object" && thinking !== null && "type" in thinking && thinking.type === "disabled") {
        return undefined;
      }
      const at = messages.findIndex(({ tool_calls, reasoning_content }) => tool_calls && !reasoning_content);
      return at < 0 ? undefined : missing(at);
    }),
    rule("nanobot#3939", ({ thinking, reasoning_effort }) =>
      thinking !== undefined && reasoning_effort !== undefined
        ? "thinking and reasoning_effort cannot be used at the same time"
        : undefined,
    ),
    eachMessage("pydantic-ai#6977", ({ tools }) => (tools === undefined ? undefined : "tokenization failed")),
    ...shared,
    ...commonChatRules,
  ],
  refuse,
  reply: (reply) =>
    chatReply(
      reply,
      {
        thinking: (reasoning_content) => ({ reasoning_content }),
        callID: counted("functions.read:"),
        usage: { cached_tokens: 100 },
      },
      "kimi-k2.6",
    ),
};

export const kimiK3: StrictProvider<StrictBody> = {
  ...kimiK2,
  model: "kimi-k3.1-pro",
  rules: [
    rule("opencode-kimi-full#11, flocks#620", ({ thinking }) =>
      thinking === undefined ? undefined : "unknown parameter: thinking",
    ),
    rule("flocks#620", ({ reasoning_effort }) =>
      reasoning_effort === undefined || /^(low|high|max)$/.test(String(reasoning_effort))
        ? undefined
        : `reasoning_effort must be one of low, high, max`,
    ),
    rule("opencode-kimi-full#11", ({ messages }) => {
      const at = messages.findIndex(({ role, reasoning_content }) => role === "assistant" && !reasoning_content);
      return at < 0 ? undefined : missing(at);
    }),
    eachMessage("platform.kimi.ai use-dynamic-tool-loading; pydantic-ai#6977", ({ tools, content }, at) =>
      tools !== undefined && content !== undefined
        ? `messages[${at}]: tools and content cannot be set together`
        : undefined,
    ),
    ...shared,
    ...commonChatRules,
  ],
};
