/** xAI by its published rules. */
import { createHash } from "node:crypto";
import { chatReply, rule as chatRule, commonChatRules, counted, positionOf, type StrictBody } from "./chat-rules.ts";
import {
  commonResponsesRules,
  eachItem,
  type ResponsesBody,
  replyEvents,
  replyItems,
  rule,
} from "./responses-rules.ts";
import type { StrictProvider } from "./strict-server.ts";

/** Levels of effort; none where it is refused. [hermes#23435; earendil-works/pi-ai 1.5.2] */
const efforts: Record<string, readonly string[]> = {
  "grok-4": [],
  "grok-code-fast-1": [],
  "grok-4.3": ["none", "low", "medium", "high", "xhigh"],
  "grok-4.5": ["low", "medium", "high"],
  "grok-4.7": ["low", "medium", "high", "xhigh"],
};

export const grokModels = Object.keys(efforts);

export function xaiResponses(name: string): StrictProvider<ResponsesBody> {
  const levels = efforts[name] ?? [];
  const issued = new Set<string>();
  return {
    providerID: "xai",
    model: name,
    basePath: "/v1",
    rules: [
      {
        source: "docs.x.ai best-practices: Chat Completions is deprecated and loses all thoughts",
        breach: ({ path }) => (path === "/v1/responses" ? undefined : `Not found: ${path}`),
      },
      ...commonResponsesRules,
      rule("docs.x.ai reasoning; open-webui#21266", (body) => {
        const refused = ["presence_penalty", "frequency_penalty", "stop", "instructions"].find(
          (field) => field in body,
        );
        return refused && `Argument not supported on this model: ${refused}`;
      }),
      rule("hermes#23435; CLIProxyAPI#3968", ({ reasoning }) =>
        reasoning?.effort === undefined || levels.includes(reasoning.effort)
          ? undefined
          : `Model ${name} does not support parameter reasoningEffort.`,
      ),
      rule("oh-my-pi#7454", ({ reasoning }) =>
        reasoning?.summary === undefined ? undefined : "Argument not supported: reasoning.summary",
      ),
      rule("docs.x.ai best-practices", ({ prompt_cache_key: key }) =>
        typeof key === "string" ? undefined : "prompt_cache_key is missing: nothing would be cached",
      ),
      rule("function tools and built-in ones alone are documented", ({ tools = [], input }) => {
        const types = [...tools, ...input.flatMap((item) => item.tools ?? [])].map(({ type }) => type);
        return types.some((type) => type !== "function") ? "unknown variant `custom`, expected `function`" : undefined;
      }),
      eachItem("docs.x.ai reasoning", ({ type, encrypted_content }) => {
        if (type !== "reasoning") return undefined;
        return issued.has(encrypted_content ?? "") ? undefined : "Failed to decrypt encrypted_content.";
      }),
      eachItem("docs.x.ai responses", ({ type, role }, at) =>
        type === "additional_tools" || role === "developer" ? `input[${at}]: unknown variant` : undefined,
      ),
      eachItem("docs.x.ai image-understanding: pictures stand in user messages", ({ output }, at) =>
        Array.isArray(output) && output.some(({ type }) => type !== "input_text")
          ? `input[${at}].output: unknown variant \`input_image\``
          : undefined,
      ),
    ],
    refuse: (words) => ({ status: 400, body: { code: "Client specified an invalid argument", error: words } }),
    reply({ blocks }, request) {
      const items = replyItems(blocks, request);
      for (const { item } of items) {
        if (item.type !== "reasoning") continue;
        item.encrypted_content = createHash("sha256").update(item.id).digest("base64");
        issued.add(item.encrypted_content);
      }
      return replyEvents(items);
    },
  };
}

/** Chat Completions, deprecated and without thoughts. */
export function xaiChat(): StrictProvider<StrictBody> {
  return {
    providerID: "xai",
    model: "grok-4",
    basePath: "/v1",
    rules: [
      chatRule("docs.x.ai reasoning; open-webui#21266", (body) => {
        const refused = ["presence_penalty", "frequency_penalty", "stop"].find((field) => field in body);
        return refused && `Argument not supported on this model: ${refused}`;
      }),
      chatRule("hermes#23435", ({ reasoning_effort }) =>
        reasoning_effort === undefined ? undefined : "Model grok-4 does not support parameter reasoningEffort.",
      ),
      chatRule("docs.x.ai chat: documents are not taken in messages", ({ messages }) =>
        positionOf(messages, "file") >= 0
          ? "messages: unknown variant `file`, expected `text` or `image_url`"
          : undefined,
      ),
      ...commonChatRules,
    ],
    refuse: (words) => ({ status: 400, body: { code: "Client specified an invalid argument", error: words } }),
    // Reasoning tokens are beside `completion_tokens`.
    reply: (reply) =>
      chatReply(
        reply,
        {
          thinking: (reasoning_content) => ({ reasoning_content }),
          callID: counted("call_"),
          usage: { completion_tokens_details: { reasoning_tokens: 30 } },
        },
        "grok-4",
      ),
  };
}
