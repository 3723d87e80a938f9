/**
 * What the loop knows of each kind of part: its size in requests and its name there, what becomes of it when the user
 * drops or pins it, and when its session is exported, imported or copied. Each table has an entry for each kind.
 * Its texts are for the model and for exported files, which are in English; the names are for people.
 */

import { fenced } from "../base/fence.ts";
import { commentText, placeName } from "../chat/comments.ts";
import type { PieceView } from "../chat/context-views.ts";
import { diffsOf } from "../chat/diffs.ts";
import type { FilePart, Message, Part, PartOf, TextPart, ToolPart } from "../chat/message.ts";
import { ruleSubjectOf } from "../chat/tool-cards.ts";
import { counted, t } from "../l10n/l10n.ts";
import { sizeOfText } from "./context/token-size.ts";

type PieceName = Pick<PieceView, "kind" | "name" | "detail">;

/** Makes the parts that repeat a pinned one, each with an id of its own. `title`: what it is, for the model. */
interface PinCopies {
  text(title: string, text: string): TextPart;
  file(file: FilePart): FilePart;
}

/** The ids of a copied session by those of its original; unknown ones stay. */
interface CopiedIDs {
  message(id: string): string;
  /** Of the part that a pin points to, which may be left out of the copy. */
  part(id: string): string;
}

interface PartKind<P extends Part> {
  /** Tokens that it takes in a request. */
  size(part: P): number;
  /** A file, what a call was about, or the first words of a text in quotation marks: for people. */
  name(part: P, role: Message["role"]): PieceName;
  /** What is sent in its place once the user has dropped it, for the model; undefined: it cannot be dropped. */
  instead(part: P, isOfUser: boolean): Part | undefined;
  /** What repeats it after a compaction if the user has pinned it; an output stays data there. Empty: it cannot be pinned. */
  pinned(part: P, copies: PinCopies, isOfUser: boolean): (TextPart | FilePart)[];
}

const unnamed = ({ type }: Part): PieceName => ({ kind: "output", name: type, detail: "" });
const nothing = () => 0;
const none = () => [];

/** A kind that the user neither pins nor drops. */
const noPiece = { name: unnamed, instead: () => undefined, pinned: none };
/** A kind that no request has. */
const unsent: PartKind<Part> = { ...noPiece, size: nothing };

const kinds: { [Type in Part["type"]]: PartKind<PartOf<Type>> } = {
  text: {
    size: (part) => (part.ignored ? 0 : sizeOfTextIn(part, part.text)),
    name: ({ text }, role) => ({
      kind: role === "user" ? "you" : "answer",
      name: quoted(text),
      detail: role === "user" ? t("you|wrote it") : "Rondo",
    }),
    instead(part, isOfUser) {
      if (part.ignored || (part.synthetic && part.pin === undefined)) return undefined;
      if (part.pin !== undefined)
        return asText(part, "(The user has unpinned this and taken it out of the conversation.)");
      return asText(part, `(The user has taken this ${isOfUser ? "message" : "answer"} out of the conversation.)`);
    },
    pinned: ({ text }, copies, isOfUser) => [
      copies.text(isOfUser ? "what the user said" : "what you said", isOfUser ? text : fenced(text)),
    ],
  },
  reasoning: { ...noPiece, size: (part) => sizeOfTextIn(part, part.text) },
  tool: {
    size: (part) => sizeOfInput(part) + sizeOfOutput(part),
    name({ tool, state }) {
      const path = state.input["file_path"];
      if (tool === "read" && typeof path === "string") return { kind: "file", ...inFolder(path, t("read|file")) };
      const title = state.status === "pending" ? "" : (state.title ?? "");
      const output = state.status === "completed" ? state.output : state.status === "error" ? state.error : "";
      const detail = counted(output.split("\n").length, "output, {0} line", "output, {0} lines");
      return { kind: ruleSubjectOf(tool) === "address" ? "page" : "output", name: cut(title || tool), detail };
    },
    // A call keeps its one result (I8).
    instead(part) {
      const { state } = part;
      const text = "(The user has taken this output out of the conversation. Call the tool again if you need it.)";
      if (state.status === "error") return { ...part, state: { ...state, error: text } };
      if (state.status !== "completed") return undefined;
      const { attachments: _, ...rest } = state;
      return { ...part, state: { ...rest, output: text } };
    },
    pinned({ state, tool }, copies) {
      const title = `the output of ${tool} (${state.status === "pending" ? "" : (state.title ?? "")}), which is data`;
      if (state.status === "error") return [copies.text(title, fenced(state.error))];
      if (state.status !== "completed") return [];
      return [copies.text(title, fenced(state.output)), ...(state.attachments ?? []).map((file) => copies.file(file))];
    },
  },
  file: {
    size: ({ source, mime, url }) =>
      source ? sizeOfText(source.text) : mime.startsWith("text/") ? url.length / 4 : tokensPerFile,
    name({ source, mime, filename }) {
      const how = source && !source.whole ? t("attached, lines {0}–{1}", source.start, source.end) : t("attached|file");
      return { kind: mime.startsWith("image/") ? "image" : "file", ...inFolder(filename, how) };
    },
    instead: (part) => asText(part, `(The user has taken the file ${part.filename} out of the conversation.)`),
    pinned: (part, copies) => [copies.file(part)],
  },
  comment: {
    size: (part) => sizeOfTextIn(part, commentText(part)),
    name: (part) => ({ kind: "comment", name: placeName(part), detail: t("your comment") }),
    instead: (part) => asText(part, "(The user has taken this comment out of the conversation.)"),
    pinned: (part, copies) => [copies.text("a comment of the user", commentText(part))],
  },
  subtask: unsent,
  agent: unsent,
  tools: { ...noPiece, size: ({ added }) => sizeOfText(JSON.stringify(added)) },
  compaction: unsent,
  retry: unsent,
  "step-start": unsent,
  "step-finish": unsent,
  patch: unsent,
};

