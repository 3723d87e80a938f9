/** A request as Chat Completions wants it, as JSON text: each entry is turned into its piece of it once. */
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageFunctionToolCall,
} from "openai/resources/chat/completions/completions";
import type { Entry } from "../apply.ts";
import type { FilePart, Part, ToolPart } from "../message.ts";
import type { ModelRequest } from "../model.ts";
import { never } from "../never.ts";
import { callData, fileContent, remember, toolResult } from "./entries.ts";

/** User content stays in parts until neighbours are joined; other messages are JSON already. */
type Piece =
  | { role: "user"; content: ChatCompletionContentPart[] }
  | { role: "assistant"; json: string }
  | { role: "tool"; json: string };

/**
 * The body of a request. `messages` comes last, and what is said of an entry never changes, so that each body begins
 * with the bytes of the one before it, up to the newest messages (C7).
 */
export function requestBody(request: ModelRequest, isOpenAI: boolean): string {
  const { model, system, tools, maxTokens, thinking } = request;
  const head: Omit<ChatCompletionCreateParamsStreaming, "messages"> = {
    model,
    stream: true,
    stream_options: { include_usage: true },
    // OpenAI's newer models refuse the old name; other servers may not know the new one.
    ...(maxTokens !== undefined && (isOpenAI ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens })),
    ...(thinking !== "default" && thinking !== "off" && { reasoning_effort: thinking }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, schema }) => ({
        type: "function" as const,
        function: { name, description, parameters: schema },
      })),
    }),
  };
  return `${JSON.stringify(head).slice(0, -1)},"messages":[${messages(system, request.entries).join(",")}]}`;
}

function messages(system: string, entries: readonly Entry[]): string[] {
  const out = system ? [JSON.stringify({ role: "system", content: system })] : [];
  let open: ChatCompletionContentPart[] = [];
  let last: Piece["role"] | undefined;
  const close = () => {
    if (open.length > 0) out.push(userMessage(open));
    open = [];
  };
  for (const piece of entries.flatMap(pieces)) {
    last = piece.role;
    if (piece.role === "user") {
      open.push(...piece.content);
    } else {
      close();
      out.push(piece.json);
    }
  }
  close();
  // Servers would continue an open reply at the end, or refuse it.
  if (last === "assistant") out.push(userMessage([text("Go on.")]));
  return out;
}

/** Plain text goes as a string: small servers know no parts. */
function userMessage(content: ChatCompletionContentPart[]): string {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return JSON.stringify({ role: "user", content: texts.length === content.length ? texts.join("\n\n") : content });
}

const pieces = remember((entry: Entry): Piece[] => {
  if (entry.info.role === "user") {
    const content = entry.parts.flatMap(userContent);
    return content.length > 0 ? [{ role: "user", content }] : [];
  }
  const calls = entry.parts.filter((part) => part.type === "tool");
  const said = entry.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  if (calls.length === 0 && !said.trim()) return [];
  const reply: ChatCompletionAssistantMessageParam = {
    role: "assistant",
    ...reasoning(entry.parts, calls.length > 0),
    content: said || null,
    ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
  };
  const results = calls.map((part): Piece => {
    const { text, failed } = toolResult(part);
    const result = { role: "tool", tool_call_id: part.callID, content: failed ? `Error: ${text}` : text };
    return { role: "tool", json: JSON.stringify(result) };
  });
  // A `tool` message holds text alone: what else the results have follows as the user's.
  const files = calls.flatMap((part) => toolResult(part).files.map(fileContentPart));
  const attached: Piece[] =
    files.length > 0 ? [{ role: "user", content: [text("(Attached by the tools above.)"), ...files] }] : [];
  return [{ role: "assistant", json: JSON.stringify(reply) }, ...results, ...attached];
});

function text(said: string): ChatCompletionContentPart {
  return { type: "text", text: said };
}

function userContent(part: Part): ChatCompletionContentPart[] {
  if (part.type === "text" && !part.ignored && part.text.trim()) return [text(part.text)];
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

/** With what the provider wants back beside it, such as Gemini's thought signature. */
function toolCall(part: ToolPart): ChatCompletionMessageFunctionToolCall {
  const called = { name: part.tool, arguments: JSON.stringify(part.state.input) };
  return { ...callData(part), id: part.callID, type: "function", function: called };
}

/**
 * Reasoning goes back to servers that ask for it: OpenRouter its details, unchanged; DeepSeek, Kimi and others that say
 * `reasoning_content` that text, but only with calls, without which DeepSeek refuses it.
 */
function reasoning(parts: readonly Part[], hasCalls: boolean): Record<string, unknown> {
  const reasons = parts.filter((part) => part.type === "reasoning");
  const details = reasons.flatMap(({ metadata }) => metadata?.["reasoning_details"] ?? []);
  if (details.length > 0) return { reasoning_details: details };
  const own = reasons.filter(({ metadata }) => metadata?.["field"] === "reasoning_content");
  return hasCalls && own.length > 0 ? { reasoning_content: own.map((part) => part.text).join("") } : {};
}
