/** Describes a tool call in one line: verb, object, result. */

import { never } from "../../src/base/never.ts";
import { wordsForPeople } from "../../src/chat/call-words.ts";
import type { CallMetadata, ToolPart } from "../../src/chat/message.ts";
import { type DrawnCall, type ToolKind, type ToolLook, type ToolName, toolLooks } from "../../src/chat/tool-cards.ts";
import { localized, localizedTitle, t } from "../../src/l10n/l10n.ts";
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

const looks: Readonly<Record<ToolName, ToolLook<IconName>>> = toolLooks();

/** Whether it is a tool of Rondo: not one of a server, of another extension or of another version. */
const isToolName = (name: string): name is ToolName => Object.hasOwn(looks, name);

export const toolKindOf = (tool: string): ToolKind => (isToolName(tool) ? looks[tool].kind : "other");

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

interface NamedCall {
  glyph: IconName;
  verbs: readonly [string, string, string];
  object: string;
  code: boolean;
}

function callName(part: ToolPart, cwd: string): NamedCall {
  const texts = argumentsOf(part);
  const tool = part.tool === "tool_call" ? (texts["name"] ?? "") : part.tool;
  if (!isToolName(tool)) return externalCallName(tool, part);
  const call: DrawnCall = { texts, list: (name) => objectsOf(part, name), short: (path) => relative(path, cwd) };
  const { glyph, verbs, object, code } = looks[tool];
  const face = { glyph, verbs: typeof verbs === "function" ? always(escapeInvisible(verbs(call))) : verbs, code };
  if (typeof object === "function") return { ...face, object: object(call) };
  const value = object.map((name) => texts[name]).find((text) => text !== undefined) ?? "";
  return { ...face, object: code ? firstLine(value) : call.short(value) };
}

const always = (verb: string): NamedCall["verbs"] => [verb, verb, verb];

function externalCallName(tool: string, part: ToolPart): NamedCall {
  const [, server, asked] = /^mcp__(.+?)__(.+)/s.exec(tool) ?? [];
  if (server)
    return { glyph: "server", verbs: [t("Ask"), t("Asking"), t("Asked")], object: `${server}: ${asked}`, code: false };
  const [, given] = /^vscode__(.+)$/.exec(tool) ?? [];
  if (given) return { glyph: "extensions", verbs: [t("Use"), t("Using"), t("Used")], object: given, code: false };
  const title = "title" in part.state ? part.state.title : undefined;
  const verbs: NamedCall["verbs"] = title ? ["", "", ""] : [t("Use"), t("Using"), t("Used")];
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
