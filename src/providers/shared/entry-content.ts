/** Shared by the provider families for encoding requests as JSON. Its texts are for the model. */

import { fenced } from "../../base/fence.ts";
import { mergeDeep } from "../../base/json.ts";
import { never } from "../../base/never.ts";
import type { FilePart, Part, ReasoningPart, ToolPart, ToolsPart } from "../../chat/message.ts";
import { base64In } from "../../chat/text-file.ts";
import { notSaid } from "../../chat/words.ts";
import type { ModelRequest } from "../../loop/model.ts";

export interface EncodeOptions {
  /** Whether the requested model wrote the entry: only then does it get its provider data back. */
  own: boolean;
  /** Whether thoughts that are bound to what came before them may be sent. */
  bound: boolean;
  /** Whether images and PDFs are sent, not only named. */
  withFiles: boolean;
  /** 0: calls keep their ids; above, they get Rondo's, another for each number, because the last ones are in use. */
  rename: number;
}

export interface EncodedEntry<Piece> {
  pieces: Piece[];
  ids: string[];
}

/** Parameters that options cannot override. */
const reserved = new Set(["model", "messages", "input", "system", "tools", "stream"]);

/** Merges a request's options over the parameters (M2). */
export function withOptions(parameters: Record<string, unknown>, options: ModelRequest["options"]) {
  return mergeDeep(parameters, Object.fromEntries(Object.entries(options).filter(([name]) => !reserved.has(name))));
}

/** Caches a string per object, such as the tools of a turn, which are the same for each request. */
export function memoizeByObject<Key extends object>(make: (key: Key) => string): (key: Key) => string {
  const made = new WeakMap<Key, string>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}

const grown = new WeakMap<ModelRequest["tools"], { parts: ToolsPart[]; all: ModelRequest["tools"] }>();

/**
 * Returns the tools of the conversation's beginning, and those that came later: for APIs that take tools in the head of
 * a request alone. Tools that are gone stay, for the sake of the cache; the model was told. The same array as long as
 * nothing comes.
 */
export function allTools({ tools, entries }: Pick<ModelRequest, "tools" | "entries">): ModelRequest["tools"] {
  const parts: ToolsPart[] = [];
  for (const entry of entries) {
    if (entry.info.role !== "user") continue;
    for (const part of entry.parts) if (part.type === "tools") parts.push(part);
  }
  if (parts.length === 0) return tools;
  const known = grown.get(tools);
  if (known && known.parts.length === parts.length && known.parts.every((part, at) => part === parts[at]))
    return known.all;
  const added = parts.flatMap((part) => part.added);
  const all = [...new Map([...tools, ...added].map((tool) => [tool.name, tool])).values()];
  grown.set(tools, { parts, all });
  return all;
}

/** Replaces lone surrogates, which JSON.stringify escapes and servers reject. */
export function encodeJson(value: object): string {
  const json = JSON.stringify(value);
  if (!json.includes("\\ud")) return json;
  // Escapes are matched whole, so that the text `\ud83d`, which is `\\ud83d` in JSON, stays.
  return json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (found) => (found.length > 2 ? "\\ufffd" : found));
}

/** Sent where an API expects a user message and the chat has none. */
export const continuePrompt = "Go on.";

/** Returns what a reply says, for APIs whose messages have a field for each. Calls come from `shownCalls`. */
export function saidIn(parts: readonly Part[]): { text: string; thoughts: ReasoningPart[] } {
  const texts: string[] = [];
  const thoughts: ReasoningPart[] = [];
  for (const part of parts) {
    switch (part.type) {
      case "text":
        if (!part.ignored) texts.push(part.text);
        break;
      case "reasoning":
        thoughts.push(part);
        break;
      case "tool":
        break;
      default:
        notSaid(part);
    }
  }
  return { text: texts.join(""), thoughts };
}

export function shownCalls(parts: readonly Part[]): ToolPart[] {
  const calls = parts.filter((part) => part.type === "tool");
  // A discarded call was cut within its arguments and never run (C4).
  return calls.filter(({ state }) => state.status === "pending" || state.metadata?.discarded !== true);
}

/**
 * Returns the call ids of one reply by part: the provider's where they are distinct and fit, else what `make` makes of
 * the parts' own.
 */
export function callIDs(
  calls: readonly ToolPart[],
  { rename }: Pick<EncodeOptions, "rename">,
  fits: (callID: string) => boolean,
  make = (partID: string, rename: number) => (rename > 1 ? `${partID}_${rename}` : partID),
) {
  const given = new Set(calls.map(({ callID }) => callID));
  const keep = rename === 0 && given.size === calls.length;
  return new Map(calls.map(({ id, callID }) => [id, keep && fits(callID) ? callID : make(id, rename)]));
}

/** Returns the call as the model made it: what ran may have had another name or input. */
export function modelCall({ tool, state }: ToolPart): { tool: string; input: Record<string, unknown> } {
  const asked = state.status === "pending" ? undefined : state.metadata?.asked;
  return asked ?? { tool, input: state.input };
}

/** Returns a tool name that the APIs accept: models have called tools by invalid names. */
export function validToolName(part: ToolPart): string {
  return (
    modelCall(part)
      .tool.replace(/[^\w-]/g, "_")
      .slice(0, 64) || "unnamed"
  );
}

export function toolResult({ state }: ToolPart): { text: string; failed: boolean; files: FilePart[] } {
  switch (state.status) {
    case "completed":
      // Some servers reject an empty result.
      return {
        text: state.output.trim() ? state.output : "(no output)",
        failed: false,
        files: state.attachments ?? [],
      };
    case "error":
      return { text: state.error || "Failed without a message", failed: true, files: [] };
    case "pending":
    case "running":
      return { text: "Tool execution aborted", failed: true, files: [] };
    default:
      return never(state);
  }
}

export function callData({ state }: ToolPart): Record<string, unknown> | undefined {
  return state.status === "pending" ? state.provider : state.metadata?.provider;
}

export type FileContent =
  | { type: "text"; text: string }
  /** `data` is base64. */
  | { type: "image"; mime: string; data: string; url: string }
  | { type: "pdf"; data: string; url: string; filename: string };

/** Converts a file for the model: to its text with path and lines, an image, a PDF, or a sentence that names it. */
export function fileContent(part: FilePart, { withFiles }: Pick<EncodeOptions, "withFiles">): FileContent {
  const content = wholeContent(part);
  return withFiles || content.type === "text" ? content : { type: "text", text: hiddenFile(part) };
}

/** Returns a sentence for an image or a PDF that the model is not shown. */
export function hiddenFile({ mime, filename }: FilePart): string {
  const kind = mime === "application/pdf" ? "a PDF" : "an image";
  return `(${filename}, ${kind}, is not shown: this model does not take it.)`;
}

function wholeContent({ mime, filename, url, source }: FilePart): FileContent {
  if (source) {
    return { type: "text", text: `${filename}, lines ${source.start}–${source.end}:\n${fenced(source.text)}` };
  }
  const data = base64In(url);
  if (data !== undefined) {
    if (/^image\/(png|jpeg|gif|webp)$/.test(mime)) return { type: "image", mime, data, url };
    if (mime === "application/pdf") return { type: "pdf", data, url, filename };
    if (mime.startsWith("text/")) {
      const text = new TextDecoder().decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)));
      return { type: "text", text: `${filename}:\n${fenced(text)}` };
    }
    return { type: "text", text: `(The file ${filename} of type ${mime} was attached; it cannot be shown here.)` };
  }
  return { type: "text", text: `(The user points to the file ${filename}.)` };
}
