/** Encodes requests for Chat Completions as JSON by the rules of their provider; each entry is encoded once. */

import { never } from "../../base/never.ts";
import type { Entry } from "../../chat/apply.ts";
import type { FilePart, ReasoningPart, ToolDefinition, ToolPart } from "../../chat/message.ts";
import { userText } from "../../chat/words.ts";
import { english } from "../../l10n/l10n.ts";
import type { ModelRequest } from "../../loop/model.ts";
import type { ChatRules } from "../families/chat-rules.ts";
import {
  allTools,
  callData,
  callIDs,
  continuePrompt,
  type EncodedEntry,
  type EncodeOptions,
  encodeJson,
  fileContent,
  hiddenFile,
  modelCall,
  saidIn,
  shownCalls,
  toolResult,
  validToolName,
  withOptions,
} from "../shared/entry-content.ts";
import { requestEncoder, type WireFormat } from "../shared/request-bytes.ts";
import { levelOf } from "../shared/thinking.ts";

type ContentPart =
  | { type: "text"; text: string; cache_control?: { type: "ephemeral" } }
  | { type: "image_url"; image_url: { url: string } }
  | { type: "file"; file: { filename: string; file_data: string } };

/** A message whose content may still grow or be marked, or one that is complete. */
type ChatMessage =
  | { role: "user"; content: ContentPart[] }
  | { role: "tool"; tool_call_id: string; content: ContentPart[] }
  | { role: "assistant" | "system"; json: string };

/** `messages` comes last and entries never change, so each body begins with the bytes of the previous one (C7). */
export function chatBody(request: ModelRequest, rules: ChatRules, providerID: string): Uint8Array {
  const encoder = encoders.get(rules) ?? new ChatEncoder(rules);
  encoders.set(rules, encoder);
  return encoder.body(request, providerID);
}

const encoders = new WeakMap<ChatRules, ChatEncoder>();

/** Stands between results and a user message where the one may not follow the other. */
const bridge = encodeJson({ role: "assistant", content: english("I have the results.") });

class ChatEncoder {
  readonly #rules: ChatRules;
  readonly #encode: ReturnType<typeof requestEncoder<ChatMessage, ChatMessage | undefined>>;
  readonly #definitions = new WeakMap<ToolDefinition, string>();
  readonly #lists = new WeakMap<readonly ToolDefinition[], string>();

  constructor(rules: ChatRules) {
    this.#rules = rules;
    this.#encode = requestEncoder(this.#format());
  }

  body(request: ModelRequest, providerID: string): Uint8Array {
    const { model, system } = request;
    const content = this.#rules.cacheMarks ? [{ ...text(system), ...cacheMark }] : system;
    const first = system ? `${encodeJson({ role: "system", content })},` : "";
    const tools = this.#tools(request);
    const offered = tools === "[]" ? "" : `,"tools":${tools}`;
    const head = `${encodeJson(this.#parameters(request)).slice(0, -1)}${offered},"messages":[${first}`;
    return this.#encode(head, request, { providerID, modelID: model });
  }

