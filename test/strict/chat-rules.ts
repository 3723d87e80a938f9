/** What all servers of Chat Completions demand, and how they stream. */
import * as z from "zod/mini";
import type { Block } from "../model-server/encode.ts";
import type { ScriptedReply, StrictRule } from "./strict-server.ts";

interface ChatContent {
  type: string;
  text?: string;
  cache_control?: unknown;
}

interface ChatCall {
  id: string;
  type: string;
  function: { name: string; arguments: string };
  extra_content?: { google?: { thought_signature?: string } };
}

export interface StrictMessage extends Record<string, unknown> {
  role: string;
  content?: string | null | ChatContent[];
  tool_calls?: ChatCall[];
  tool_call_id?: string;
}

export interface ChatTool {
  type: string;
  function: { name: string; description?: string; parameters?: Record<string, unknown> };
}

export interface StrictBody extends Record<string, unknown> {
  model: string;
  messages: StrictMessage[];
  tools?: ChatTool[];
}

export type ChatRule = StrictRule<StrictBody>;

/** A rule about single messages. */
export function eachMessage(
  source: string,
  breach: (message: StrictMessage, at: number, all: readonly StrictMessage[]) => string | undefined,
): ChatRule {
  return {
    source,
    breach: ({ body: { messages } }) => messages.map(breach).find((words) => words !== undefined),
  };
}

export function rule(source: string, breach: (body: StrictBody) => string | undefined): ChatRule {
  return { source, breach: ({ body }) => breach(body) };
}

const reference = "platform.openai.com/docs/api-reference/chat/create";
const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

/** Rules that OpenAI's reference has and compatible servers share. */
export const commonChatRules: readonly ChatRule[] = [
  rule(reference, ({ messages }) => (messages.length > 0 ? undefined : "[] is too short - 'messages'")),
  eachMessage(reference, ({ role }, at) =>
    /^(system|user|assistant|tool)$/.test(role) ? undefined : `'${role}' is not one of the roles - 'messages.${at}'`,
  ),
  rule(reference, callsAndResults),
  eachMessage(reference, ({ role, content, tool_calls }, at) => {
    if (role !== "assistant" || tool_calls?.length) return undefined;
    return hasText(content) ? undefined : `messages[${at}]: content or tool_calls must be set`;
  }),
  eachMessage(reference, ({ role, content }, at) =>
    (role === "user" || role === "tool") && !hasContent(content) ? `messages[${at}].content is missing` : undefined,
  ),
  rule(reference, ({ messages }) =>
    messages.at(-1)?.role === "assistant" ? "the last message must not be the assistant's" : undefined,
  ),
  rule(reference, ({ tools }) => {
    if (tools === undefined) return undefined;
    if (tools.length === 0) return "[] is too short - 'tools'";
    const names = tools.map(({ function: { name } }) => name);
    if (new Set(names).size < names.length) return "tools: names must be unique";
    return names.find((name) => !toolName.test(name));
  }),
  rule(reference, ({ tools = [] }) => {
    const wrong = tools.find(({ function: { parameters } }) => parameters && parameters["type"] !== "object");
    return wrong && `Invalid schema for function '${wrong.function.name}': schema must be of type "object"`;
  }),
  rule(reference, ({ max_tokens, max_completion_tokens }) => {
    const wrong = [max_tokens, max_completion_tokens].find((value) => value !== undefined && !isCount(value));
    return wrong === undefined ? undefined : `max_tokens: ${wrong} is not a positive integer`;
  }),
  {
    source: "RFC 8259, section 8.2; refused by servers in Rust and Python",
    breach: ({ raw }) =>
      /(?<!\\)(?:\\\\)*\\ud[89ab]..(?!\\ud[c-f])/i.test(raw) ? "lone surrogate in hex escape" : undefined,
  },
];

