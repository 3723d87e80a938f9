/** Imports transcripts of Rondo and other programs into a new session. The text is untrusted. */

import * as z from "zod/mini";
import { newID } from "../../base/ids.ts";
import { never } from "../../base/never.ts";
import { type Chat, type Entry, newChat } from "../../chat/apply.ts";
import { PieceState, Pruned, Queued, SessionInfo } from "../../chat/events.ts";
import { type AssistantMessage, Message, Part, type ToolPart } from "../../chat/message.ts";
import { noTokens } from "../../chat/token-counts.ts";
import { english, msg } from "../../l10n/l10n.ts";
import { movingOf } from "../part-kinds.ts";
import { titleFromPrompt } from "../session/title.ts";
import { transcriptVersion } from "./export.ts";
import { copySteps } from "./fork.ts";
import { runInSlices, runSteps, type Steps } from "./slices.ts";

/** `message` is a sentence for people. */
export class ImportError extends Error {
  override readonly name = "ImportError";
}

/** A larger file is not a conversation. */
const maxBytes = 256 << 20;
const maxLines = 500_000;

const Header = z.object({
  rondo: z.object({
    transcript: z.number(),
    session: SessionInfo,
    queue: z.array(Queued),
    pruned: z.optional(Pruned),
    pieces: z.optional(z.record(z.string(), PieceState)),
  }),
});

const Text = z.union([
  z.string(),
  z.null(),
  z.array(z.looseObject({ type: z.string(), text: z.optional(z.string()) })),
]);

const Call = z.union([
  z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }),
  z.object({ id: z.string(), name: z.string(), input: z.record(z.string(), z.unknown()) }),
]);

const base = { content: z.optional(Text), timestamp: z.optional(z.union([z.string(), z.number()])) };
const Own = z.object({ info: Message, parts: z.array(Part) });

const Line = z.discriminatedUnion("role", [
  z.object({ ...base, role: z.literal("user"), rondo: z.optional(Own) }),
  z.object({
    ...base,
    role: z.literal("assistant"),
    tool_calls: z.optional(z.nullable(z.array(Call))),
    rondo: z.optional(Own),
  }),
  z.object({
    ...base,
    role: z.literal("tool"),
    tool_call_id: z.string(),
    rondo: z.optional(z.object({ partID: z.string() })),
  }),
  /** Instructions for another agent do not apply to this one. */
  z.object({ role: z.enum(["system", "developer"]) }),
]);
type Line = z.infer<typeof Line>;
type LineOf<Role extends Line["role"]> = Extract<Line, { role: Role }>;
type Content = LineOf<"user">["content"];

/** Model name for replies of other programs; no provider uses it. */
const unknownModel = { providerID: "imported", modelID: "unknown" };

/** `cwd` replaces the folder named in the file. @throws ImportError */
export function importTranscript(text: string, cwd: string): Chat {
  return runSteps(importSteps(new TextEncoder().encode(text), cwd));
}

/** As `importTranscript`, in slices, so that other work goes on. Rejects with the signal's reason when it aborts. */
export function importInSlices(file: Uint8Array, cwd: string, signal: AbortSignal): Promise<Chat> {
  return runInSlices(importSteps(file, cwd), signal);
}

/** Yields after each line. */
export function* importSteps(file: Uint8Array, cwd: string): Steps<Chat> {
  if (file.length > maxBytes) throw new ImportError(msg("The file is too large for a conversation."));
  let header: Header;
  let entries: Entries | undefined;
  for (const { text, at } of linesOf(file)) {
    if (at > maxLines) throw new ImportError(msg("The file has more than {0} lines.", maxLines));
    yield;
    if (text.trim() === "") continue;
    const value = parse(text, at);
    if (entries) entries.add(lineOf(value, at));
    else {
      header = headerOf(value);
      entries = new Entries(header?.session.id ?? "ses");
      if (!header) entries.add(lineOf(value, at));
    }
  }
  const messages = entries?.all ?? [];
  if (messages.length === 0) throw new ImportError(msg("There is no message in the file."));
  const { createdAt, title } = header?.session ?? {
    createdAt: messages[0]?.info.createdAt ?? Date.now(),
    title: titleOf(messages),
  };
  const chat = newChat({ id: "", createdAt, title, cwd });
  chat.messages = messages;
  chat.queue = header?.queue ?? [];
  chat.pruned = header?.pruned;
  chat.pieces = header?.pieces ?? {};
  return yield* copySteps(chat, { createdAt, title, cwd });
}

const newline = 10;

/** Yields the lines with their numbers, each decoded when it is wanted. */
function* linesOf(file: Uint8Array): Generator<{ text: string; at: number }, void> {
  const decoder = new TextDecoder();
  for (let start = 0, at = 1; start < file.length; at++) {
    const found = file.indexOf(newline, start);
    const end = found < 0 ? file.length : found;
    yield { text: decoder.decode(file.subarray(start, end)), at };
    start = end + 1;
  }
}

function parse(line: string, at: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new ImportError(msg("Line {0} is not JSON. A transcript has a JSON object in each line.", at));
  }
}

type Header = z.infer<typeof Header>["rondo"] | undefined;

