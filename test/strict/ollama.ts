/** Ollama with both of its ways: its own /api/chat, and /v1, each with a model that takes text alone. */
import type { Block } from "../model-server/encode.ts";
import { chatReply, commonChatRules, counted, noFiles, noImages, type StrictBody } from "./chat-rules.ts";
import type { ScriptedReply, StrictProvider, StrictRule } from "./strict-server.ts";

const textModel = "this model does not support image input (ref: b8bd630e-4a39-4b57-82af-9158ee9d5703)";

export const ollamaCompatible: StrictProvider<StrictBody> = {
  providerID: "ollama",
  model: "glm-5.2:cloud",
  api: "chat",
  basePath: "/v1",
  rules: [
    noImages("ollama#17301", textModel),
    noFiles("ollama openai/openai.go", "invalid message format"),
    ...commonChatRules,
  ],
  refuse: (message) => ({
    status: 400,
    body: { error: { message, type: "invalid_request_error", param: null, code: null } },
  }),
  reply: (reply) =>
    chatReply(reply, { thinking: (reasoning) => ({ content: "", reasoning }), callID: counted("call_") }, "glm-5.2"),
};

export interface OllamaBody {
  model: string;
  messages: OllamaMessage[];
  tools?: { type: string; function: { name: string; description?: unknown; parameters?: unknown } }[];
  stream?: unknown;
  think?: unknown;
  truncate?: unknown;
  options?: Record<string, unknown>;
}

interface OllamaMessage {
  role: string;
  content?: unknown;
  thinking?: unknown;
  images?: unknown;
  tool_calls?: { id?: unknown; function: { name?: unknown; arguments?: unknown } }[];
  tool_name?: unknown;
  tool_call_id?: unknown;
}

type Rule = StrictRule<OllamaBody>;

function rule(source: string, breach: (body: OllamaBody) => string | undefined): Rule {
  return { source, breach: ({ body }) => breach(body) };
}

function eachMessage(
  source: string,
  breach: (message: OllamaMessage, at: number, all: readonly OllamaMessage[]) => string | undefined,
): Rule {
  return rule(source, ({ messages }) => messages.map(breach).find((words) => words !== undefined));
}

