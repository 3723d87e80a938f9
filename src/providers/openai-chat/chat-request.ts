/** Encodes requests for Chat Completions as JSON; each entry is encoded once. */
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionMessageFunctionToolCall,
} from "openai/resources/chat/completions/completions";
import type { Entry } from "../../chat/apply.ts";
import type { FilePart, Part, ToolPart } from "../../chat/message.ts";
import { never } from "../../chat/never.ts";
import type { ModelRequest } from "../../loop/model.ts";
import {
  callData,
  callIDs,
  continuePrompt,
  type EncodedEntry,
  type EncodeOptions,
  encodeJson,
  fileContent,
  memoizeByObject,
  shownCalls,
  toolResult,
  userText,
  validToolName,
  withOptions,
} from "../shared/entry-content.ts";
import { requestEncoder } from "../shared/request-bytes.ts";
import { effortOf } from "../shared/thinking.ts";

/** User content stays in parts until adjacent messages are joined; other messages are already JSON. */
type ChatMessage =
  | { role: "user"; content: ChatCompletionContentPart[] }
  | { role: "assistant"; json: string }
  | { role: "tool"; json: string };

/** `messages` comes last and entries never change, so each body begins with the bytes of the previous one (C7). */
export function chatBody(request: ModelRequest, isOpenAI: boolean): Uint8Array {
  const { model, system, tools, toolUse, maxTokens, temperature, thinking, options } = request;
  const effort = effortOf(thinking);
  const parameters = {
    stream_options: { include_usage: true },
    // OpenAI's newer models reject the old name; other servers may not support the new one.
    ...(maxTokens !== undefined && (isOpenAI ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens })),
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(temperature !== undefined && !reasons.test(model) && { temperature }),
  };
  const head = {
    model,
    stream: true,
    ...withOptions(parameters, options),
    ...(tools.length > 0 && toolUse === "none" && { tool_choice: "none" }),
  };
  const first = system ? `${encodeJson({ role: "system", content: system })},` : "";
  const offered = tools.length > 0 ? `,"tools":${toolsJSON(tools)}` : "";
  const before = `${encodeJson(head).slice(0, -1)}${offered},"messages":[${first}`;
  return body(before, request.entries, { providerID: "openai", modelID: model });
}

const toolsJSON = memoizeByObject((tools: ModelRequest["tools"]) =>
  encodeJson(
    tools.map(({ name, description, schema }) => ({
      type: "function",
      function: { name, description, parameters: schema },
    })),
  ),
);

/** OpenAI's reasoning models reject a temperature, also behind gateways. */
const reasons = /(^|\/)(o\d|gpt-5)/;

interface OpenUserMessage {
  content: readonly ChatCompletionContentPart[];
  last: ChatMessage["role"] | undefined;
}

const body = requestEncoder<ChatMessage, OpenUserMessage>({
  encode: encodeEntry,
  start: () => ({ content: [], last: undefined }),
  add({ content, last }, piece) {
    if (piece.role === "user") return { open: { content: [...content, ...piece.content], last: "user" }, complete: [] };
    // Many servers expect a user message or a result before each reply.
    const isBare = piece.role === "assistant" && last !== "user" && last !== "tool";
    const said = isBare ? [...content, text(continuePrompt)] : content;
    return { open: { content: [], last: piece.role }, complete: [...userMessages(said), piece.json] };
  },
  // Servers would continue a trailing reply, or reject it.
  end: ({ content, last }) => userMessages(last === "assistant" ? [...content, text(continuePrompt)] : content),
});

/** Encodes plain text as a string, because small servers do not support parts. */
function userMessages(content: readonly ChatCompletionContentPart[]): string[] {
  if (content.length === 0) return [];
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return [encodeJson({ role: "user", content: texts.length === content.length ? texts.join("\n\n") : content })];
}

function encodeEntry(entry: Entry, how: EncodeOptions): EncodedEntry<ChatMessage> {
  if (entry.info.role === "user") {
    const content = entry.parts.flatMap(userContent);
    return { pieces: content.length > 0 ? [{ role: "user", content }] : [], ids: [] };
  }
  const { own } = how;
  const calls = shownCalls(entry.parts);
  const said = entry.parts.flatMap((part) => (part.type === "text" && !part.ignored ? [part.text] : [])).join("");
  if (calls.length === 0 && !said.trim()) return { pieces: [], ids: [] };
  // OpenAI accepts up to 40 characters; a model gets its own ids back unchanged.
  const ids = callIDs(calls, how, (id) => own || id.length <= 40);
  const reply: ChatCompletionAssistantMessageParam = {
    role: "assistant",
    ...(own && reasoning(entry.parts, calls.length > 0)),
    content: said.trim() ? said : null,
    ...(calls.length > 0 && { tool_calls: calls.map((call) => toolCall(call, ids, own)) }),
  };
  const results = calls.map((call): ChatMessage => {
    const { text, failed } = toolResult(call);
    const result = { role: "tool", tool_call_id: ids.get(call.id), content: failed ? `Error: ${text}` : text };
    return { role: "tool", json: encodeJson(result) };
  });
  // A `tool` message contains only text, so files follow in a user message.
  const files = calls.flatMap((part) => toolResult(part).files.map(fileContentPart));
  const attached: ChatMessage[] =
    files.length > 0 ? [{ role: "user", content: [text("(Attached by the tools above.)"), ...files] }] : [];
  const pieces: ChatMessage[] = [{ role: "assistant", json: encodeJson(reply) }, ...results, ...attached];
  return { pieces, ids: [...ids.values()] };
}

function text(said: string): ChatCompletionContentPart {
  return { type: "text", text: said };
}

function userContent(part: Part): ChatCompletionContentPart[] {
  const words = userText(part);
  if (words !== undefined) return [text(words)];
  return part.type === "file" ? [fileContentPart(part)] : [];
}

function fileContentPart(part: FilePart): ChatCompletionContentPart {
  const content = fileContent(part);
  switch (content.type) {
    case "text":
      return content;
    case "image":
      return { type: "image_url", image_url: { url: content.url } };
    case "pdf":
      return { type: "file", file: { filename: content.filename, file_data: content.url } };
    default:
      return never(content);
  }
}

/** Includes data that the provider expects back, such as Gemini's thought signature. */
function toolCall(
  part: ToolPart,
  ids: ReadonlyMap<string, string>,
  own: boolean,
): ChatCompletionMessageFunctionToolCall {
  const called = { name: validToolName(part), arguments: encodeJson(part.state.input) };
  return { ...(own && callData(part)), id: ids.get(part.id) ?? part.id, type: "function", function: called };
}

/** Details go back to OpenRouter; text to DeepSeek, Kimi and others, only with calls: DeepSeek rejects it without. */
function reasoning(parts: readonly Part[], hasCalls: boolean): Record<string, unknown> {
  const reasons = parts.filter((part) => part.type === "reasoning");
  const details = reasons.flatMap(({ metadata }) => metadata?.["reasoning_details"] ?? []);
  if (details.length > 0) return { reasoning_details: details };
  const own = reasons.filter(({ metadata }) => metadata?.["field"] === "reasoning_content");
  return hasCalls && own.length > 0 ? { reasoning_content: own.map((part) => part.text).join("") } : {};
}
