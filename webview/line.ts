/** What a tool call's line says: verb, object, result. */
import type { CallMetadata, ToolPart } from "../src/loop/message.ts";
import { never } from "../src/loop/never.ts";
import { relative } from "./format.ts";
import { partialStrings } from "./partial.ts";
import { visible } from "./visible.ts";

export interface Line {
  glyph: string;
  verb: string;
  /** What the verb is done to; empty when the verb says it all. */
  object: string;
  /** The object is code: a command or a pattern. */
  code: boolean;
  state: "pending" | "running" | "asks" | "done" | "failed";
  /** The state in words, for those who do not see the glyph. */
  stateWord: string;
  fact: string;
  tone: "good" | "bad" | "warn" | "plain";
}

/** Neighbours of one kind fold into one line. */
export type Kind = "read" | "edit" | "search" | "other";

interface Face {
  kind: Kind;
  glyph: string;
  /** Asked or failed, under way, done. */
  verbs: [string, string, string];
  /** The argument that the line names. */
  field: string;
  code: boolean;
}

const faces: Record<string, Face> = {
  bash: { kind: "other", glyph: "terminal", verbs: ["Run", "Running", "Ran"], field: "command", code: true },
  read: { kind: "read", glyph: "file", verbs: ["Read", "Reading", "Read"], field: "file_path", code: false },
  write: { kind: "edit", glyph: "new-file", verbs: ["Write", "Writing", "Wrote"], field: "file_path", code: false },
  edit: { kind: "edit", glyph: "edit", verbs: ["Edit", "Editing", "Edited"], field: "file_path", code: false },
  glob: { kind: "search", glyph: "search", verbs: ["Find", "Finding", "Found"], field: "pattern", code: true },
  grep: { kind: "search", glyph: "search", verbs: ["Search", "Searching", "Searched"], field: "pattern", code: true },
};

export function kindOf(tool: string): Kind {
  return faces[tool]?.kind ?? "other";
}

/** The string arguments of a call, as far as they are known. */
export function argumentsOf(part: ToolPart): Record<string, string> {
  const { state } = part;
  if (state.status === "pending" && Object.keys(state.input).length === 0) return partialStrings(state.raw);
  const strings = Object.entries(state.input).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return Object.fromEntries(strings);
}

/** `asks`: a question about this call is open. Paths are shown as seen from `cwd`. */
export function lineOf(part: ToolPart, asks: boolean, cwd: string): Line {
  const { glyph, verbs, object, code } = nameOf(part, cwd);
  const line = { glyph, object: visible(object), code, fact: "", tone: "plain" } as const;
  if (asks) {
    const fact = "waiting for you";
    return { ...line, glyph: "question", verb: verbs[0], state: "asks", stateWord: fact, fact, tone: "warn" };
  }
  const { state } = part;
  switch (state.status) {
    case "pending":
      return { ...line, glyph: "circle-filled", verb: verbs[1], state: "pending", stateWord: "being written" };
    case "running":
      return { ...line, glyph: "circle-filled", verb: verbs[1], state: "running", stateWord: "running" };
    case "completed":
      return { ...line, verb: verbs[2], state: "done", stateWord: "done", ...factOf(state.metadata) };
    case "error": {
      const fact = factOf(state.metadata).fact || "failed";
      return { ...line, glyph: "error", verb: verbs[0], state: "failed", stateWord: "failed", fact, tone: "bad" };
    }
    default:
      return never(state);
  }
}

function factOf(metadata: CallMetadata | undefined): { fact: string; tone: Line["tone"] } {
  return { fact: metadata?.fact ?? "", tone: metadata?.tone ?? "plain" };
}

function nameOf(part: ToolPart, cwd: string): Pick<Face, "glyph" | "verbs" | "code"> & { object: string } {
  if (part.tool === "task") {
    const { subagent_type, agent = "subagent", description = "" } = argumentsOf(part);
    const verb = visible(subagent_type ?? agent);
    return { glyph: "hubot", verbs: [verb, verb, verb], object: description, code: false };
  }
  const face = faces[part.tool];
  if (!face) {
    const title = "title" in part.state ? part.state.title : undefined;
    const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(part.tool) ?? [];
    const object = title ?? (server ? `${tool} of ${server}` : part.tool);
    return { glyph: "tools", verbs: title ? ["", "", ""] : ["Use", "Using", "Used"], object, code: false };
  }
  const value = argumentsOf(part)[face.field] ?? "";
  const object = face.code ? firstLine(value) : relative(value, cwd);
  return { ...face, object };
}

function firstLine(text: string): string {
  const end = text.indexOf("\n");
  return end < 0 ? text : `${text.slice(0, end)} …`;
}
