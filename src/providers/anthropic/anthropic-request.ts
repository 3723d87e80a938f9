/** Encodes requests for Anthropic's Messages API as JSON; each entry is encoded once. */
import type { ContentBlockParam, ToolResultBlockParam } from "@anthropic-ai/sdk/resources/messages/messages";
import { never } from "../../base/never.ts";
import type { Entry } from "../../chat/apply.ts";
import type { FilePart, Part, ToolDefinition, ToolPart, ToolsPart } from "../../chat/message.ts";
import { notSaid, userText } from "../../chat/words.ts";
import type { ModelRequest, Thinking } from "../../loop/model.ts";
import { type MessagesRules, messagesRules, renamedOptions, unloadedTool } from "../families/messages-rules.ts";
import { objectSchema } from "../families/schema.ts";
import {
  allTools,
  callIDs,
  continuePrompt,
  type EncodedEntry,
  type EncodeOptions,
  encodeJson,
  fileContent,
  memoizeByObject,
  modelCall,
  shownCalls,
  toolResult,
  validToolName,
  withOptions,
} from "../shared/entry-content.ts";
import { requestEncoder } from "../shared/request-bytes.ts";
import { budgetOf, effortOf, tellsThinking, toldThinking } from "../shared/thinking.ts";

interface AnthropicMessage {
  role: "user" | "assistant" | "system";
  /** The whole message: `{"role":…,"content":[…]}`. */
  json: string;
  /** Number of blocks of its content. */
  blocks: number;
}

/** Changes within the conversation that have no place yet. */
interface ConversationUpdate {
  role: "update";
  blocks: object[];
  effort: ToldEffort | undefined;
}

type ToldEffort = "low" | "medium" | "high";

/** The server that is asked; Anthropic's own unless it says otherwise. */
interface BodyTarget {
  rules?: MessagesRules;
  providerID?: string;
  /** What the body begins with: the model's name, unless that stands elsewhere. */
  head?: Record<string, unknown>;
}

const usualMark = { type: "ephemeral" };

/** `messages` comes last and entries never change, so each body begins with the bytes of the previous one (C7). */
export function anthropicBody(
  request: ModelRequest,
  { rules = messagesRules(request.model), providerID = "anthropic", ...more }: BodyTarget = {},
): Uint8Array {
  const { model, system, toolUse } = request;
  const options = renamedOptions(request.options);
  const maxTokens = typeof options["max_tokens"] === "number" ? options["max_tokens"] : (request.maxTokens ?? 8_192);
  const parameters = withOptions(
    {
      max_tokens: maxTokens,
      ...thinkingParams(request, rules, maxTokens),
      // Caches up to the last block.
      ...(rules.endMark && { cache_control: usualMark }),
    },
    options,
  );
  // Marks of an hour must come before those of five minutes, so all are alike (CLIProxyAPI#3398).
  const mark = parameters["cache_control"] ?? usualMark;
  const tools = rules.toolChanges ? request.tools : allTools(request);
  const head = {
    ...(more.head ?? { model }),
    stream: true,
    ...temperatureParams(request, rules, parameters["thinking"]),
    ...parameters,
    ...(tools.length > 0 && toolUse === "none" && { tool_choice: { type: "none" } }),
    // Tools precede the system prompt in the cache, so this marker keeps both when messages change.
    ...(system && { system: [{ type: "text", text: system, cache_control: mark }] }),
  };
  const offered = tools.length > 0 ? `,"tools":${rules.toolChanges ? growingTools(tools) : toolsJSON(tools)}` : "";
  const before = `${encodeJson(head).slice(0, -1)}${offered},"messages":[`;
  const { entries, imagelessEntries } = request;
  const unboundEntries = Math.max(request.unboundEntries, brokenEntries(request, rules));
  // The effort cannot change where thinking is disabled (pi-ai 1.5.2).
  const isDisabled = parameters["thinking"] !== undefined && !thinks(parameters["thinking"]);
  const form = isDisabled ? { ...rules, effortChanges: false } : rules;
  return bodyFor(form, JSON.stringify(mark))(
    before,
    { entries, imagelessEntries, unboundEntries },
    { providerID, modelID: model },
  );
}

