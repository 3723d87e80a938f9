/** Encodes requests for Anthropic's Messages API as JSON; each entry is encoded once. */
import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { Entry } from "../../chat/apply.ts";
import type { FilePart, Part, ToolPart } from "../../chat/message.ts";
import { never } from "../../chat/never.ts";
import type { ModelRequest } from "../../loop/model.ts";
import {
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
import { budgetOf, effortOf } from "../shared/thinking.ts";

interface AnthropicMessage {
  role: "user" | "assistant";
  /** The whole message: `{"role":…,"content":[…]}`. */
  json: string;
}

/** `messages` comes last and entries never change, so each body begins with the bytes of the previous one (C7). */
export function anthropicBody(request: ModelRequest): Uint8Array {
  const { model, system, tools, toolUse, options } = request;
  const maxTokens = typeof options["max_tokens"] === "number" ? options["max_tokens"] : (request.maxTokens ?? 8_192);
  const parameters = withOptions(
    {
      max_tokens: maxTokens,
      ...thinkingParams(request, maxTokens),
      // Caches up to the last block.
      cache_control: { type: "ephemeral" },
    },
    options,
  );
  const head = {
    model,
    stream: true,
    ...temperatureParams(request, parameters["thinking"]),
    ...parameters,
    ...(tools.length > 0 && toolUse === "none" && { tool_choice: { type: "none" } }),
    // Tools precede the system prompt in the cache, so this marker keeps both when messages change.
    ...(system && { system: [{ type: "text", text: system, cache_control: { type: "ephemeral" } }] }),
  };
  const offered = tools.length > 0 ? `,"tools":${toolsJSON(tools)}` : "";
  const before = `${encodeJson(head).slice(0, -1)}${offered},"messages":[`;
  return body(before, request.entries, { providerID: "anthropic", modelID: model });
}

const toolsJSON = memoizeByObject((tools: ModelRequest["tools"]) =>
  encodeJson(
    tools.map(({ name, description, schema }) => ({ name, description, input_schema: { ...schema, type: "object" } })),
  ),
);

const filler = message("user", [{ type: "text", text: continuePrompt }]);

/** The newest message stays open, because the next one may have the same role. */
const body = requestEncoder<AnthropicMessage, AnthropicMessage | undefined>({
  encode: encodeEntry,
  start: () => undefined,
  add(open, piece) {
    const complete = open ? [open.json] : [];
    // Every reply must follow a user message.
    if (piece.role === "assistant" && open?.role !== "user") complete.push(filler.json);
    if (piece.role === "user" && open?.role === "user") return { open: joinMessages(open, piece), complete: [] };
    return { open: piece, complete };
  },
  // A trailing reply would be continued as a prefill, which newer models reject.
  end: (open) => (open?.role === "assistant" ? [open.json, filler.json] : open ? [open.json] : []),
});

function joinMessages({ role, json }: AnthropicMessage, next: AnthropicMessage): AnthropicMessage {
  return { role, json: `${json.slice(0, -2)},${next.json.slice(next.json.indexOf("[") + 1)}` };
}

function encodeEntry(entry: Entry, how: EncodeOptions): EncodedEntry<AnthropicMessage> {
  if (entry.info.role === "user") return { pieces: piece("user", entry.parts.flatMap(userBlock)), ids: [] };
  const calls = shownCalls(entry.parts);
  // The API accepts letters, digits, _ and -; ids of other servers contain dots.
  const ids = callIDs(calls, how, (id) => /^[\w-]{1,64}$/.test(id));
  const blocks = entry.parts.flatMap((part) => replyBlock(part, how, ids));
  // A cut reply can end with thinking, which the API rejects at the end of a message.
  const end = blocks.findLastIndex(({ type }) => type === "text" || type === "tool_use");
  const results = calls.map((call) => resultBlock(call, ids));
  const pieces = [...piece("assistant", blocks.slice(0, end + 1)), ...piece("user", results)];
  return { pieces, ids: [...ids.values()] };
}

function piece(role: AnthropicMessage["role"], content: ContentBlockParam[]): AnthropicMessage[] {
  return content.length === 0 ? [] : [message(role, content)];
}

function message(role: AnthropicMessage["role"], content: ContentBlockParam[]): AnthropicMessage {
  return { role, json: encodeJson({ role, content }) };
}

function userBlock(part: Part): ContentBlockParam[] {
  const text = userText(part);
  if (text !== undefined) return [{ type: "text", text }];
  return part.type === "file" ? [fileBlock(part)] : [];
}

function fileBlock(part: FilePart) {
  const content = fileContent(part);
  switch (content.type) {
    case "text":
      return { type: "text" as const, text: content.text };
    case "image": {
      // `fileContent` returns only these four types.
      const media_type = content.mime as "image/png" | "image/jpeg" | "image/gif" | "image/webp";
      return { type: "image" as const, source: { type: "base64" as const, media_type, data: content.data } };
    }
    case "pdf": {
      const source = { type: "base64" as const, media_type: "application/pdf" as const, data: content.data };
      return { type: "document" as const, source, title: content.filename };
    }
    default:
      return never(content);
  }
}

/** Returns thinking unchanged or omits it: the API rejects thinking without this model's signature (E3). */
function replyBlock(part: Part, { own }: EncodeOptions, ids: ReadonlyMap<string, string>): ContentBlockParam[] {
  switch (part.type) {
    case "text":
      return part.text.trim() && !part.ignored ? [{ type: "text", text: part.text }] : [];
    case "reasoning": {
      if (!own) return [];
      const { signature, redacted } = part.metadata ?? {};
      if (typeof redacted === "string") return [{ type: "redacted_thinking", data: redacted }];
      return typeof signature === "string" ? [{ type: "thinking", thinking: part.text, signature }] : [];
    }
    case "tool": {
      const id = ids.get(part.id);
      return id === undefined ? [] : [{ type: "tool_use", id, name: validToolName(part), input: part.state.input }];
    }
    default:
      return [];
  }
}

function resultBlock(part: ToolPart, ids: ReadonlyMap<string, string>): ToolResultBlockParam {
  const { text, failed, files } = toolResult(part);
  const content = files.length > 0 ? [{ type: "text" as const, text }, ...files.map(fileBlock)] : text;
  return { type: "tool_result", tool_use_id: ids.get(part.id) ?? part.id, content, ...(failed && { is_error: true }) };
}

type ThinkingParams = Pick<MessageCreateParamsStreaming, "thinking" | "output_config">;

/** The API's minimum budget, and the minimum left for the reply. */
const minBudgetTokens = 1_024;

/** Adaptive from 4.6 on, which also accepts a budget; a budget from 3.7 on; else only a budget that was requested. */
// From https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking and the migration guides there.
function thinkingParams({ model, thinking, entries }: ModelRequest, maxTokens: number): ThinkingParams {
  const generation = claudeGeneration(model);
  const isBudget = typeof thinking === "object";
  if (generation >= 4.6 && !(isBudget && generation === 4.6)) {
    if (thinking === "off") return thoughtless(model, generation);
    // Newer models omit the text of their thinking by default.
    const adaptive = { thinking: { type: "adaptive" as const, display: "summarized" as const } };
    const effort = effortOf(thinking);
    return effort === undefined ? adaptive : { ...adaptive, output_config: { effort } };
  }
  const wanted = budgetOf(thinking);
  if (wanted === undefined || (generation < 3.7 && !(isBudget && generation === 0))) return {};
  const budget = Math.min(Math.max(wanted, minBudgetTokens), maxTokens - minBudgetTokens);
  return budget < minBudgetTokens || continuesUnthought(entries)
    ? {}
    : { thinking: { type: "enabled", budget_tokens: budget } };
}

/** A model with a budget cannot continue a reply that has calls but no thinking of its own, as a subtask's. */
function continuesUnthought(entries: ModelRequest["entries"]): boolean {
  const last = entries.findLast(({ info }) => info.role === "assistant");
  if (!last?.parts.some((part) => part.type === "tool")) return false;
  return !last.parts.some((part) => part.type === "reasoning" && part.metadata);
}

/** Thinking models and all after 4.6 reject a temperature. The API's maximum is 1. */
function temperatureParams({ model, temperature }: ModelRequest, thinking: unknown): { temperature?: number } {
  if (temperature === undefined || thinks(thinking) || claudeGeneration(model) > 4.6) return {};
  return { temperature: Math.min(temperature, 1) };
}

function thinks(thinking: unknown): boolean {
  return typeof thinking === "object" && thinking !== null && "type" in thinking && thinking.type !== "disabled";
}

/** Returns the parameters for the least thinking: none for 4.x, disabled for some 5.x, else low effort. */
function thoughtless(model: string, generation: number): ThinkingParams {
  if (generation < 5) return {};
  if (/sonnet/.test(model)) return { thinking: { type: generation < 5.5 ? "disabled" : "between_tools" } };
  if (/opus/.test(model) && generation < 5.5) return { thinking: { type: "disabled" } };
  return { output_config: { effort: "low" } };
}

/** Returns 4.6 for "claude-opus-4-6-20260205", 3.7 for "claude-3-7-sonnet-latest", 0 if unknown. */
function claudeGeneration(model: string): number {
  if (/claude-mythos-preview/.test(model)) return 5;
  const [, major, minor] =
    /claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model) ??
    /claude-(\d)(?:[-.](\d))?-[a-z]+/.exec(model) ??
    [];
  return major === undefined ? 0 : Number(`${major}.${minor ?? 0}`);
}
