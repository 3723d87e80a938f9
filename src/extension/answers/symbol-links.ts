/**
 * Finds and opens the definitions of the symbols that an answer names. Names are looked up and nothing else: in the
 * symbols of the files that the answer names, and in those of the workspace.
 */
import path from "node:path";
import * as vscode from "vscode";
import { type FoundSymbol, isSymbol, type WrittenSymbol, writtenSymbol } from "../../chat/symbol-names.ts";
import { t } from "../../l10n/l10n.ts";
import { isWithin } from "../../tools/file-access/requirements.ts";
import type { CodeSymbol } from "../../tools/host.ts";
import { refusalOf } from "../../tools/node-host/locate.ts";
import type { Feature } from "../feature.ts";
import { fileSymbols, workspaceSymbols } from "../host/language-services.ts";
import { NoticeError } from "../notice-error.ts";
import type { Handlers } from "../panel/handlers.ts";
import type { WindowServices } from "../services.ts";
import { openInEditor } from "./open.ts";

/** Maximum time for the names of one request. */
const patienceMs = 4_000;
/** A language service reads the whole of a file. */
const maxFileBytes = 1 << 20;
/** More definitions of one name are no choice. */
const mostPlaces = 30;

/** Kinds of the symbols in data and in documents, which define nothing. */
const noDefinitions = new Set(["file", "package", "string", "number", "boolean", "array", "key", "null"]);

export function symbolLinks({ foldersOf, page: { conversations, send } }: WindowServices) {
  const folders = () => foldersOf(conversations.current.chat);
  const handlers = {
    "find-symbols": async ({ files, names }) => {
      const lookup = new SymbolLookup(folders(), files);
      const lookedUp: string[] = [];
      const found: FoundSymbol[] = [];
      for (const name of names) {
        const places = await lookup.places(name).catch(noneIfLate);
        if (!places) continue;
        lookedUp.push(name);
        const [first] = places;
        if (first) found.push({ name, count: places.length, path: lookup.relative(first.path), line: first.line });
      }
      send({ type: "found-symbols", files, names: lookedUp, found });
    },
    "open-symbol": async ({ files, name }) => {
      const lookup = new SymbolLookup(folders(), files);
      const places = await lookup.places(name).catch(noneIfLate);
      if (!places) throw new NoticeError(t("The language service has not answered in time."));
      if (places.length === 0) throw new NoticeError(t("No definition of {0} is found any more.", name));
      const place = places.length === 1 ? places[0] : await choose(name, places, lookup);
      if (place) await openInEditor(place.path, { line: place.line });
    },
  } satisfies Partial<Handlers>;
  return { handlers } satisfies Feature;
}

async function choose(name: string, places: readonly CodeSymbol[], lookup: SymbolLookup) {
  const items = places.map((place) => ({
    label: place.container === "" ? place.name : `${place.container}.${place.name}`,
    description: `${lookup.relative(place.path)}:${place.line}`,
    place,
  }));
  const title = t("Definitions of {0}", name);
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.place;
}

class LateError extends Error {
  override readonly name = "LateError";
}

function noneIfLate(error: unknown): undefined {
  if (!(error instanceof LateError)) throw error;
}

/** Looks symbols up in the folders, for some seconds. Each file is asked for its symbols once. */
class SymbolLookup {
  readonly #folders: readonly string[];
  readonly #files: readonly string[];
  readonly #end = Date.now() + patienceMs;
  #inFiles: Promise<CodeSymbol[]> | undefined;

  constructor(folders: readonly string[], files: readonly string[]) {
    this.#folders = folders;
    this.#files = files;
  }

  /**
   * Returns the definitions in the named files; if there are none, those in the workspace.
   * @throws LateError if the language service is too slow, as while it loads the workspace
   */
  async places(code: string): Promise<CodeSymbol[]> {
    const written = writtenSymbol(code);
    // In an untrusted folder, no file is opened and no service asked because an answer names something.
    if (!written || !vscode.workspace.isTrusted) return [];
    this.#inFiles ??= this.#symbolsOfFiles();
    const near = this.#definitions(await this.#inFiles, written);
    if (near.length > 0 || written.isPlain) return near;
    return this.#definitions(await this.#inTime(() => workspaceSymbols(written.name)), written);
  }

  relative(file: string): string {
    const folder = this.#folders.find((one) => isWithin(file, one));
    return folder === undefined ? file : path.relative(folder, file).replaceAll("\\", "/");
  }

  #definitions(symbols: readonly CodeSymbol[], written: WrittenSymbol): CodeSymbol[] {
    const places = new Map<string, CodeSymbol>();
    for (const symbol of symbols) {
      const isIn = this.#folders.some((folder) => isWithin(symbol.path, folder));
      if (!isIn || noDefinitions.has(symbol.kind) || !isSymbol(written, symbol)) continue;
      places.set(`${symbol.path}:${symbol.line}`, symbol);
    }
    return [...places.values()].slice(0, mostPlaces);
  }

  async #symbolsOfFiles(): Promise<CodeSymbol[]> {
    const all: CodeSymbol[] = [];
    for (const file of this.#files) {
      const found = await this.#fileInFolder(file);
      if (found !== undefined) all.push(...(await this.#inTime(() => fileSymbols(found))));
    }
    return all;
  }

  async #fileInFolder(file: string): Promise<string | undefined> {
    if (path.isAbsolute(file) || refusalOf(file, process.platform) !== undefined) return undefined;
    for (const folder of this.#folders) {
      const place = path.join(folder, file);
      if (!isWithin(place, folder)) continue;
      const stat = await Promise.resolve(vscode.workspace.fs.stat(vscode.Uri.file(place))).catch(() => undefined);
      if (stat?.type === vscode.FileType.File && stat.size <= maxFileBytes) return place;
    }
    return undefined;
  }

  /** A service that fails knows nothing. */
  async #inTime(ask: () => Promise<CodeSymbol[]>): Promise<CodeSymbol[]> {
    const leftMs = this.#end - Date.now();
    if (leftMs <= 0) throw new LateError();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new LateError()), leftMs);
    });
    try {
      return await Promise.race([ask().catch(() => []), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