/** Returns the number of oldest entries whose thoughts no longer fit, because later tools changed the request's list. */
function brokenEntries({ entries }: ModelRequest, { checksPrefix, toolChanges }: MessagesRules): number {
  if (!checksPrefix || toolChanges) return 0;
  return entries.findLastIndex(({ parts }) => parts.some((part) => part.type === "tools" && part.added.length > 0)) + 1;
}

function definition({ name, description, schema }: ToolDefinition) {
  return { name, description, input_schema: objectSchema(schema) };
}

const toolsJSON = memoizeByObject((tools: ModelRequest["tools"]) => encodeJson(tools.map(definition)));
const growingTools = memoizeByObject((tools: ModelRequest["tools"]) =>
  encodeJson([...tools.map(definition), unloadedTool]),
);

/** Messages whose order is settled, and those to which more may be added. */
interface OpenMessages {
  /** Ends where the last request ended; written with the next reply, when no mark is needed there any more. */
  before: AnthropicMessage[];
  reply: AnthropicMessage | undefined;
  user: AnthropicMessage | undefined;
  updates: ConversationUpdate[];
}

/** Encoders by what matters of the rules to messages: the same for each request of a conversation. */
const bodies = new Map<string, ReturnType<typeof makeBody>>();

function bodyFor(rules: MessagesRules, mark: string): ReturnType<typeof makeBody> {
  const { systemMessages, toolChanges, effortChanges, effort, endMark } = rules;
  const form = { systemMessages, toolChanges, effortChanges, effort, endMark, mark };
  const key = JSON.stringify(form);
  const known = bodies.get(key) ?? makeBody(form);
  bodies.set(key, known);
  return known;
}

type UpdateRules = Pick<MessagesRules, "systemMessages" | "toolChanges" | "effortChanges" | "effort">;

/** `mark`: the JSON of a mark for the cache. */
function makeBody(rules: UpdateRules & { endMark: boolean; mark: string }) {
  const { endMark, mark } = rules;
  return requestEncoder<AnthropicMessage | ConversationUpdate, OpenMessages>({
    encode: (entry, how) => encodeEntry(entry, how, rules),
    start: () => ({ before: [], reply: undefined, user: undefined, updates: [] }),
    add(open, piece) {
      if (piece.role === "update") return { open: { ...open, updates: [...open.updates, piece] }, complete: [] };
      if (piece.role === "user") return { open: { ...open, user: joined(open.user, piece) }, complete: [] };
      const { before, reply } = open;
      const complete = [...before, ...(reply ? [reply] : [])].map(({ json }) => json);
      return { open: { before: asked(open), reply: piece, user: undefined, updates: [] }, complete };
    },
    end(open) {
      const { before, reply, user } = open;
      const isLong = (reply?.blocks ?? 0) + (user?.blocks ?? 0) > longStep;
      const shown = [...(isLong ? withMark(before, mark) : before), ...(reply ? [reply] : [])];
      const all = [...shown, ...(reply || user ? asked(open) : [])];
      return (endMark ? all : withMark(all, mark)).map(({ json }) => json);
    },
  });
}

/**
 * Blocks of a step beyond which the end of the last request is marked for the cache: a mark is looked for among the 20
 * blocks before another, and the request's own stands at its end.
 */
const longStep = 15;

const filler = message("user", [{ type: "text", text: continuePrompt }]);

/**
 * Returns what stands before a reply. Every reply must follow a user message, and a system message must stand between
 * the two: neither first, nor before another user message (langchain4j#5604, bifrost#5931).
 */
function asked({ user = filler, updates }: OpenMessages): AnthropicMessage[] {
  if (updates.length === 0) return [user];
  const content = updates.flatMap(({ blocks }) => blocks);
  const effort = updates.findLast((update) => update.effort !== undefined)?.effort;
  const system = { role: "system", content, ...(effort && { output_config: { effort } }) } as const;
  return [user, { role: "system", json: encodeJson(system), blocks: content.length }];
}

