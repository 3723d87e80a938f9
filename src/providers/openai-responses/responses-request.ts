/** Encodes requests for the Responses API as JSON; each entry is encoded once. */

import type { ResponseInputContent, Tool } from "openai/resources/responses/responses";
import { never } from "../../base/never.ts";
import type { Entry } from "../../chat/apply.ts";
import type { FilePart, Part, ReasoningPart, TextPart, ToolDefinition, ToolPart } from "../../chat/message.ts";
import { notSaid, userText } from "../../chat/words.ts";
import { english } from "../../l10n/l10n.ts";
import type { ModelRequest, Thinking } from "../../loop/model.ts";
import { objectSchema } from "../families/schema.ts";
import {
  allTools,
  callData,
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
import { effortOf, tellsThinking, toldThinking } from "../shared/thinking.ts";
import { type Effort, effortLevels, type ResponsesRules } from "./responses-rules.ts";

/** The SDK's types demand fields that servers neither want back nor have sent. */
type InputItem = Record<string, unknown>;

/** The server accepts no smaller limit. [earendil-works/pi#6265] */
const leastOutput = 16;

/** Parameters that may change from request to request: they follow the conversation, which stays a prefix (C7). */
const changing = new Set(["reasoning", "max_output_tokens", "temperature", "tool_choice"]);

/** Options of Chat Completions, by their names here. */
const renamedOptions: Record<string, readonly string[]> = {
  reasoning_effort: ["reasoning", "effort"],
  verbosity: ["text", "verbosity"],
  max_tokens: ["max_output_tokens"],
  max_completion_tokens: ["max_output_tokens"],
};

/** Encodes the requests of one model. `refused`: parameters that its server does not take, as paths: "reasoning.summary". */
export class ResponsesEncoder {
  readonly #rules: ResponsesRules;
  readonly #providerID: string;
  #defined: ReadonlySet<string> = new Set();
  readonly refused = new Set<string>();
  readonly #toolsJSON: (tools: readonly ToolDefinition[]) => string;
  readonly #body: ReturnType<typeof requestEncoder<InputItem, InputItem | undefined>>;

  constructor(rules: ResponsesRules, providerID = "openai") {
    this.#rules = rules;
    this.#providerID = providerID;
    this.#toolsJSON = memoizeByObject((tools: readonly ToolDefinition[]) =>
      encodeJson(tools.map((tool) => toolParam(tool, rules))),
    );
    this.#body = requestEncoder<InputItem, InputItem | undefined>({
      encode: (entry, how) => encodeEntry(entry, how, { rules, defined: this.#defined }),
      start: () => undefined,
      add: (_, item) => ({ open: item, complete: [encodeJson(item)] }),
      // A model would go on with its own words.
      end: (last) => (last?.["role"] === "assistant" ? [encodeJson(userMessage([inputText(continuePrompt)]))] : []),
    });
  }

  /** Whether encrypted thoughts are asked for. */
  get asksForThoughts(): boolean {
    return this.#rules.takesInclude && !this.refused.has("include");
  }

  encode(request: ModelRequest): Uint8Array {
    const { model, system, tools } = request;
    // With other tools, the body begins in another way, so that all entries are encoded again.
    this.#defined = new Set(tools.map(({ name }) => name));
    const offered = this.#rules.takesAdditionalTools ? request.tools : allTools(request);
    const parameters = Object.entries(this.#parameters(request, offered));
    const head = parameters.filter(([name]) => !changing.has(name));
    const tail = parameters.filter(([name]) => changing.has(name));
    const first = system ? `${encodeJson(message(this.#rules.systemRole, [inputText(system)]))},` : "";
    const toolList = offered.length > 0 ? `,"tools":${this.#toolsJSON(offered)}` : "";
    const before = `${encodeJson(Object.fromEntries(head)).slice(0, -1)}${toolList},"input":[${first}`;
    const after = tail.length > 0 ? `,${encodeJson(Object.fromEntries(tail)).slice(1, -1)}` : "";
    return this.#body(before, request, { providerID: this.#providerID, modelID: model }, after);
  }

  #parameters(request: ModelRequest, tools: readonly ToolDefinition[]): Record<string, unknown> {
    const { model, conversationID, maxTokens, temperature, options } = request;
    const rules = this.#rules;
    const reasoning = reasoningOf(request, rules);
    const choice = toolChoice(request, tools, rules);
    const parameters = {
      store: false,
      ...(rules.takesInclude && { include: ["reasoning.encrypted_content"] }),
      ...(rules.takesCacheKey && { prompt_cache_key: conversationID.slice(0, 64) }),
      ...(rules.takesParallelCalls && tools.length > 0 && { parallel_tool_calls: true }),
      ...(rules.verbosity && { text: { verbosity: rules.verbosity } }),
      ...(reasoning && { reasoning }),
      ...(maxTokens !== undefined && { max_output_tokens: Math.max(leastOutput, maxTokens) }),
      ...(temperature !== undefined && !rules.isReasoning && { temperature }),
    };
    const all = {
      model,
      stream: true,
      ...withOptions(parameters, renameOptions(options)),
      ...(choice !== undefined && { tool_choice: choice }),
    };
    for (const path of this.refused) leaveOut(all, path.split("."));
    return all;
  }
}