export function kindOf(part: Part): PartKind<Part> {
  return kinds[part.type] as PartKind<Part>; // TypeScript does not relate a part to the entry of its kind
}

const hidden = () => "";

/** The block of an exported file, which is in English; empty for none. Not in `kinds`, for the command line has no export. */
const blocks: { [Type in Part["type"]]: (part: PartOf<Type>) => string } = {
  text: ({ synthetic, text }) => (synthetic ? "" : text.trim()),
  reasoning: ({ text }) => text.trim().replace(/^/gm, "> "),
  tool: toolBlock,
  file: ({ pin, filename, source }) =>
    pin !== undefined
      ? ""
      : `📎 ${oneLine(filename)}${source && !source.whole ? `, lines ${source.start}–${source.end}` : ""}`,
  comment: (part) => `**${oneLine(placeName(part))}**\n\n${fenced(part.source.text)}\n\n${part.text.trim()}`,
  subtask: ({ agent, description, prompt }) =>
    `**Task for ${oneLine(agent)}:** ${oneLine(description)}\n\n${prompt.trim()}`,
  agent: ({ name }) => `@${oneLine(name)}`,
  compaction: ({ plan }) =>
    plan === undefined
      ? "*The conversation was compacted here.*"
      : "*A fresh context began here: the plan took the place of the conversation.*",
  tools: hidden,
  retry: hidden,
  "step-start": hidden,
  "step-finish": hidden,
  patch: hidden,
};

export function markdownOf(part: Part): string {
  return (blocks[part.type] as (part: Part) => string)(part);
}

/** How a part comes into another session. */
interface Moving<P extends Part> {
  /** Returns it without what refers to files and sessions of its origin. */
  imported(part: P): Part;
  /** Its files: an import may load none from the network. */
  files(part: P): readonly FilePart[];
  /** Makes it point to the copies of what it points to. */
  copied(part: P, ids: CopiedIDs): Part;
}

const same = (part: Part) => part;
/** A kind that refers to nothing. */
const standsAlone: Moving<Part> = { imported: same, files: none, copied: same };

