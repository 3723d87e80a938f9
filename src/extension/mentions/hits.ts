/** Makes rows of the list of "@" from what was found. */

import * as vscode from "vscode";
import type { MarkedSpan, MentionHit } from "../../chat/mention-search.ts";
import { counted, t } from "../../l10n/l10n.ts";
import type { FoundResource } from "../../mcp/resources/server-resources.ts";
import { lastLineOf } from "../editor/last-line.ts";
import type { FileIndex } from "./file-index.ts";
import { type NamedFolder, nameOf } from "./file-search.ts";
import { marksOf } from "./fuzzy.ts";

/** Splits "cart.ts#12-40" into the words and the first and last line, from 1, both included. */
export function splitLines(words: string): { words: string; lines: [number, number] | undefined } {
  const [whole, first, last] = /#L?(\d{1,7})(?:[-\u2013]L?(\d{1,7}))?$/.exec(words) ?? [];
  if (whole === undefined) return { words, lines: undefined };
  const [from, to] = [Number(first), Number(last ?? first)];
  const isRange = from > 0 && to > 0;
  return {
    words: words.slice(0, -whole.length),
    lines: isRange ? [Math.min(from, to), Math.max(from, to)] : undefined,
  };
}

export function fileHit(index: FileIndex, path: string, words: string, note: string, lines?: [number, number]) {
  const range = lines && lines[0] === lines[1] ? `:${lines[0]}` : lines && `:${lines[0]}–${lines[1]}`;
  const hit = pathHit(path, words);
  return {
    ...hit,
    name: hit.name + (range ?? ""),
    mention: { kind: "file" as const, uri: index.uriOf(path).toString(), ...(lines && { lines }) },
    note,
  };
}

export function folderHit(index: FileIndex, { path, files }: NamedFolder, words: string): MentionHit {
  return {
    ...pathHit(path, words),
    mention: { kind: "folder", uri: index.uriOf(path).toString() },
    note: counted(files, "{0} file", "{0} files"),
  };
}

/** The marks are in the name if the words fit it, else in the whole path. */
function pathHit(path: string, words: string): Omit<MentionHit, "mention" | "note"> {
  const name = nameOf(path);
  const where = path.slice(0, path.lastIndexOf(name));
  const inName = words.includes("/") ? [] : marksOf(name, words);
  if (inName.length > 0) return { name, where, marks: inName, whereMarks: [] };
  const spans = marksOf(path, words);
  return { name, where, marks: within(spans, where.length, name.length), whereMarks: within(spans, 0, where.length) };
}

/** Returns the parts of the spans in a piece of the text, counted from its beginning. */
function within(spans: readonly MarkedSpan[], from: number, length: number): MarkedSpan[] {
  return spans.flatMap(([a, b]): MarkedSpan[] => {
    const [first, last] = [Math.max(a - from, 0), Math.min(b - from, length)];
    return first < last ? [[first, last]] : [];
  });
}

const symbolKinds = new Map<vscode.SymbolKind, string>([
  [vscode.SymbolKind.Class, t("class")],
  [vscode.SymbolKind.Interface, t("interface")],
  [vscode.SymbolKind.Function, t("function")],
  [vscode.SymbolKind.Method, t("method")],
  [vscode.SymbolKind.Enum, t("enum")],
  [vscode.SymbolKind.Struct, t("struct")],
  [vscode.SymbolKind.Module, t("module")],
  [vscode.SymbolKind.Constant, t("constant")],
  [vscode.SymbolKind.Variable, t("variable")],
  [vscode.SymbolKind.Property, t("property")],
  [vscode.SymbolKind.Field, t("field")],
]);

export function symbolHit({ name, kind, location }: vscode.SymbolInformation, words: string): MentionHit {
  // Some language services say the place only when it is asked for, which VS Code does not do for extensions.
  const range = (location.range as vscode.Range | undefined) ?? new vscode.Range(0, 0, 0, 0);
  const { start } = range;
  return {
    mention: { kind: "symbol", uri: location.uri.toString(), lines: [start.line + 1, lastLineOf(range) + 1] },
    name,
    marks: marksOf(name, words),
    where: `${vscode.workspace.asRelativePath(location.uri)}:${start.line + 1}`,
    whereMarks: [],
    note: symbolKinds.get(kind) ?? "",
  };
}

export function resourceHit(found: FoundResource, words: string): MentionHit {
  const { server, uri, name, description } = found;
  const row = { name, marks: marksOf(name, words), where: server, whereMarks: [] };
  if (found.type === "resource") return { mention: { kind: "resource", server, uri }, ...row, note: "" };
  const { variables } = found;
  return {
    mention: { kind: "template", server, uri, description, variables },
    ...row,
    note: counted(variables.length, "{0} value…", "{0} values…"),
  };
}
