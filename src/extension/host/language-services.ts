/** Problems, definitions, references and symbols from VS Code's language services. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import type { CodePlace, CodeProblem, CodeSymbol, Editor } from "../../tools/host.ts";
import { splitLines } from "../../tools/text/text.ts";
import { addressOf, findDocument } from "./documents.ts";
import { findSymbol, opened } from "./find-symbol.ts";
import { serviceActions, serviceRename } from "./service-edits.ts";

/** Problems count as settled after this time without a change. */
const quietMs = 300;
/** Maximum wait for the first change in a type of file that has had problems before. WindowServices may report none. */
const firstNewsMs = 1_000;
/** Maximum wait for a change in a type of file that has never had problems. */
const unknownMs = 150;
const maxPlaces = 300;

export function codeEditor(): Editor & vscode.Disposable {
  const news = new ProblemNews();
  return {
    watches: async (file) => (await findDocument(file)) !== undefined,
    problems: async (file) => (file === undefined ? allProblems() : problemsOf(await addressOf(file))),
    async settledProblems(file, timeout, signal) {
      const uri = await addressOf(file);
      await news.settled(uri, timeout, signal);
      return problemsOf(uri);
    },
    definition: (file, line, symbol) => places("vscode.executeDefinitionProvider", file, line, symbol),
    references: (file, line, symbol) => places("vscode.executeReferenceProvider", file, line, symbol),
    symbols: (query, file) => (file === undefined ? workspaceSymbols(query) : fileSymbols(file)),
    rename: serviceRename,
    actions: serviceActions,
    dispose: () => news.dispose(),
  };
}

class ProblemNews implements vscode.Disposable {
  readonly #kinds = new Set<string>();
  readonly #waiting = new Set<(uris: readonly vscode.Uri[]) => void>();
  readonly #listener = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
    for (const uri of uris) this.#kinds.add(path.extname(uri.path));
    for (const onNews of this.#waiting) onNews(uris);
  });

  /** Resolves when the problems of a file have settled, at the latest after `timeoutMs`. @throws the signal's reason */
  async settled(uri: vscode.Uri, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const end = Date.now() + timeoutMs;
    const first = this.#kinds.has(path.extname(uri.path)) ? firstNewsMs : unknownMs;
    let until = Math.min(end, Date.now() + first);
    const onNews = (uris: readonly vscode.Uri[]) => {
      if (uris.some((one) => one.toString() === uri.toString())) until = Math.min(end, Date.now() + quietMs);
    };
    this.#waiting.add(onNews);
    try {
      for (let left = until - Date.now(); left > 0; left = until - Date.now()) await wait(left, undefined, { signal });
    } finally {
      this.#waiting.delete(onNews);
    }
  }

  dispose(): void {
    this.#listener.dispose();
  }
}

function allProblems(): CodeProblem[] {
  return vscode.languages
    .getDiagnostics()
    .flatMap(([uri, list]) => (uri.scheme === "file" ? list.map((one) => problem(uri, one)) : []));
}

function problemsOf(uri: vscode.Uri): CodeProblem[] {
  return vscode.languages.getDiagnostics(uri).map((one) => problem(uri, one));
}

function problem(uri: vscode.Uri, { range, severity, message, source, code }: vscode.Diagnostic): CodeProblem {
  const name = typeof code === "object" ? code.value : code;
  return {
    path: uri.fsPath,
    line: range.start.line + 1,
    column: range.start.character + 1,
    severity: severities[severity],
    message,
    source: name === undefined ? (source ?? "") : `${source ?? ""}(${name})`,
  };
}

const severities: Record<vscode.DiagnosticSeverity, CodeProblem["severity"]> = {
  [vscode.DiagnosticSeverity.Error]: "error",
  [vscode.DiagnosticSeverity.Warning]: "warning",
  [vscode.DiagnosticSeverity.Information]: "info",
  [vscode.DiagnosticSeverity.Hint]: "hint",
};

async function places(command: string, file: string, line: number, symbol: string): Promise<CodePlace[]> {
  const uri = await addressOf(file);
  const position = findSymbol(await opened(uri), line, symbol);
  type Result = (vscode.Location | vscode.LocationLink)[] | undefined;
  const found = await vscode.commands.executeCommand<Result>(command, uri, position);
  const targets = (found ?? []).map((one) =>
    "targetUri" in one ? { uri: one.targetUri, range: one.targetSelectionRange ?? one.targetRange } : one,
  );
  const files = targets.filter(({ uri }) => uri.scheme === "file").slice(0, maxPlaces);
  const lines = new LineReader();
  return await Promise.all(
    files.map(async ({ uri, range }) => {
      return { path: uri.fsPath, line: range.start.line + 1, text: await lines.at(uri, range.start.line) };
    }),
  );
}

/** Reads lines of files from the editor or the disk. Each file is read once. */
class LineReader {
  readonly #files = new Map<string, Promise<string[]>>();

  async at(uri: vscode.Uri, line: number): Promise<string> {
    const key = uri.toString();
    const lines = this.#files.get(key) ?? this.#read(uri);
    this.#files.set(key, lines);
    return (await lines)[line] ?? "";
  }

  async #read({ fsPath }: vscode.Uri): Promise<string[]> {
    const open = vscode.workspace.textDocuments.find(({ uri, isClosed }) => uri.fsPath === fsPath && !isClosed);
    return splitLines(open?.getText() ?? (await readFile(fsPath, "utf8").catch(() => "")));
  }
}

/** Returns the symbols of the workspace whose names have the letters of the query. */
export async function workspaceSymbols(query: string): Promise<CodeSymbol[]> {
  const found = await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
    "vscode.executeWorkspaceSymbolProvider",
    query,
  );
  return (found ?? []).filter(({ location }) => location.uri.scheme === "file").map(information);
}

function information({ name, kind, containerName, location }: vscode.SymbolInformation): CodeSymbol {
  const { uri, range } = location;
  return {
    ...{ path: uri.fsPath, line: (range?.start.line ?? 0) + 1, text: "" },
    ...{ name, kind: kindOf(kind), container: containerName ?? "" },
  };
}

/** @throws ToolError if VS Code does not open the file as text */
export async function fileSymbols(file: string): Promise<CodeSymbol[]> {
  const uri = await addressOf(file);
  await opened(uri);
  const found = await vscode.commands.executeCommand<(vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined>(
    "vscode.executeDocumentSymbolProvider",
    uri,
  );
  // VS Code gives trees the properties of both types.
  return (found ?? []).flatMap((one) => ("children" in one ? flatten(one, uri.fsPath, "") : [information(one)]));
}

function flatten(
  { name, kind, selectionRange, children }: vscode.DocumentSymbol,
  file: string,
  container: string,
): CodeSymbol[] {
  const own = { path: file, line: selectionRange.start.line + 1, text: "", name, kind: kindOf(kind), container };
  const inner = container === "" ? name : `${container}.${name}`;
  return [own, ...children.flatMap((child) => flatten(child, file, inner))];
}

function kindOf(kind: vscode.SymbolKind): string {
  return (vscode.SymbolKind[kind] ?? "symbol").toLowerCase();
}