function callsAndResults({ messages }: StrictBody): string | undefined {
  const used = new Set<string>();
  let open: string[] = [];
  for (const [at, { role, tool_calls = [], tool_call_id = "" }] of messages.entries()) {
    if (role === "tool") {
      if (!open.includes(tool_call_id)) {
        return `messages with role 'tool' must be a response to a preceding message with 'tool_calls' (messages[${at}])`;
      }
      open = open.filter((id) => id !== tool_call_id);
      continue;
    }
    if (open.length > 0) {
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`;
    }
    for (const { id, type, function: called } of tool_calls) {
      if (used.has(id)) return `Duplicate value for 'tool_call_id' of '${id}'`;
      if (id === "" || type !== "function" || !toolName.test(called.name)) return `messages[${at}].tool_calls: invalid`;
      if (!isObject(called.arguments)) return `messages[${at}].tool_calls: arguments must be a JSON object`;
      used.add(id);
      open.push(id);
    }
  }
  return open.length > 0 ? "the last calls have no results" : undefined;
}

function isObject(json: string): boolean {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(json)).success;
  } catch {
    return false;
  }
}

function hasText(content: StrictMessage["content"]): boolean {
  return typeof content === "string" ? content.trim() !== "" : (content ?? []).length > 0;
}

function hasContent(content: StrictMessage["content"]): boolean {
  return typeof content === "string" ? content !== "" : (content ?? []).length > 0;
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0;
}

/** Returns the position of the first message with a part of this type. */
export function positionOf(messages: readonly StrictMessage[], type: string): number {
  return messages.findIndex(({ content }) => Array.isArray(content) && content.some((part) => part.type === type));
}

/** A server that takes no files. */
export function noFiles(source: string, words: string): ChatRule {
  return rule(source, ({ messages }) => (positionOf(messages, "file") >= 0 ? words : undefined));
}

/** A model that takes no images, which nobody can know before. */
export function noImages(source: string, words: string): ChatRule {
  return {
    ...rule(source, ({ messages }) => (positionOf(messages, "image_url") >= 0 ? words : undefined)),
    isUnknowable: true,
  };
}

/** How a server's stream differs from OpenAI's. */
export interface ChatForm {
  thinking: (text: string) => object;
  callID: () => string;
  /** Further fields of the first fragment of a call; `position` counts the calls of the reply. */
  call?: (position: number) => object;
  usage?: object;
  text?: (text: string) => object;
}

const created = { created: 1_790_000_000, object: "chat.completion.chunk" };

/** Streams a reply with its thoughts first, calls in fragments, and the usage at the end. */
export function chatReply({ blocks }: ScriptedReply, form: ChatForm, model: string): string[] {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...created,
    id: "chatcmpl-1",
    model,
    choices: [{ index: 0, delta, finish_reason }],
  });
  let position = 0;
  const deltas = blocks.flatMap((block) => {
    if ("text" in block) return [form.text?.(block.text) ?? { content: block.text }];
    if ("thinking" in block) return halves(block.thinking).map(form.thinking);
    return "call" in block ? callDeltas(block.call, position++, form) : [];
  });
  const usage = { prompt_tokens: 200, completion_tokens: 20, total_tokens: 220, ...form.usage };
  return [
    chunk({ role: "assistant", content: "" }),
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, position > 0 ? "tool_calls" : "stop"),
    { ...created, id: "chatcmpl-1", model, choices: [], usage },
  ]
    .map((data) => `data: ${JSON.stringify(data)}\n\n`)
    .concat("data: [DONE]\n\n");
}

function callDeltas(call: Extract<Block, { call: object }>["call"], position: number, form: ChatForm): object[] {
  const { name, input = {}, raw = JSON.stringify(input) } = call;
  const first = { index: position, id: call.id ?? form.callID(), type: "function", ...form.call?.(position) };
  const pieces = halves(raw).map((text) => ({ index: position, function: { arguments: text } }));
  return [{ ...first, function: { name, arguments: "" } }, ...pieces].map((piece) => ({ tool_calls: [piece] }));
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
}

let count = 0;

/** Makes ids that no two replies share: "call_1". */
export function counted(prefix: string): () => string {
  return () => `${prefix}${++count}`;
}
