/** openrouter.ai with several upstreams behind it, whose words stand in `metadata.raw`. */
import {
  type ChatRule,
  chatReply,
  commonChatRules,
  counted,
  eachMessage,
  positionOf,
  rule,
  type StrictBody,
} from "./chat-rules.ts";
import type { StrictProvider } from "./strict-server.ts";

const caching = "openrouter.ai/docs/guides/best-practices/prompt-caching";

/** A server that knows the details it has given out. */
function upstream(model: string, own: readonly ChatRule[]): StrictProvider<StrictBody> {
  const issued = new Set<string>();
  return {
    providerID: "openrouter",
    model,
    basePath: "/api/v1",
    rules: [
      ...own,
      eachMessage("open-webui#28240", ({ reasoning_details: details }) => {
        if (!Array.isArray(details)) return undefined;
        return details.every((detail) => issued.has(String(detail.signature)))
          ? undefined
          : "Invalid `signature` in `thinking` block";
      }),
      rule("openrouter.ai/docs reasoning-tokens", ({ reasoning, reasoning_effort }) =>
        reasoning !== undefined && reasoning_effort !== undefined
          ? 'Only one of "reasoning" and "reasoning_effort" may be provided'
          : undefined,
      ),
      ...commonChatRules,
    ],
    refuse: (raw) => ({
      status: 400,
      body: { error: { code: 400, message: "Provider returned error", metadata: { raw, provider_name: "Upstream" } } },
    }),
    reply(reply) {
      const signature = `sig${issued.size}`;
      issued.add(signature);
      const detail = (more: object) => ({ type: "reasoning.text", format: "x", index: 0, ...more });
      const thinks = reply.blocks.some((block) => "thinking" in block);
      const events = chatReply(
        reply,
        {
          thinking: (text) => ({ reasoning: text, reasoning_details: [detail({ text })] }),
          callID: counted("toolu_"),
          usage: { cost: 0.0012, prompt_tokens_details: { cached_tokens: 50, cache_write_tokens: 10 } },
        },
        model,
      );
      const end = { choices: [{ index: 0, delta: { reasoning_details: [detail({ signature })] } }] };
      const last = events.findLastIndex((event) => event.includes('"reasoning_details"'));
      const signed = `data: ${JSON.stringify(end)}\n\n`;
      return [": OPENROUTER PROCESSING\n\n", ...(thinks ? events.toSpliced(last + 1, 0, signed) : events)];
    },
  };
}

const marksNeeded = rule(caching, (body) => {
  const marks = JSON.stringify(body).split('"cache_control"').length - 1;
  return marks > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.` : undefined;
});

const calls = eachMessage("platform.claude.com tool use", ({ tool_calls = [] }) => {
  const wrong = tool_calls.find(({ id }) => !/^[a-zA-Z0-9_-]+$/.test(id));
  return wrong && `messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
});

const textOnly = rule("hermes-agent#23411", ({ messages }) =>
  positionOf(messages, "image_url") >= 0 ? "No endpoints found that support image input" : undefined,
);

export const openrouterClaude = () => upstream("anthropic/claude-sonnet-5.5", [marksNeeded, calls]);

export const openrouterQwen = () => upstream("qwen/qwen3.8-max", [marksNeeded]);

export const openrouterDeepSeek = () =>
  upstream("deepseek/deepseek-v4-pro", [
    textOnly,
    rule("pi-ai 1.5.2, openrouter.json", ({ messages }) =>
      messages.every(
        ({ role, reasoning, reasoning_content, reasoning_details }) =>
          role !== "assistant" || [reasoning, reasoning_content, reasoning_details].some((one) => one !== undefined),
      )
        ? undefined
        : "The `reasoning_content` in the thinking mode must be passed back to the API.",
    ),
  ]);

export const openrouterMistral = () =>
  upstream("mistralai/mistral-medium-3-5", [
    eachMessage("opencode#1680", ({ tool_calls = [] }) => {
      const wrong = tool_calls.find(({ id }) => !/^[a-zA-Z0-9]{9}$/.test(id));
      return wrong && `Tool call id was ${wrong.id} but must be a-z, A-Z, 0-9, with a length of 9.`;
    }),
    eachMessage("hermes-agent#84944", ({ role }, at, all) =>
      role === "user" && all[at - 1]?.role === "tool" ? "Unexpected role 'user' after role 'tool'" : undefined,
    ),
  ]);