/** Returns undefined for a file of another program. */
function headerOf(value: unknown): Header {
  if (typeof value !== "object" || value === null || !("rondo" in value) || "role" in value) return undefined;
  if (typeof value.rondo === "number") {
    throw new ImportError(msg("This is a session's own record. Export the session, then import what was exported."));
  }
  const { data } = Header.safeParse(value);
  if (!data) throw new ImportError(msg("The first line is not the beginning of an exported session."));
  if (data.rondo.transcript > transcriptVersion) {
    throw new ImportError(msg("The file was written by a newer Rondo. Update Rondo to import it."));
  }
  return data.rondo;
}

function lineOf(value: unknown, at: number): Line {
  const { data, error } = Line.safeParse(value);
  if (data) return data;
  const [issue] = error.issues;
  const where = issue && issue.path.length > 0 ? ` (${issue.path.join(".")}: ${issue.message})` : "";
  throw new ImportError(msg("Line {0} is not a message of a transcript{1}.", at, where));
}

class Entries {
  readonly #sessionID: string;
  readonly #entries: Entry[] = [];
  /** Calls by the id in their result: the part's, or the call's own. */
  readonly #calls = new Map<string, ToolPart>();
  #user: string | undefined;

  constructor(sessionID: string) {
    this.#sessionID = sessionID;
  }

  get all(): Entry[] {
    return this.#entries;
  }

  add(line: Line): void {
    switch (line.role) {
      case "user":
        if (line.rondo) this.#addOwn(line.rondo);
        else this.#addUser(line);
        return;
      case "assistant":
        if (line.rondo) this.#addOwn(line.rondo);
        else this.#addReply(line);
        return;
      case "tool":
        this.#answer(line);
        return;
      case "system":
      case "developer":
        return;
      default:
        never(line);
    }
  }

  #addOwn({ info, parts }: z.infer<typeof Own>): void {
    const kept = parts.filter((part) => isHarmless(part) && !isTold(part)).map((part) => movingOf(part).imported(part));
    for (const part of kept) if (part.type === "tool") this.#calls.set(part.id, part);
    this.#entries.push({ info, parts: kept });
    if (info.role === "user") this.#user = info.id;
  }

  #addUser(line: LineOf<"user">): void {
    const info = { ...this.#base(line), role: "user", agent: "build", model: unknownModel } as const;
    this.#user = info.id;
    this.#entries.push({ info, parts: this.#text(info.id, line.content) });
  }

  /** A reply before the first prompt answers nothing and is left out. */
  #addReply(line: LineOf<"assistant">): void {
    if (this.#user === undefined) return;
    const at = this.#base(line);
    const calls = (line.tool_calls ?? []).map((call) => this.#call(call, at));
    for (const call of calls) this.#calls.set(call.callID, call);
    const info: AssistantMessage = {
      ...at,
      role: "assistant",
      parentID: this.#user,
      agent: "build",
      model: unknownModel,
      path: { cwd: "", root: "" },
      completedAt: at.createdAt,
      finish: calls.length > 0 ? "tool-calls" : "stop",
      tokens: noTokens,
    };
    this.#entries.push({ info, parts: [...this.#text(info.id, line.content), ...calls] });
  }

  #call(call: z.infer<typeof Call>, { id: messageID, createdAt }: { id: string; createdAt: number }): ToolPart {
    const { tool, input } =
      "function" in call
        ? { tool: call.function.name, input: argumentsOf(call.function.arguments) }
        : { tool: call.name, input: call.input };
    const base = { id: newID("prt"), sessionID: this.#sessionID, messageID, type: "tool", callID: call.id } as const;
    const error = english("The result is not in the transcript.");
    return { ...base, tool, state: { status: "error", input, error, start: createdAt, end: createdAt } };
  }

  #answer({ rondo, tool_call_id, content, timestamp }: LineOf<"tool">): void {
    const part = this.#calls.get(rondo?.partID ?? tool_call_id);
    const output = plainText(content);
    if (!part || part.state.status === "pending" || part.state.status === "running") return;
    if (!rondo) {
      const { input, start } = part.state;
      const end = timeOf(timestamp);
      part.state = { status: "completed", input, output, title: part.tool, metadata: {}, start, end };
    } else if (part.state.status === "completed") part.state.output = output;
    else part.state.error = output;
  }

  #text(messageID: string, content: Content): Part[] {
    const text = plainText(content);
    if (text === "") return [];
    return [{ id: newID("prt"), sessionID: this.#sessionID, messageID, type: "text", text }];
  }

  #base({ timestamp }: Pick<LineOf<"user">, "timestamp">) {
    return { id: newID("msg"), sessionID: this.#sessionID, createdAt: timeOf(timestamp) };
  }
}

/** Notes about the exporting project do not hold here. */
function isTold(part: Part): boolean {
  return part.type === "tools" || (part.type === "text" && part.told !== undefined);
}

/** A file must not make Rondo load anything from the network. */
function isHarmless(part: Part): boolean {
  return movingOf(part)
    .files(part)
    .every(({ url }) => /^(data|file):/i.test(url));
}

function plainText(content: Content): string {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  return content.flatMap(({ text }) => (text === undefined ? [] : [text])).join("\n");
}

function argumentsOf(json: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(json || "{}")).data ?? { arguments: json };
  } catch {
    return { arguments: json };
  }
}

function timeOf(timestamp: string | number | undefined): number {
  const time = typeof timestamp === "number" ? timestamp : Date.parse(timestamp ?? "");
  return Number.isNaN(time) ? Date.now() : time;
}

function titleOf(entries: readonly Entry[]): string {
  const text = entries[0]?.parts.find((part) => part.type === "text");
  return (text?.type === "text" && titleFromPrompt(text.text)) || english("Imported session");
}
