/** Describes a tool call in one line: verb, object, result. */

import { never } from "../../src/base/never.ts";
import { wordsForPeople } from "../../src/chat/call-words.ts";
import type { CallMetadata, ToolPart } from "../../src/chat/message.ts";
import { counted, localized, localizedTitle, t } from "../../src/l10n/l10n.ts";
import type { IconName } from "../controls/icons.ts";
import { escapeInvisible } from "../text/escape-invisible.ts";
import { relative, shortened } from "../text/format.ts";
import { partialList, partialStrings } from "./partial-json.ts";

/** A line has room for some hundred. */
const maxObjectCharacters = 500;

export interface ToolLine {
  glyph: IconName;
  verb: string;
  object: string;
  /** Whether the object is code: a command or a pattern. */
  code: boolean;
  state: "pending" | "running" | "asks" | "done" | "denied" | "failed";
  stateWord: string;
  fact: string;
  tone: "good" | "bad" | "warn" | "plain";
}

/** Neighbouring calls of one kind collapse into one line. */
export type ToolKind = "read" | "edit" | "search" | "other";

interface ToolLook {
  kind: ToolKind;
  glyph: IconName;
  /** Asked or failed, in progress, done. */
  verbs: [string, string, string];
  /** The arguments that may be the object, the first present one wins; or a function that returns the object. */
  field: readonly string[] | ((input: Record<string, string>, part: ToolPart, cwd: string) => string);
  code: boolean;
}

const edited = {
  kind: "edit",
  glyph: "edit",
  verbs: [t("Edit"), t("Editing"), t("Edited")],
  field: ["file_path"],
  code: false,
} satisfies ToolLook;
const searches = { kind: "search", glyph: "search", field: ["pattern"], code: true } satisfies Partial<ToolLook>;
const other = { kind: "other", code: false } as const;
const coded = { kind: "other", code: true } as const;
const toolSearchVerbs: ToolLook["verbs"] = [t("Look for tools"), t("Looking for tools"), t("Looked for tools")];
const commandID = (input: Record<string, string>) => input["id"] ?? t("the background");

const faces: Record<string, ToolLook> = {
  bash: { ...coded, glyph: "terminal", verbs: [t("Run"), t("Running"), t("Ran")], field: ["command"] },
  bash_output: {
    ...coded,
    glyph: "server-process",
    verbs: [t("Look at"), t("Looking at"), t("Looked at")],
    field: commandID,
  },
  bash_kill: {
    ...coded,
    glyph: "debug-stop",
    verbs: [t("End|a command"), t("Ending"), t("Ended|a command")],
    field: commandID,
  },
  read: {
    kind: "read",
    glyph: "file",
    verbs: [t("Read"), t("Reading"), t("Read|done")],
    field: ["file_path"],
    code: false,
  },
  write: { ...edited, glyph: "new-file", verbs: [t("Write"), t("Writing"), t("Wrote")] },
  edit: edited,
  multi_edit: edited,
  apply_patch: { ...edited, field: patchedFiles },
  notebook_edit: { ...edited, glyph: "notebook", field: ["notebook_path", "file_path"] },
  glob: { ...searches, verbs: [t("Find"), t("Finding"), t("Found")] },
  grep: { ...searches, verbs: [t("Search"), t("Searching"), t("Searched")] },
  symbols: {
    kind: "search",
    glyph: "references",
    verbs: [t("Look up"), t("Looking up"), t("Looked up")],
    field: ["symbol", "path"],
    code: true,
  },
  rename_symbol: { ...edited, verbs: [t("Rename"), t("Renaming"), t("Renamed")], field: ["symbol"], code: true },
  code_action: { ...edited, glyph: "lightbulb", verbs: [t("Apply"), t("Applying"), t("Applied")], field: chosenAction },
  web_fetch: { ...other, glyph: "globe", verbs: [t("Fetch"), t("Fetching"), t("Fetched")], field: ["url"] },
  diagnostics: { ...other, glyph: "warning", verbs: [t("Check"), t("Checking"), t("Checked")], field: checkedFile },
  todo_write: {
    ...other,
    glyph: "checklist",
    verbs: [t("Update"), t("Updating"), t("Updated")],
    field: () => t("the to-dos"),
  },
  ask_user: {
    ...other,
    glyph: "comment-discussion",
    verbs: [t("Ask"), t("Asking"), t("Asked")],
    field: (_, part) => objectsOf(part, "questions")[0]?.["question"] ?? "",
  },
  tool_search: { ...coded, glyph: "tools", verbs: toolSearchVerbs, field: ["query"] },
};