const types = "ollama api/types.go";
const isText = (value: unknown) => value === undefined || typeof value === "string";
const mistyped = (field: string, type: string) =>
  `json: cannot unmarshal value into Go struct field ${field} of type ${type}`;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns what Go's types do not take in a schema of a tool's arguments (ollama#10328, #14256, #18051). */
function schemaBreach(schema: unknown): string | undefined {
  if (!isObject(schema)) return mistyped("ToolFunctionParameters", "api.ToolProperty");
  const { type, required = [], properties = {}, anyOf = [], enum: values = [], description } = schema;
  const isType = isText(type) || (Array.isArray(type) && type.every((one) => typeof one === "string"));
  if (!isType) return mistyped("tools.function.parameters.type", "string");
  if (!Array.isArray(required) || !required.every((name) => typeof name === "string"))
    return mistyped("ToolFunctionParameters.required", "[]string");
  if (!isObject(properties)) return mistyped("tools.function.parameters.properties", "map[string]api.ToolProperty");
  if (!Array.isArray(anyOf) || !Array.isArray(values)) return mistyped("ToolProperty.anyOf", "[]api.ToolProperty");
  if (!isText(description)) return mistyped("ToolProperty.description", "string");
  // Not refused, but dropped: the model would not see what it may send (ollama#11444).
  const dropped = ["$ref", "allOf", "oneOf", "const"].find((name) => name in schema);
  if (dropped !== undefined) return `${dropped} would be dropped`;
  return [...Object.values(properties), ...anyOf].map(schemaBreach).find((words) => words !== undefined);
}

/** The rules of one conversation's server: it loads the model with the window of the first request. */
function nativeRules(): readonly Rule[] {
  let window: unknown;
  return [
    {
      ...rule("ollama#17301", ({ messages }) => (messages.some(({ images }) => images) ? textModel : undefined)),
      isUnknowable: true,
    },
    eachMessage(types, ({ content, thinking }) =>
      isText(content) && isText(thinking) ? undefined : mistyped("ChatRequest.messages.content", "string"),
    ),
    eachMessage(types, ({ images = [] }) => {
      const isData = (image: unknown) => typeof image === "string" && /^[A-Za-z0-9+/]+={0,2}$/.test(image);
      return Array.isArray(images) && images.every(isData) ? undefined : "illegal base64 data at input byte 4";
    }),
    eachMessage(types, ({ tool_calls = [] }) => {
      const isCall = ({ function: called }: (typeof tool_calls)[number]) =>
        typeof called.name === "string" && isObject(called.arguments);
      return tool_calls.every(isCall)
        ? undefined
        : mistyped("ToolCallFunction.arguments", "api.ToolCallFunctionArguments");
    }),
    rule(types, ({ tools = [] }) => tools.map((tool) => schemaBreach(tool.function.parameters)).find(Boolean)),
    rule("ollama docs/api.md, crush#2623", ({ think }) =>
      think === undefined || typeof think === "boolean" || /^(low|medium|high|max)$/.test(String(think))
        ? undefined
        : `think value "${think}" is not supported for this model`,
    ),
    rule("ollama docs/api.md", ({ messages, stream }) =>
      messages.length > 0 && stream === true ? undefined : "messages and a stream are wanted",
    ),
    // The templates of models, which llama.cpp runs since 0.30.
    eachMessage("ollama docs/capabilities/tool-calling", ({ role, tool_name, tool_call_id }, at, all) => {
      if (!/^(system|user|assistant|tool)$/.test(role)) return `invalid role: ${role}`;
      if (role !== "tool") return undefined;
      const asked = all.slice(0, at).findLast((one) => one.role === "assistant")?.tool_calls ?? [];
      const isAnswer = asked.some(({ id, function: called }) => id === tool_call_id && called.name === tool_name);
      return isAnswer ? undefined : `messages[${at}]: a result without its call`;
    }),
    eachMessage("ollama#18107", ({ role }, at, all) =>
      role === "assistant" && !/^(user|tool)$/.test(all[at - 1]?.role ?? "")
        ? "no user query found in messages"
        : undefined,
    ),
    rule("ollama docs/api.md", ({ messages }) =>
      messages.at(-1)?.role === "assistant" ? "the model would continue its last reply" : undefined,
    ),
    rule("ollama docs/context-length, #17944", ({ options = {}, truncate }) => {
      const { num_ctx, num_predict = 1 } = options;
      if (!Number.isInteger(num_ctx) || !Number.isInteger(num_predict)) return "options: integers are wanted";
      window ??= num_ctx;
      if (window !== num_ctx) return `the model would be loaded anew, with ${num_ctx} for ${window}`;
      return truncate === false ? undefined : "the request would be cut silently";
    }),
  ];
}

/** Lines of a reply: thoughts and words in pieces, each call whole (ollama docs/api.md). */
export function ollamaLines({ blocks }: Pick<ScriptedReply, "blocks">, callID = counted("call_")): string[] {
  const frame = { model: "qwen3.5:9b", created_at: "2026-11-01T10:00:00.000000Z" };
  const messages = blocks.flatMap((block): object[] => {
    if ("text" in block) return halves(block.text).map((content) => ({ content }));
    if ("thinking" in block) return halves(block.thinking).map((thinking) => ({ content: "", thinking }));
    if (!("call" in block)) return [];
    const called = { index: 0, name: block.call.name, arguments: argumentsOf(block.call) };
    return [{ content: "", tool_calls: [{ id: block.call.id ?? callID(), function: called }] }];
  });
  const counts = { prompt_eval_count: 200, prompt_eval_cached_count: 150, eval_count: 20, total_duration: 9 };
  return [
    ...messages.map((message) => ({ ...frame, message: { role: "assistant", ...message }, done: false })),
    { ...frame, message: { role: "assistant", content: "" }, done: true, done_reason: "stop", ...counts },
  ].map((line) => `${JSON.stringify(line)}\n`);
}

/** Ollama parses what the model wrote, and sends an object. */
function argumentsOf({ input, raw = "" }: Extract<Block, { call: object }>["call"]): unknown {
  try {
    return input ?? JSON.parse(raw);
  } catch {
    return {};
  }
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
}

export function ollamaNative(): StrictProvider<OllamaBody> {
  return {
    providerID: "ollama",
    model: "qwen3.5:9b",
    basePath: "/v1",
    native: { path: "/api/chat", contentType: "application/x-ndjson" },
    rules: nativeRules(),
    refuse: (error) => ({ status: 400, body: { error } }),
    reply: (reply) => ollamaLines(reply),
  };
}