  #parameters({ model, tools, toolUse, maxTokens, temperature, thinking, options, conversationID }: ModelRequest) {
    const { outputLimit, conversation, refused, takesToolChoiceNone, takesAllowedTools, ...rules } = this.#rules;
    const hasTools = tools.length > 0;
    const { field, most = Number.POSITIVE_INFINITY } = outputLimit;
    const parameters = {
      stream_options: { include_usage: true },
      ...(maxTokens !== undefined && { [field]: Math.min(maxTokens, most) }),
      ...rules.thinking(levelOf(thinking), { thinking, hasTools }),
      ...(temperature !== undefined && rules.takesTemperature && { temperature }),
      ...(conversation.field !== undefined && { [conversation.field]: conversationID }),
      ...rules.parameters,
    };
    const taken = Object.entries(withOptions(parameters, options)).filter(([name]) => !refused.includes(name));
    return {
      model: rules.serverName ?? model,
      stream: true,
      ...Object.fromEntries(taken),
      ...(hasTools && toolUse === "none" && takesToolChoiceNone && { tool_choice: "none" }),
      ...(hasTools && typeof toolUse === "object" && takesAllowedTools && { tool_choice: allowedTools(toolUse.only) }),
    };
  }

  /** Returns the definitions as JSON: those of the conversation's begin, then those that were added. */
  #tools(request: ModelRequest): string {
    return this.#list(this.#rules.laterTools === "message" ? request.tools : allTools(request));
  }

  #list(tools: readonly ToolDefinition[]): string {
    const known = this.#lists.get(tools) ?? this.#join(tools);
    this.#lists.set(tools, known);
    return known;
  }

  #join(tools: readonly ToolDefinition[]): string {
    return `[${tools.map((tool) => this.#definition(tool)).join(",")}]`;
  }

  #definition(tool: ToolDefinition): string {
    const known = this.#definitions.get(tool);
    if (known !== undefined) return known;
    const { name, description } = tool;
    const parameters = this.#rules.schema(tool.schema);
    const made = encodeJson({ type: "function", function: { name, description, ...(parameters && { parameters }) } });
    this.#definitions.set(tool, made);
    return made;
  }

  /** The newest message stays open: another user's message may join it, or it gets the cache's mark. */
  #format(): WireFormat<ChatMessage, ChatMessage | undefined> {
    const { userAfterResults } = this.#rules;
    return {
      encode: (entry, how) => this.#entry(entry, how),
      start: () => undefined,
      add: (open, piece) => {
        if (piece.role === "user" && open?.role === "user") {
          return { open: { role: "user", content: [...open.content, ...piece.content] }, complete: [] };
        }
        // Many servers expect a user message or a result before each reply.
        if (piece.role === "assistant" && open?.role !== "user" && open?.role !== "tool") {
          const prompt: ChatMessage = { role: "user", content: [text(continuePrompt)] };
          return { open: piece, complete: [...this.#close(open), ...this.#close(prompt)] };
        }
        const isBridged = piece.role === "user" && open?.role === "tool" && !userAfterResults;
        return { open: piece, complete: [...this.#close(open), ...(isBridged ? [bridge] : [])] };
      },
      // Servers would continue a trailing reply, or reject it.
      end: (open) =>
        open?.role === "assistant"
          ? [...this.#close(open), ...this.#close({ role: "user", content: [text(continuePrompt)] }, true)]
          : this.#close(open, true),
    };
  }

  #close(message: ChatMessage | undefined, isLast = false): string[] {
    if (message === undefined) return [];
    if ("json" in message) return [message.json];
    const { content } = message;
    // Last, so that messages with and without a mark begin alike.
    return [encodeJson({ ...message, content: this.#rules.cacheMarks ? marked(content, isLast) : plain(content) })];
  }

  #entry(entry: Entry, how: EncodeOptions): EncodedEntry<ChatMessage> {
    if (entry.info.role === "user") return { pieces: this.#userMessages(entry, how), ids: [] };
    const rules = this.#rules;
    const calls = shownCalls(entry.parts);
    const { text: said, thoughts } = saidIn(entry.parts);
    if (calls.length === 0 && !said.trim()) return { pieces: [], ids: [] };
    const ids = callIDs(calls, how, (id) => rules.keepsCallID(id, how.own), rules.makeCallID);
    const reply = {
      role: "assistant",
      content: said.trim() ? said : rules.emptyContent,
      ...this.#thoughts(thoughts, said, calls.length > 0, how),
      ...(calls.length > 0 && { tool_calls: calls.map((call, at) => this.#call(call, ids, at, how)) }),
    };
    const results = calls.map((call) => this.#result(call, ids.get(call.id) ?? call.id, how));
    const files = results.flatMap(({ after }) => after);
    const attached: ChatMessage[] =
      files.length > 0 ? [{ role: "user", content: [text(english("(Attached by the tools above.)")), ...files] }] : [];
    const messages = results.map(({ message }) => message);
    const pieces: ChatMessage[] = [{ role: "assistant", json: encodeJson(reply) }, ...messages, ...attached];
    return { pieces, ids: [...ids.values()] };
  }

  #userMessages({ parts }: Entry, how: EncodeOptions): ChatMessage[] {
    const tools = parts.flatMap((part) => (part.type === "tools" ? part.added : []));
    const isAdded = tools.length > 0 && this.#rules.laterTools === "message";
    const added: ChatMessage[] = isAdded
      ? [{ role: "system", json: `{"role":"system","tools":${this.#join(tools)}}` }]
      : [];
    const content = parts.flatMap((part): ContentPart[] => {
      const words = userText(part);
      if (words !== undefined) return [text(words)];
      return part.type === "file" ? [this.#file(part, how)] : [];
    });
    return [...added, ...(content.length > 0 ? [{ role: "user" as const, content }] : [])];
  }

  #call(part: ToolPart, ids: ReadonlyMap<string, string>, at: number, how: EncodeOptions) {
    const called = { name: validToolName(part), arguments: encodeJson(modelCall(part).input) };
    const data = this.#callData(part, at, how);
    return { ...data, id: ids.get(part.id) ?? part.id, type: "function", function: called };
  }

  #callData(part: ToolPart, at: number, { own, bound }: EncodeOptions): Record<string, unknown> | undefined {
    const { thoughts } = this.#rules;
    const extra_content = own && bound ? callData(part)?.["extra_content"] : undefined;
    const given = extra_content === undefined ? undefined : { extra_content };
    if (thoughts.type !== "call-signatures" && thoughts.type !== "as-received") return undefined;
    const isMissing = given === undefined && at === 0 && thoughts.dummy !== undefined;
    return isMissing ? { extra_content: { google: { thought_signature: thoughts.dummy } } } : given;
  }

  #thoughts(parts: readonly ReasoningPart[], said: string, hasCalls: boolean, { own, bound }: EncodeOptions) {
    const { thoughts } = this.#rules;
    const mine = own ? parts : [];
    const words = mine.map((part) => part.text).join("");
    const details = bound ? mine.flatMap(({ metadata }) => metadata?.["reasoning_details"] ?? []) : [];
    switch (thoughts.type) {
      case "none":
      case "call-signatures":
        return {};
      case "as-received": {
        if (details.length > 0) return { reasoning_details: details };
        const fields = new Set(mine.map(({ metadata }) => metadata?.["field"]));
        if (fields.has("content")) return bound ? contentWithThoughts(words, said) : {};
        if (thoughts.placeholder !== undefined)
          return { reasoning_content: words.trim() ? words : thoughts.placeholder };
        return bound && hasCalls && fields.has("reasoning_content") ? { reasoning_content: words } : {};
      }
      case "reasoning_details":
        if (details.length > 0) return { reasoning_details: details };
        return thoughts.placeholder === undefined ? {} : { reasoning_content: thoughts.placeholder };
      case "reasoning_content": {
        if (thoughts.with === "calls" && !hasCalls) return {};
        const sent = words.trim() ? words : thoughts.placeholder;
        return sent === undefined ? {} : { reasoning_content: sent };
      }
      case "content-parts":
        return bound ? contentWithThoughts(words, said) : {};
      default:
        return never(thoughts);
    }
  }

  /** Returns the result, and the files that go after all results. */
  #result(part: ToolPart, id: string, how: EncodeOptions): { message: ChatMessage; after: ContentPart[] } {
    const { text: output, failed, files } = toolResult(part);
    const contents = files.map((file) => this.#file(file, how));
    const isInside = (content: ContentPart) => content.type === "text" || this.#rules.toolImages === "result";
    const content = [text(failed ? english(`Error: ${output}`) : output), ...contents.filter(isInside)];
    const after = contents.filter((one) => !isInside(one));
    return { message: { role: "tool", tool_call_id: id, content }, after };
  }

  #file(part: FilePart, { withFiles }: EncodeOptions): ContentPart {
    const { takesImages, takesPDFs } = this.#rules;
    const content = fileContent(part, { withFiles });
    switch (content.type) {
      case "text":
        return content;
      case "image":
        return takesImages ? { type: "image_url", image_url: { url: content.url } } : text(hiddenFile(part));
      case "pdf":
        if (!takesPDFs) return text(hiddenFile(part));
        return { type: "file", file: { filename: content.filename, file_data: content.url } };
      default:
        return never(content);
    }
  }
}

function text(said: string): { type: "text"; text: string } {
  return { type: "text", text: said };
}

function contentWithThoughts(words: string, said: string) {
  if (!words.trim()) return {};
  return { content: [{ type: "thinking", thinking: [text(words)] }, ...(said.trim() ? [text(said)] : [])] };
}

/** Encodes plain text as a string, because small servers do not support parts. */
function plain(content: readonly ContentPart[]): string | readonly ContentPart[] {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === content.length ? texts.join("\n\n") : content;
}

const cacheMark = { cache_control: { type: "ephemeral" } } as const;

/** Caches all up to the last text of the newest message. */
function marked(content: readonly ContentPart[], isLast: boolean): readonly ContentPart[] {
  const at = isLast ? content.findLastIndex(({ type }) => type === "text") : -1;
  return content.map((part, index) => (index === at && part.type === "text" ? { ...part, ...cacheMark } : part));
}

function allowedTools(names: readonly string[]) {
  const tools = names.map((name) => ({ type: "function", function: { name } }));
  return { type: "allowed_tools", allowed_tools: { mode: "auto", tools } };
}