function patchedFiles(input: Record<string, string>, _: ToolPart, cwd: string): string {
  const text = input["patch"] ?? input["input"] ?? "";
  const paths = [...text.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.*)$/gm)].map(([, path = ""]) => path.trim());
  return paths.length > 1 ? counted(paths.length, "{0} file", "{0} files") : relative(paths[0] ?? "", cwd);
}

function chosenAction(input: Record<string, string>, _: ToolPart, cwd: string): string {
  return input["title"] ?? t("actions of {0}", relative(input["path"] ?? "", cwd));
}

function checkedFile(input: Record<string, string>, _: ToolPart, cwd: string): string {
  const path = input["path"] ?? "";
  return path === "" ? t("problems") : t("problems in {0}", relative(path, cwd));
}

export function toolKindOf(tool: string): ToolKind {
  return faces[tool]?.kind ?? "other";
}

/** Returns the string arguments of a call, including those that are still being written. */
export function argumentsOf(part: ToolPart): Record<string, string> {
  const { state } = part;
  if (state.status !== "pending" || Object.keys(state.input).length > 0) return stringsOf(state.input);
  // The input of a tool with a grammar is a text, not JSON: a patch.
  const isText = state.raw !== "" && !/^\s*\{/.test(state.raw);
  return isText ? { input: state.raw } : partialStrings(state.raw);
}

/** Returns the string fields of the objects in the list `name` of the arguments, also while they stream. */
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
  const line = {
    glyph,
    object: escapeInvisible(shortened(object, maxObjectCharacters)),
    code,
    fact: "",
    tone: "plain",
  } as const;
  if (asks) {
    const fact = t("waiting for you");
    return { ...line, glyph: "question", verb: verbs[0], state: "asks", stateWord: fact, fact, tone: "warn" };
  }
  const { state } = part;
  switch (state.status) {
    case "pending":
      return { ...line, glyph: "circle-filled", verb: verbs[1], state: "pending", stateWord: t("being written") };
    case "running":
      return { ...line, glyph: "circle-filled", verb: verbs[1], state: "running", stateWord: t("running") };
    case "completed":
      return { ...line, verb: verbs[2], state: "done", stateWord: t("done"), ...factOf(state.metadata) };
    case "error": {
      const { denied = false, fact: told = "" } = state.metadata ?? {};
      if (denied) {
        const fact = localized(told) || t("not allowed");
        return { ...line, glyph: "circle-slash", verb: verbs[0], state: "denied", stateWord: "", fact, tone: "plain" };
      }
      if (told === "cut off" || told === "not run" || told === "stopped") {
        return { ...line, verb: verbs[0], state: "denied", stateWord: "", fact: localized(told), tone: "plain" };
      }
      const fact = factOf(state.metadata).fact || t("failed");
      return { ...line, glyph: "error", verb: verbs[0], state: "failed", stateWord: t("failed"), fact, tone: "bad" };
    }
    default:
      return never(state);
  }
}

function factOf(metadata: CallMetadata | undefined): { fact: string; tone: ToolLine["tone"] } {
  return { fact: localized(metadata?.fact ?? ""), tone: metadata?.tone ?? "plain" };
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
  const [, server, asked] = /^mcp__(.+?)__(.+)/s.exec(tool) ?? [];
  if (server)
    return { glyph: "server", verbs: [t("Ask"), t("Asking"), t("Asked")], object: `${server}: ${asked}`, code: false };
  const [, given] = /^vscode__(.+)$/.exec(tool) ?? [];
  if (given) return { glyph: "extensions", verbs: [t("Use"), t("Using"), t("Used")], object: given, code: false };
  const title = "title" in part.state ? part.state.title : undefined;
  const verbs: ToolLook["verbs"] = title ? ["", "", ""] : [t("Use"), t("Using"), t("Used")];
  return { glyph: "tools", verbs, object: localizedTitle(title ?? "") || tool || part.tool, code: false };
}

/** Returns the output or the error of a call as people read it; empty while it has none. */
export function resultOf({ state }: ToolPart): string {
  if (state.status === "completed") return wordsForPeople(state.output, state.metadata.words);
  return state.status === "error" ? wordsForPeople(state.error, state.metadata?.words) : "";
}

/** Returns the first line; "…" stands for the rest. */
export function firstLine(text: string): string {
  const end = text.indexOf("\n");
  return end < 0 ? text : `${text.slice(0, end)} …`;
}
