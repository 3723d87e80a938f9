/**
 * Encodes requests for Ollama's /api/chat as JSON; each entry is encoded once. Its fields: ollama docs/api.md and, for
 * `truncate` and `shift`, api/types.go.
 */

import { never } from "../../base/never.ts";
import type { Entry } from "../../chat/apply.ts";
import type { FilePart, ToolDefinition, ToolPart } from "../../chat/message.ts";
import { userText } from "../../chat/words.ts";
import { english } from "../../l10n/l10n.ts";
import type { ModelRequest } from "../../loop/model.ts";
import type { ChatRules } from "../families/chat-rules.ts";
import {
  allTools,
  callIDs,
  continuePrompt,
  type EncodedEntry,
  type EncodeOptions,
  encodeJson,
  fileContent,
  hiddenFile,
  memoizeByObject,
  modelCall,
  saidIn,
  shownCalls,
  toolResult,
  validToolName,
  withOptions,
} from "../shared/entry-content.ts";
import { requestEncoder, type WireFormat } from "../shared/request-bytes.ts";
import { levelOf } from "../shared/thinking.ts";

export interface OllamaSettings {
  /** Of the model; the same for all its requests. */
  rules: (model: string) => ChatRules;
  /** Window that the model is loaded with; undefined leaves it to the server. */
  contextWindow: number | undefined;
  /** False for a model that has refused the parameter. */
  takesThink: boolean;
  takesImages: boolean;
}

/** `messages` comes last and entries never change, so each body begins with the bytes of the previous one (C7). */
export function ollamaBody(request: ModelRequest, providerID: string, settings: OllamaSettings) {
  const { model, system } = request;
  const { takesImages } = settings;
  const name = `${model} ${takesImages}`;
  const encoder = encoders.get(name) ?? makeEncoder({ ...settings.rules(model), takesImages });
  encoders.set(name, encoder);
  const tools = allTools(request);
  const offered = tools.length > 0 ? `,"tools":${encoder.tools(tools)}` : "";
  const first = system ? `${encodeJson({ role: "system", content: system })},` : "";
  const head = `${encodeJson(parameters(request, settings)).slice(0, -1)}${offered},"messages":[${first}`;
  return encoder.body(head, request, { providerID, modelID: model });
}

const encoders = new Map<string, ReturnType<typeof makeEncoder>>();

function makeEncoder(rules: ChatRules) {
  return {
    body: requestEncoder(formatFor(rules)),
    tools: memoizeByObject((tools: readonly ToolDefinition[]) => encodeTools(tools, rules)),
  };
}

/** Fields of a request that are no parameters of the model's run, which stand in `options`. */
const ownFields = new Set(["think", "keep_alive", "format", "options", "truncate", "shift", "logprobs"]);