function joined(open: AnthropicMessage | undefined, next: AnthropicMessage): AnthropicMessage {
  if (!open) return next;
  const json = `${open.json.slice(0, -2)},${next.json.slice(next.json.indexOf("[") + 1)}`;
  return { role: "user", json, blocks: open.blocks + next.blocks };
}

/** Marks the last block that has one. */
function withMark(messages: readonly AnthropicMessage[], mark: string): AnthropicMessage[] {
  const at = messages.findLastIndex(
    ({ role, blocks, json }) => blocks > 0 && (role === "user" || json.endsWith("}]}")),
  );
  return messages.map((one, index) =>
    index === at ? { ...one, json: `${one.json.slice(0, -3)},"cache_control":${mark}}]}` } : one,
  );
}

function encodeEntry(
  entry: Entry,
  how: EncodeOptions,
  rules: UpdateRules,
): EncodedEntry<AnthropicMessage | ConversationUpdate> {
  if (entry.info.role === "user") {
    const { updates, others } = sorted(entry.parts, rules);
    const content = others.flatMap((part) => userBlock(part, how));
    return { pieces: [...piece("user", content), ...updates], ids: [] };
  }
  const calls = shownCalls(entry.parts);
  // The API accepts letters, digits, _ and -; ids of other servers contain dots.
  const ids = callIDs(calls, how, (id) => /^[\w-]{1,64}$/.test(id));
  const blocks = entry.parts.flatMap((part) => replyBlock(part, how, ids));
  // A cut reply can end with thinking, which the API rejects at the end of a message.
  const end = blocks.findLastIndex(({ type }) => type === "text" || type === "tool_use");
  const results = calls.map((call) => resultBlock(call, ids, how));
  const pieces = [...piece("assistant", blocks.slice(0, end + 1)), ...piece("user", results)];
  return { pieces, ids: [...ids.values()] };
}

/** Separates instructions to the model from the content of the user's message. */
function sorted(parts: readonly Part[], rules: UpdateRules): { updates: ConversationUpdate[]; others: Part[] } {
  const updates: ConversationUpdate[] = [];
  const others: Part[] = [];
  for (const part of parts) {
    if (part.type === "tools" && rules.toolChanges)
      updates.push({ role: "update", blocks: toolChanges(part), effort: undefined });
    else if (part.type !== "text" || !part.told || !rules.systemMessages) others.push(part);
    else {
      const effort = rules.effortChanges ? toldEffort(toldThinking(part), rules.effort) : undefined;
      const blocks = part.text.trim() ? [{ type: "text", text: part.text }] : [];
      if (effort || blocks.length > 0) updates.push({ role: "update", blocks, effort });
    }
  }
  return { updates, others };
}

function toolChanges({ added, removed }: ToolsPart): object[] {
  return [
    ...removed.map((name) => ({ type: "tool_removal", tool: { type: "tool_reference", name } })),
    ...added.map((tool) => ({
      type: "tool_addition",
      tool: { type: "tool_definition", definition: definition(tool) },
    })),
  ];
}

/** Returns the effort that the conversation has set last. */
function toldEffort(thinking: Thinking | undefined, usual: ToldEffort): ToldEffort | undefined {
  if (thinking === "default") return usual;
  return thinking === "off" ? "low" : thinking && effortOf(thinking);
}

function piece(role: "user" | "assistant", content: ContentBlockParam[]): AnthropicMessage[] {
  return content.length === 0 ? [] : [message(role, content)];
}

function message(role: "user" | "assistant", content: ContentBlockParam[]): AnthropicMessage {
  return { role, json: encodeJson({ role, content }), blocks: content.length };
}

function userBlock(part: Part, how: EncodeOptions): ContentBlockParam[] {
  const text = userText(part);
  if (text !== undefined) return [{ type: "text", text }];
  return part.type === "file" ? [fileBlock(part, how)] : [];
}

