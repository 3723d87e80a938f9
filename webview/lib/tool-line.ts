/** Describes a tool call in one line: verb, object, result. */
import type { CallMetadata, ToolPart } from "../../src/chat/message.ts";
import { never } from "../../src/chat/never.ts";
import { escapeInvisible } from "./escape-invisible.ts";
import { count, relative } from "./format.ts";
import { partialList, partialStrings } from "./partial-json.ts";

export interface ToolLine {
  glyph: string;
  verb: string;
  object: string;
  /** Whether the object is code: a command or a pattern. */
  code: boolean;
  state: "pending" | "running" | "asks" | "done" | "failed";
  stateWord: string;
  fact: string;
  tone: "good" | "bad" | "warn" | "plain";
}

/** Neighbouring calls of one kind collapse into one line. */
export type ToolKind = "read" | "edit" | "search" | "other";

interface ToolLook {
  kind: ToolKind;
  glyph: string;
  /** Asked or failed, in progress, done. */
  verbs: [string, string, string];
  /** The arguments that may be the object, the first present one wins; or a function that returns the object. */
  field: readonly string[] | ((input: Record<string, string>, part: ToolPart, cwd: string) => string);
  code: boolean;
}

const edited: Pick<ToolLook, "kind" | "glyph" | "verbs" | "code"> = {
  kind: "edit",
  glyph: "edit",
  verbs: ["Edit", "Editing", "Edited"],
  code: false,
};
const searched: Pick<ToolLook, "glyph" | "verbs" | "code"> = {
  glyph: "search",
  verbs: ["Search", "Searching", "Searched"],
  code: true,
};
const reads: ToolLook = {
  kind: "read",
  glyph: "file",
  verbs: ["Read", "Reading", "Read"],
  field: ["file_path"],
  code: false,
};
const other = { kind: "other", code: false } as const;
const commandID = (input: Record<string, string>) => input["id"] ?? "the background";

const faces: Record<string, ToolLook> = {
  bash: { ...other, glyph: "terminal", verbs: ["Run", "Running", "Ran"], field: ["command"], code: true },
  bash_output: {
    ...other,
    glyph: "server-process",
    verbs: ["Look at", "Looking at", "Looked at"],
    field: commandID,
    code: true,
  },
  bash_kill: { ...other, glyph: "debug-stop", verbs: ["End", "Ending", "Ended"], field: commandID, code: true },
  read: reads,
  write: { ...edited, glyph: "new-file", verbs: ["Write", "Writing", "Wrote"], field: ["file_path"] },
  edit: { ...edited, field: ["file_path"] },
  multi_edit: { ...edited, field: ["file_path"] },
  apply_patch: { ...edited, field: patchedFiles },
  notebook_edit: { ...edited, glyph: "notebook", field: ["notebook_path", "file_path"] },
  glob: { kind: "search", ...searched, verbs: ["Find", "Finding", "Found"], field: ["pattern"] },
  grep: { kind: "search", ...searched, field: ["pattern"] },
  symbols: {
    kind: "search",
    glyph: "references",
    verbs: ["Look up", "Looking up", "Looked up"],
    field: ["symbol", "path"],
    code: true,
  },
  web_fetch: { ...other, glyph: "globe", verbs: ["Fetch", "Fetching", "Fetched"], field: ["url"] },
  diagnostics: { ...other, glyph: "warning", verbs: ["Check", "Checking", "Checked"], field: checkedFile },
  todo_write: { ...other, glyph: "checklist", verbs: ["Update", "Updating", "Updated"], field: () => "the to-dos" },
  ask_user: {
    ...other,
    glyph: "comment-discussion",
    verbs: ["Ask", "Asking", "Asked"],
    field: (_, part) => objectsOf(part, "questions")[0]?.["question"] ?? "",
  },
  tool_search: {
    ...other,
    glyph: "tools",
    verbs: ["Look for tools", "Looking for tools", "Looked for tools"],
    field: ["query"],
    code: true,
  },
};

function patchedFiles(input: Record<string, string>, _: ToolPart, cwd: string): string {
  const text = input["patch"] ?? input["input"] ?? "";
  const paths = [...text.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.*)$/gm)].map(([, path = ""]) => path.trim());
  return paths.length > 1 ? count(paths.length, "file") : relative(paths[0] ?? "", cwd);
}

function checkedFile(input: Record<string, string>, _: ToolPart, cwd: string): string {
  const path = input["path"] ?? "";
  return path === "" ? "problems" : `problems in ${relative(path, cwd)}`;
}

export function toolKindOf(tool: string): ToolKind {
  return faces[tool]?.kind ?? "other";
}

/** Returns the string arguments of a call, including those that are still being written. */
export function argumentsOf(part: ToolPart): Record<string, string> {
  const { state } = part;
  if (state.status === "pending" && Object.keys(state.input).length === 0) return partialStrings(state.raw);
  return stringsOf(state.input);
}

/** Returns the string fields of the objects in the list `name` of the arguments, including those still being written. */
export function objectsOf(part: ToolPart, name: string): Record<string, string>[] {
  const { state } = part;
  if (state.status === "pending" && Object.keys(state.input).length === 0) return partialList(state.raw, name);
  const list = state.input[name];
  return Array.isArray(list) ? list.map(stringsOf) : [];
}

function stringsOf(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
}

/** `asks`: a question about this call is open. Paths are shown relative to `cwd`. */
export function toolLineOf(part: ToolPart, asks: boolean, cwd: string): ToolLine {
  const { glyph, verbs, object, code } = callName(part, cwd);
  const line = { glyph, object: escapeInvisible(object), code, fact: "", tone: "plain" } as const;
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

function factOf(metadata: CallMetadata | undefined): { fact: string; tone: ToolLine["tone"] } {
  return { fact: metadata?.fact ?? "", tone: metadata?.tone ?? "plain" };
}

type NamedCall = Pick<ToolLook, "glyph" | "verbs" | "code"> & { object: string };

function callName(part: ToolPart, cwd: string): NamedCall {
  if (part.tool === "task") {
    const { subagent_type, agent = "subagent", description = "" } = argumentsOf(part);
    const verb = escapeInvisible(subagent_type ?? agent);
    return { glyph: "hubot", verbs: [verb, verb, verb], object: description, code: false };
  }
  const input = argumentsOf(part);
  const tool = part.tool === "tool_call" ? (input["name"] ?? "") : part.tool;
  const face = faces[tool];
  if (!face) return externalCallName(tool, part);
  if (typeof face.field === "function") return { ...face, object: face.field(input, part, cwd) };
  const value = face.field.map((name) => input[name]).find((text) => text !== undefined) ?? "";
  return { ...face, object: face.code ? firstLine(value) : relative(value, cwd) };
}

function externalCallName(tool: string, part: ToolPart): NamedCall {
  const [, server, asked] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  if (server) return { glyph: "server", verbs: ["Ask", "Asking", "Asked"], object: `${server}: ${asked}`, code: false };
  const [, given] = /^vscode__(.+)$/.exec(tool) ?? [];
  if (given) return { glyph: "extensions", verbs: ["Use", "Using", "Used"], object: given, code: false };
  const title = "title" in part.state ? part.state.title : undefined;
  const verbs: ToolLook["verbs"] = title ? ["", "", ""] : ["Use", "Using", "Used"];
  return { glyph: "tools", verbs, object: title ?? (tool || part.tool), code: false };
}

/** Returns the first line; "…" stands for the rest. */
export function firstLine(text: string): string {
  const end = text.indexOf("\n");
  return end < 0 ? text : `${text.slice(0, end)} …`;
}