function parameters(
  { model, thinking, temperature, maxTokens, options }: ModelRequest,
  { contextWindow, takesThink }: OllamaSettings,
): Record<string, unknown> {
  const level = levelOf(thinking);
  const { reasoning_effort = level === "off" ? false : level, ...given } = options;
  const isOwn = ([name]: [string, unknown]) => ownFields.has(name);
  const run = {
    // Another number loads the model anew.
    ...(contextWindow !== undefined && { num_ctx: contextWindow }),
    ...(maxTokens !== undefined && { num_predict: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...Object.fromEntries(Object.entries(given).filter((one) => !isOwn(one))),
  };
  const usual = {
    // Otherwise what does not fit is left out, and nothing says so (ollama#17944).
    truncate: false,
    shift: false,
    ...(reasoning_effort !== "default" && { think: reasoning_effort }),
    options: run,
  };
  const { think, ...rest } = withOptions(usual, Object.fromEntries(Object.entries(given).filter(isOwn)));
  return { model, stream: true, ...rest, ...(takesThink && think !== undefined && { think }) };
}

function encodeTools(tools: readonly ToolDefinition[], { schema: plain }: ChatRules): string {
  const all = tools.map(({ name, description, schema }) => ({ name, description, parameters: plain(schema) }));
  return encodeJson(all.map((called) => ({ type: "function", function: called })));
}

/** A message that the next one may still join, or one that is complete. */
type OllamaMessage = { role: "user"; content: OllamaContent[] } | { role: "tool" | "assistant"; json: string };

/** `data` is base64. */
type OllamaContent = { type: "text"; text: string } | { type: "image"; data: string };

/** Stands between results and a user message where the model's template does not take the one after the other. */
const bridge = encodeJson({ role: "assistant", content: english("I have the results.") });

const goOn = encodeJson({ role: "user", content: continuePrompt });

function formatFor(rules: ChatRules): WireFormat<OllamaMessage, OllamaMessage | undefined> {
  return {
    encode: (entry, how) => encodeEntry(entry, how, rules),
    start: () => undefined,
    add: (open, piece) => {
      if (piece.role === "user" && open?.role === "user")
        return { open: { role: "user", content: [...open.content, ...piece.content] }, complete: [] };
      // Templates expect a user message or a result before each reply.
      const isOrphan = piece.role === "assistant" && open?.role !== "user" && open?.role !== "tool";
      const isBridged = piece.role === "user" && open?.role === "tool" && !rules.userAfterResults;
      return { open: piece, complete: [...close(open), ...(isOrphan ? [goOn] : isBridged ? [bridge] : [])] };
    },
    // The model would continue a trailing reply.
    end: (open) => [...close(open), ...(open?.role === "assistant" ? [goOn] : [])],
  };
}

function close(message: OllamaMessage | undefined): string[] {
  if (message === undefined) return [];
  if ("json" in message) return [message.json];
  const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const images = message.content.flatMap((part) => (part.type === "image" ? [part.data] : []));
  return [encodeJson({ role: "user", content: texts.join("\n\n"), ...(images.length > 0 && { images }) })];
}

function encodeEntry({ info, parts }: Entry, how: EncodeOptions, rules: ChatRules): EncodedEntry<OllamaMessage> {
  if (info.role === "user") {
    const content = parts.flatMap((part): OllamaContent[] => {
      const words = userText(part);
      if (words !== undefined) return [text(words)];
      return part.type === "file" ? [file(part, how, rules)] : [];
    });
    return { pieces: content.length > 0 ? [{ role: "user", content }] : [], ids: [] };
  }
  const calls = shownCalls(parts);
  const { text: said, thoughts } = saidIn(parts);
  if (calls.length === 0 && !said.trim()) return { pieces: [], ids: [] };
  const ids = callIDs(calls, how, (id) => rules.keepsCallID(id, how.own), rules.makeCallID);
  // Models that think between calls get their thoughts back (ollama docs/capabilities/tool-calling).
  const thinking = how.own ? thoughts.map((thought) => thought.text).join("") : "";
  const reply = {
    role: "assistant",
    content: said.trim() ? said : "",
    ...(thinking.trim() !== "" && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls.map((call) => encodeCall(call, ids)) }),
  };
  const results = calls.map((call) => encodeResult(call, ids, how, rules));
  const files = results.flatMap(({ after }) => after);
  const attached: OllamaMessage[] =
    files.length > 0 ? [{ role: "user", content: [text(english("(Attached by the tools above.)")), ...files] }] : [];
  const pieces: OllamaMessage[] = [
    { role: "assistant", json: encodeJson(reply) },
    ...results.map(({ message }) => message),
    ...attached,
  ];
  return { pieces, ids: [...ids.values()] };
}

/** The arguments are an object: a string is refused (ollama#10328 for its kind of error). */
function encodeCall(part: ToolPart, ids: ReadonlyMap<string, string>) {
  return { id: ids.get(part.id), function: { name: validToolName(part), arguments: modelCall(part).input } };
}

/** Returns the result, and the files that go after all results: not every template shows a result's images. */
function encodeResult(
  part: ToolPart,
  ids: ReadonlyMap<string, string>,
  how: EncodeOptions,
  rules: ChatRules,
): { message: OllamaMessage; after: OllamaContent[] } {
  const { text: output, failed, files } = toolResult(part);
  const contents = files.map((one) => file(one, how, rules));
  const texts = contents.flatMap((content) => (content.type === "text" ? [content.text] : []));
  const content = [failed ? english(`Error: ${output}`) : output, ...texts].join("\n\n");
  const json = encodeJson({ role: "tool", content, tool_name: validToolName(part), tool_call_id: ids.get(part.id) });
  return { message: { role: "tool", json }, after: contents.filter(({ type }) => type === "image") };
}

function text(said: string): OllamaContent {
  return { type: "text", text: said };
}

function file(part: FilePart, how: EncodeOptions, { takesImages }: ChatRules): OllamaContent {
  const content = fileContent(part, how);
  switch (content.type) {
    case "text":
      return content;
    case "image":
      return takesImages ? { type: "image", data: content.data } : text(hiddenFile(part));
    case "pdf":
      return text(hiddenFile(part));
    default:
      return never(content);
  }
}