function fileBlock(part: FilePart, how: EncodeOptions) {
  const content = fileContent(part, how);
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
function replyBlock(part: Part, { own, bound }: EncodeOptions, ids: ReadonlyMap<string, string>): ContentBlockParam[] {
  switch (part.type) {
    case "text":
      return part.text.trim() && !part.ignored ? [{ type: "text", text: part.text }] : [];
    case "reasoning": {
      if (!own || !bound) return [];
      const { signature, redacted } = part.metadata ?? {};
      if (typeof redacted === "string") return [{ type: "redacted_thinking", data: redacted }];
      return typeof signature === "string" ? [{ type: "thinking", thinking: part.text, signature }] : [];
    }
    case "tool": {
      const id = ids.get(part.id);
      return id === undefined
        ? []
        : [{ type: "tool_use", id, name: validToolName(part), input: modelCall(part).input }];
    }
    default:
      return notSaid(part);
  }
}

function resultBlock(part: ToolPart, ids: ReadonlyMap<string, string>, how: EncodeOptions): ToolResultBlockParam {
  const { text, failed, files } = toolResult(part);
  const content =
    files.length > 0 ? [{ type: "text" as const, text }, ...files.map((file) => fileBlock(file, how))] : text;
  return { type: "tool_result", tool_use_id: ids.get(part.id) ?? part.id, content, ...(failed && { is_error: true }) };
}

/** The API's minimum budget, and the minimum left for the reply. */
const minBudgetTokens = 1_024;

function thinkingParams(request: ModelRequest, rules: MessagesRules, maxTokens: number): object {
  const { thinking } = request;
  const isBudget = typeof thinking === "object";
  const isAdaptive = rules.thinking === "adaptive" || (rules.thinking === "adaptive-or-budget" && !isBudget);
  if (isAdaptive) return adaptiveParams(request, rules);
  const wanted =
    rules.thinking === "none" || (rules.thinking === "asked-budget" && !isBudget) ? undefined : budgetOf(thinking);
  if (wanted === undefined) return {};
  const budget = Math.min(Math.max(wanted, minBudgetTokens), maxTokens - minBudgetTokens);
  return budget < minBudgetTokens || continuesUnthought(request)
    ? {}
    : { thinking: { type: "enabled", budget_tokens: budget } };
}

function adaptiveParams(request: ModelRequest, rules: MessagesRules): object {
  const { thinking } = request;
  if (thinking === "off" && rules.off === "nothing") return {};
  // Neither takes more parameters, `block_binding` least of all.
  if (thinking === "off" && rules.off !== "low-effort") return { thinking: { type: rules.off } };
  if (thinking === "off" && !rules.bindsThoughts) return rules.headEffort ? { output_config: { effort: "low" } } : {};
  const adaptive = {
    type: "adaptive",
    ...(rules.display && { display: "summarized" }),
    ...(rules.bindsThoughts && { block_binding: { prefix_mismatch_behavior: "drop_block" } }),
  };
  const effort = thinking === "off" ? "low" : effortOf(thinking);
  const isTold = rules.effortChanges && tellsThinking(request);
  return { thinking: adaptive, ...(effort && !isTold && rules.headEffort && { output_config: { effort } }) };
}

/** A model with a budget cannot continue a reply that has calls but no thinking of its own, as a subtask's. */
function continuesUnthought({ entries, unboundEntries, model }: ModelRequest): boolean {
  const at = entries.findLastIndex(({ info }) => info.role === "assistant");
  const last = entries[at];
  if (last?.info.role !== "assistant" || !last.parts.some((part) => part.type === "tool")) return false;
  const isSent = at >= unboundEntries && last.info.model.modelID === model;
  return !isSent || !last.parts.some((part) => part.type === "reasoning" && part.metadata);
}

/** Thinking models reject a temperature. The API's maximum is 1. */
function temperatureParams({ temperature }: ModelRequest, rules: MessagesRules, thinking: unknown) {
  if (temperature === undefined || thinks(thinking) || !rules.takesTemperature) return {};
  return { temperature: Math.min(temperature, 1) };
}

function thinks(thinking: unknown): boolean {
  return typeof thinking === "object" && thinking !== null && "type" in thinking && thinking.type !== "disabled";
}