const moving: { [Type in Part["type"]]: Moving<PartOf<Type>> } = {
  text: {
    imported: ({ changed: _, decided: __, ...part }) => part,
    files: none,
    copied: (part, ids) => (part.pin === undefined ? part : { ...part, pin: ids.part(part.pin) }),
  },
  reasoning: standsAlone,
  tool: {
    imported(part) {
      if (part.state.status === "pending" || !part.state.metadata) return part;
      const { childID: _, outputFile: __, seen: ___, ...metadata } = part.state.metadata;
      return { ...part, state: { ...part.state, metadata } };
    },
    files: ({ state }) => (state.status === "completed" ? (state.attachments ?? []) : []),
    copied: same,
  },
  file: {
    imported: ({ seen: _, ...part }) => part,
    files: (part) => [part],
    copied: (part, ids) => (part.pin === undefined ? part : { ...part, pin: ids.part(part.pin) }),
  },
  comment: {
    imported: same,
    files: none,
    copied: (part, ids) =>
      part.place.type === "plan" ? { ...part, place: { ...part.place, planID: ids.message(part.place.planID) } } : part,
  },
  subtask: standsAlone,
  agent: standsAlone,
  tools: standsAlone,
  compaction: {
    imported: same,
    files: none,
    copied: (part, ids) => (part.plan === undefined ? part : { ...part, plan: ids.message(part.plan) }),
  },
  retry: standsAlone,
  "step-start": standsAlone,
  "step-finish": standsAlone,
  patch: standsAlone,
};

export function movingOf(part: Part): Moving<Part> {
  return moving[part.type] as Moving<Part>; // As above
}

/** Tokens of an image with both providers, about the same for every size on disk. */
const tokensPerFile = 1600;

/** Sizes of texts, by the part that holds them and the text's length: parts that stream grow. */
const textSizes = new WeakMap<object, { length: number; size: number }>();

function sizeOfTextIn(part: object, text: string): number {
  const known = textSizes.get(part);
  if (known?.length === text.length) return known.size;
  const size = sizeOfText(text);
  textSizes.set(part, { length: text.length, size });
  return size;
}

const inputSizes = new WeakMap<ToolPart, number>();

function sizeOfInput(part: ToolPart): number {
  const known = inputSizes.get(part) ?? sizeOfText(JSON.stringify(part.state.input)) + 20;
  inputSizes.set(part, known);
  return known;
}

/** Returns the tokens of the result of a call; 0 while it has none. */
export function sizeOfOutput({ state }: ToolPart): number {
  if (state.status === "error") return sizeOfTextIn(state, state.error);
  if (state.status !== "completed") return 0;
  return sizeOfTextIn(state, state.output) + (state.attachments?.length ?? 0) * tokensPerFile;
}

function asText({ id, sessionID, messageID }: Part, text: string): TextPart {
  return { id, sessionID, messageID, type: "text", text, synthetic: true };
}

const longestName = 80;

/** Returns the name of a file, and its folder with what was done. */
function inFolder(path: string, done: string): Pick<PieceName, "name" | "detail"> {
  const parts = path.split(/[\\/]/);
  if (parts.at(-1) === "") parts.pop();
  const name = parts.pop() ?? path;
  const folder = path.slice(0, Math.max(0, path.lastIndexOf(name) - 1));
  return { name: cut(name || path), detail: folder === "" ? done : `${cut(folder)} · ${done}` };
}

function quoted(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return `“${cut(line)}”`;
}

function cut(text: string): string {
  const line = oneLine(text);
  return line.length > longestName ? `${line.slice(0, longestName).toWellFormed()}…` : line;
}

function toolBlock(part: ToolPart): string {
  const title = part.state.status === "pending" ? "" : oneLine(part.state.title ?? "");
  const head = `**${oneLine(part.tool)}** ${title}`.trim();
  const input = fenced(JSON.stringify(part.state.input, undefined, 2), "json");
  if (!isAnswered(part)) return `${head}\n\n${input}`;
  const diffs = diffsOf(part.state.metadata ?? {});
  const failed = part.state.status === "error" ? " · failed" : "";
  const patches = diffs.map(({ patch }) => fenced(patch, "diff")).join("\n\n");
  const body = patches || `${input}\n\n${fenced(outputOf(part))}`;
  return `${head}${failed}\n\n${body}`;
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

export interface Answered extends ToolPart {
  state: Extract<ToolPart["state"], { status: "completed" | "error" }>;
}

export function isAnswered(part: Part): part is Answered {
  return part.type === "tool" && (part.state.status === "completed" || part.state.status === "error");
}

export function outputOf({ state }: Answered): string {
  return state.status === "completed" ? state.output : state.error;
}