function renameOptions(options: ModelRequest["options"]): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    const [outer = name, inner] = renamedOptions[name] ?? [];
    made[outer] = inner === undefined ? value : { ...Object(made[outer]), [inner]: value };
  }
  return made;
}

function leaveOut(from: Record<string, unknown>, [name = "", ...rest]: string[]): void {
  const value = from[name];
  if (rest.length === 0 || typeof value !== "object" || value === null) {
    delete from[name];
    return;
  }
  const copy = { ...value };
  leaveOut(copy, rest);
  if (Object.keys(copy).length > 0) from[name] = copy;
  else delete from[name];
}

function reasoningOf(request: ModelRequest, rules: ResponsesRules) {
  const { takesSummary, takesEffortUpdates } = rules;
  const effort = takesEffortUpdates && tellsThinking(request) ? undefined : effortFor(request.thinking, rules);
  const reasoning = { ...(effort && { effort }), ...(takesSummary && { summary: "auto" }) };
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

function effortFor(thinking: Thinking, { efforts }: ResponsesRules): Effort | undefined {
  return closest(thinking === "off" ? "none" : effortOf(thinking), efforts);
}

/** Effort where none is named. [developers.openai.com/api/docs/guides/reasoning] */
const usualEffort = "medium";

/** Returns the level that is wanted, or the next one that the model has. */
function closest(wanted: Effort | undefined, efforts: readonly Effort[]): Effort | undefined {
  if (wanted === undefined || efforts.includes(wanted)) return wanted;
  const rank = effortLevels.indexOf(wanted);
  return efforts.find((effort) => effortLevels.indexOf(effort) > rank) ?? efforts.at(-1);
}

function toolParam({ name, description, schema, freeform }: ToolDefinition, rules: ResponsesRules): Tool | object {
  if (freeform && rules.takesFreeformTools) {
    return {
      type: "custom",
      name,
      description,
      format: { type: "grammar", syntax: "lark", definition: freeform.grammar },
    };
  }
  // Objects need `properties`. [kagent#1889]
  const parameters = { properties: {}, ...objectSchema(schema) };
  return { type: "function", name, description, parameters, ...(rules.takesStrict && { strict: false }) };
}

function toolChoice({ toolUse }: ModelRequest, tools: readonly ToolDefinition[], rules: ResponsesRules) {
  if (toolUse === "auto" || tools.length === 0) return undefined;
  if (toolUse === "none") return "none";
  // Tools that came later cannot be named here.
  const isComplete = toolUse.only.every((name) => tools.some((tool) => tool.name === name));
  if (!rules.takesAllowedTools || !isComplete) return undefined;
  const allowed = tools.filter(({ name }) => toolUse.only.includes(name));
  if (allowed.length === 0) return "none";
  const type = (tool: ToolDefinition) => (tool.freeform && rules.takesFreeformTools ? "custom" : "function");
  return { type: "allowed_tools", mode: "auto", tools: allowed.map((tool) => ({ type: type(tool), name: tool.name })) };
}

interface EntryContext {
  rules: ResponsesRules;
  /** Names of the tools with which the conversation began. */
  defined: ReadonlySet<string>;
}

function encodeEntry(entry: Entry, how: EncodeOptions, context: EntryContext): EncodedEntry<InputItem> {
  if (entry.info.role === "user") return { pieces: userItems(entry.parts, how, context), ids: [] };
  const { rules } = context;
  const { own, bound } = how;
  const calls = shownCalls(entry.parts);
  // A model gets its own ids back unchanged, within the limit of the API.
  const ids = callIDs(calls, how, (id) => id !== "" && id.length <= 64);
  const said = entry.parts.filter((part) => isSaid(part, calls));
  const last = entry.parts.findLastIndex((part) => said.includes(part));
  const thoughts = new Map(
    entry.parts.flatMap((part, at) => {
      if (part.type !== "reasoning") return [];
      // A thought that nothing followed is refused.
      const item = own && at < last ? thoughtItem(part, bound, rules) : undefined;
      return [[part, item] as const];
    }),
  );
  // Ids of messages and calls are refused without the thoughts that came with them; some servers have not streamed these.
  // [coder/mux#59]
  const withIDs = own && bound && thoughts.size > 0 && [...thoughts.values()].every((item) => item !== undefined);
  const items = entry.parts.slice(0, last + 1).flatMap((part): InputItem[] => {
    switch (part.type) {
      case "reasoning":
        return thoughts.get(part) ?? [];
      case "text":
        return said.includes(part) ? [assistantMessage(part, own, withIDs)] : [];
      case "tool":
        return said.includes(part) ? [callItem(part, ids, own, withIDs, rules)] : [];
      default:
        return notSaid(part);
    }
  });
  const results = calls.map((call) => resultItem(call, ids, own, how, rules));
  const files = rules.takesFilesInResults ? [] : calls.flatMap((call) => toolResult(call).files);
  const attached =
    files.length > 0
      ? [
          userMessage([
            inputText(english("(Attached by the tools above.)")),
            ...files.map((file) => fileInput(file, how)),
          ]),
        ]
      : [];
  return { pieces: [...items, ...results, ...attached], ids: [...ids.values()] };
}

function isSaid(part: Part, calls: readonly ToolPart[]): boolean {
  if (part.type === "text") return !part.ignored && part.text.trim() !== "";
  return part.type === "tool" && calls.includes(part);
}

/** Returns thoughts as they came. Without their encrypted content they would be looked up by id, in vain. */
function thoughtItem({ metadata }: ReasoningPart, bound: boolean, rules: ResponsesRules): InputItem[] | undefined {
  const item = metadata?.["item"];
  if (typeof item !== "object" || item === null) return undefined;
  const isEncrypted = "encrypted_content" in item;
  if (isEncrypted ? !bound : !rules.takesPlainThoughts) return undefined;
  if (rules.takesPlainThoughts || !("content" in item)) return [{ ...item }];
  const { content: _, ...rest } = item;
  return [rest];
}

function assistantMessage({ text, metadata }: TextPart, own: boolean, withIDs: boolean): InputItem {
  const { id, phase, refusal } = own ? (metadata ?? {}) : {};
  const content = refusal === true ? { type: "refusal", refusal: text } : { type: "output_text", text };
  return {
    type: "message",
    role: "assistant",
    ...(withIDs && typeof id === "string" && { id, status: "completed" }),
    content: [content],
    ...(phase !== undefined && { phase }),
  };
}

function callItem(
  part: ToolPart,
  ids: ReadonlyMap<string, string>,
  own: boolean,
  withIDs: boolean,
  rules: ResponsesRules,
): InputItem {
  const { id, name, namespace, arguments: raw } = own ? (callData(part) ?? {}) : {};
  const base = {
    ...(withIDs && typeof id === "string" && { id }),
    call_id: ids.get(part.id) ?? part.id,
    // The name as it was called, which the loop may have understood as another.
    name: typeof name === "string" && /^[\w-]{1,64}$/.test(name) ? name : validToolName(part),
    ...(namespace !== undefined && { namespace }),
  };
  if (isFreeform(part, own, rules)) return { type: "custom_tool_call", ...base, input: freeformInput(part) };
  const isSent = typeof raw === "string" && (rules.takesBadArguments || isObject(raw));
  return { type: "function_call", ...base, arguments: isSent ? raw : encodeJson(modelCall(part).input) };
}

function isFreeform(part: ToolPart, own: boolean, rules: ResponsesRules): boolean {
  return own && rules.takesFreeformTools && callData(part)?.["kind"] === "custom_tool_call";
}

/** The only argument of a call of a freeform tool. */
function freeformInput(part: ToolPart): string {
  return Object.values(modelCall(part).input).find((value) => typeof value === "string") ?? "";
}

function isObject(raw: string): boolean {
  try {
    return typeof JSON.parse(raw) === "object";
  } catch {
    return false;
  }
}

function resultItem(
  part: ToolPart,
  ids: ReadonlyMap<string, string>,
  own: boolean,
  how: EncodeOptions,
  rules: ResponsesRules,
): InputItem {
  const { text, failed, files } = toolResult(part);
  const words = failed ? english(`Error: ${text}`) : text;
  return {
    type: isFreeform(part, own, rules) ? "custom_tool_call_output" : "function_call_output",
    call_id: ids.get(part.id) ?? part.id,
    output:
      files.length > 0 && rules.takesFilesInResults
        ? [inputText(words), ...files.map((file) => fileInput(file, how))]
        : words,
  };
}

/** What Rondo tells of changes has the weight of the system prompt where the model takes that within a conversation. */
function userItems(parts: readonly Part[], how: EncodeOptions, context: EntryContext): InputItem[] {
  const { rules } = context;
  const items: InputItem[] = [];
  let content: ResponseInputContent[] = [];
  const flush = () => {
    if (content.length > 0) items.push(userMessage(content));
    content = [];
  };
  for (const part of parts) {
    const words = userText(part);
    const thinking = rules.takesEffortUpdates ? toldThinking(part) : undefined;
    if (thinking !== undefined) {
      flush();
      items.push({ type: "configuration_update", reasoning: { effort: effortFor(thinking, rules) ?? usualEffort } });
    }
    if (words !== undefined && part.type === "text" && part.told && rules.takesLaterInstructions) {
      flush();
      items.push(message(rules.systemRole, [inputText(words)]));
    } else if (words !== undefined) content.push(inputText(words));
    else if (part.type === "file") content.push(fileInput(part, how));
    else if (part.type === "tools" && rules.takesAdditionalTools) {
      flush();
      items.push(...laterTools(part.added, context));
    }
  }
  flush();
  return items;
}

/** Tools that the conversation began with cannot be replaced: their new definition is told in words. [pi-ai 1.5.2] */
function laterTools(added: readonly ToolDefinition[], { rules, defined }: EntryContext): InputItem[] {
  const tools = added.filter(({ name }) => !defined.has(name)).map((tool) => toolParam(tool, rules));
  const changed = added.filter(({ name }) => defined.has(name));
  const told = changed.map(({ name, description, schema }) =>
    english(`The tool ${name} has changed. ${description}\nIts arguments: ${JSON.stringify(schema)}`),
  );
  return [
    ...(tools.length > 0 ? [{ type: "additional_tools", role: "developer", tools }] : []),
    ...(told.length > 0 ? [message(rules.systemRole, told.map(inputText))] : []),
  ];
}

function message(role: "user" | "developer" | "system", content: ResponseInputContent[]): InputItem {
  return { type: "message", role, content };
}

function userMessage(content: ResponseInputContent[]): InputItem {
  return message("user", content);
}

function inputText(text: string): ResponseInputContent {
  return { type: "input_text", text };
}

function fileInput(part: FilePart, how: EncodeOptions): ResponseInputContent {
  const content = fileContent(part, how);
  switch (content.type) {
    case "text":
      return inputText(content.text);
    case "image":
      return { type: "input_image", detail: "auto", image_url: content.url };
    case "pdf":
      return { type: "input_file", filename: content.filename, file_data: content.url };
    default:
      return never(content);
  }
}
