/** Answers the list of "@": files, folders, symbols, problems, changes, sessions, MCP resources and web addresses. */
import * as vscode from "vscode";
import type {
  FoundMentions,
  MarkedSpan,
  MentionGroup,
  MentionHit,
  MentionKind,
  MentionKindNotes,
  MentionQuery,
} from "../../chat/mention-search.ts";
import type { SessionSummary } from "../../chat/session-views.ts";
import { counted, language, t } from "../../l10n/l10n.ts";
import type { McpServers } from "../../mcp/mcp-servers.ts";
import type { FoundResource, ServerResources } from "../../mcp/resources/server-resources.ts";
import { allChanges, currentOf } from "../editor/commit/git-changes.ts";
import { letterOf } from "../editor/commit/git-extension.ts";
import { lastLineOf } from "../editor/last-line.ts";
import { openFiles } from "../editor/open-files.ts";
import { workspaceProblems } from "../editor/problem-context.ts";
import type { Handlers, PanelContext, PanelRequest } from "../panel/handlers.ts";
import type { AttachMention } from "./attach-mention.ts";
import type { FileIndex } from "./file-index.ts";
import { type NamedFolder, nameOf } from "./file-search.ts";
import { fitOf, fitting, marksOf } from "./fuzzy.ts";

/** Rows of a kind among others, and of one kind alone. */
const mostAmongOthers = 3;
const mostAlone = 30;
/** What takes longer, as a language service or the start of a server, has nothing. */
const slowMs = 10_000;
const mostResources = 5_000;

interface MentionsOptions {
  page: Pick<PanelContext, "send" | "conversations">;
  index: FileIndex;
  attach: AttachMention;
  servers: McpServers;
  resources: Pick<ServerResources, "findResources" | "start" | "completeVariable">;
}

export class Mentions {
  readonly #options: MentionsOptions;
  /** The last request. What was found for an earlier one is not told any more. */
  #latest: MentionQuery | undefined;
  /** The sessions when the list opened: reading them from disk for each letter would take time. */
  #listed: readonly SessionSummary[] | undefined;
  /** Ends the wait for values of a variable. */
  #values = new AbortController();

  readonly handlers = {
    "begin-mention": () => this.#begin(),
    "find-mentions": ({ query }) => this.#find(query),
    "attach-mention": ({ mention }) => this.#options.attach.attach(mention),
    "list-variable-values": (request) => this.#listValues(request),
  } satisfies Partial<Handlers>;

  constructor(options: MentionsOptions) {
    this.#options = options;
  }

  /** Lists the files, so that the first search has them. */
  warmUp(): void {
    const { index } = this.#options;
    if (!index.names(false)) void index.refresh(false);
  }

  #begin(): void {
    void this.#refresh(false);
    this.#options.page.send({ type: "mention-kinds", notes: this.#notes() });
  }

  /** Searches again if files have come or gone. */
  async #refresh(ignored: boolean): Promise<void> {
    const isChanged = await this.#options.index.refresh(ignored);
    const query = this.#latest;
    if (isChanged && query?.ignored === ignored) this.#tell(query, this.#fastGroups(query), this.#slowKinds(query));
  }

  #notes(): MentionKindNotes {
    const { page, index, servers } = this.#options;
    const open = openFiles().flatMap((uri) => index.nameOf(uri) ?? []);
    const top = index.names(false)?.folders.filter(({ path }) => path.indexOf("/") === path.length - 1) ?? [];
    this.#listed = page.conversations.list();
    const sessions = this.#listed.length;
    const names = (all: readonly string[]) => (all.length > 3 ? `${all.slice(0, 3).join(", ")} …` : all.join(", "));
    return {
      file: names(open.map((path) => path.slice(path.lastIndexOf("/") + 1))) || t("of the workspace"),
      folder: names(top.map(({ path }) => path.slice(0, -1))) || t("of the workspace"),
      symbol: t("of the workspace"),
      ...(sessions > 0 && { session: String(sessions) }),
      ...(servers.all.length > 0 && { resource: names(servers.all.map(({ config }) => config.name)) }),
    };
  }

  async #find(query: MentionQuery): Promise<void> {
    this.#latest = query;
    const { index } = this.#options;
    // An answer without files would be one that is wrong.
    if (!index.names(query.ignored)) await index.refresh(query.ignored);
    if (this.#latest !== query) return;
    const slow = this.#slowKinds(query);
    this.#tell(query, this.#fastGroups(query), slow);
    await Promise.all(
      slow.map(async (kind) => {
        const hits = await this.#slowHits(kind, query).catch(() => []);
        if (this.#latest === query) this.#tell(query, [{ kind, hits }], []);
      }),
    );
  }

  #tell(query: MentionQuery, groups: MentionGroup[], pending: MentionKind[]): void {
    const found: FoundMentions = { query, groups, pending };
    this.#options.page.send({ type: "mentions", found });
  }

  /** What is found at once, the group with the best hit first. */
  #fastGroups(query: MentionQuery): MentionGroup[] {
    const { words, lines } = splitLines(query.words);
    const most = query.only ? mostAlone : mostAmongOthers;
    const isWanted = (kind: MentionKind) => query.only === undefined || query.only === kind;
    const finders: Partial<Record<MentionKind, () => MentionHit[]>> = {
      page: () => pageHits(query.words),
      file: () => this.#files(words, lines, query.ignored, most),
      folder: () => this.#folders(words, query.ignored, most),
      problem: () => problemHits(words, most),
      change: () => changeHits(words, most),
      session: () => this.#sessions(words, most),
    };
    const groups = Object.entries(finders).flatMap(([kind, find]): MentionGroup[] => {
      const known = kind as MentionKind;
      const hits = isWanted(known) ? find() : [];
      return hits.length > 0 ? [{ kind: known, hits }] : [];
    });
    const letters = words.toLowerCase();
    const fitOfBest = ({ hits: [best] }: MentionGroup) => (best ? fitOf(best.name, letters) : 9);
    return groups.toSorted((a, b) => fitOfBest(a) - fitOfBest(b));
  }

  #slowKinds({ words, only }: MentionQuery): MentionKind[] {
    const isPath = words.includes("/") || words.includes("#");
    const kinds: MentionKind[] = isPath || words === "" ? [] : ["symbol"];
    if (this.#options.servers.all.length > 0) kinds.push("resource");
    return kinds.filter((kind) => only === undefined || only === kind);
  }

  async #slowHits(kind: MentionKind, { words, only }: MentionQuery): Promise<MentionHit[]> {
    const most = only ? mostAlone : mostAmongOthers;
    if (kind === "resource") return await this.#resources(words, most, only !== undefined);
    const found = await Promise.race([
      vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
        "vscode.executeWorkspaceSymbolProvider",
        words,
      ),
      new Promise<undefined>((resolve) => setTimeout(resolve, slowMs)),
    ]);
    return bestBy(found ?? [], ({ name }) => name, words, most).map((symbol) => symbolHit(symbol, words));
  }

  #files(words: string, lines: [number, number] | undefined, ignored: boolean, most: number): MentionHit[] {
    const { index } = this.#options;
    const names = index.names(ignored);
    if (!names) return [];
    const open = new Set(openFiles().flatMap((uri) => index.nameOf(uri) ?? []));
    const inside = words.endsWith("/") ? names.inside(words).filter((path) => !path.endsWith("/")) : [];
    const found = inside.length > 0 ? inside.slice(0, mostAlone) : names.files(words, most, (path) => open.has(path));
    return found.map((path) => fileHit(index, path, words, open.has(path) ? t("open|of a file") : "", lines));
  }

  #folders(words: string, ignored: boolean, most: number): MentionHit[] {
    const { index } = this.#options;
    const names = index.names(ignored);
    if (!names) return [];
    const isInside = words === "" || words.endsWith("/");
    const inside = new Set(isInside ? names.inside(words).filter((path) => path.endsWith("/")) : []);
    const found = isInside ? names.folders.filter(({ path }) => inside.has(path)) : names.foldersFor(words, most);
    return found.slice(0, isInside ? mostAlone : most).map((folder) => folderHit(index, folder, words));
  }

  #sessions(words: string, most: number): MentionHit[] {
    const { conversations } = this.#options.page;
    const current = conversations.current.chat.session.id;
    this.#listed ??= conversations.list();
    const all = this.#listed.filter(({ id, messages }) => id !== current && messages > 0);
    const among = bestBy(all, ({ title }) => title, words, most);
    return among.map(({ id, title, updatedAt }) => ({
      ...{ mention: { kind: "session" as const, id }, name: title, marks: marksOf(title, words) },
      ...{ where: "", whereMarks: [], note: dayOf(updatedAt) },
    }));
  }

  /** `starts`: servers that do not run yet are started, which takes time. */
  async #resources(words: string, most: number, starts: boolean): Promise<MentionHit[]> {
    const { resources } = this.#options;
    if (starts) await resources.start(AbortSignal.timeout(slowMs));
    const found = await resources.findResources("", mostResources);
    return bestBy(found, ({ name }) => name, words, most).map((one) => resourceHit(one, words));
  }

  async #listValues(request: PanelRequest<"list-variable-values">): Promise<void> {
    this.#values.abort();
    this.#values = new AbortController();
    const { signal } = this.#values;
    const { server, uri, variable, value, given } = request;
    const { resources, page } = this.#options;
    const values = await resources.completeVariable({ server, uri }, { name: variable, value }, given, signal);
    if (!signal.aborted) page.send({ type: "variable-values", server, uri, variable, value, values });
  }
}

/** Returns at most `most` of those whose text the words fit, best first; the first ones if there are no words. */
function bestBy<T>(all: readonly T[], text: (one: T) => string, words: string, most: number): T[] {
  if (words === "") return all.slice(0, most);
  const letters = words.toLowerCase();
  const found = fitting(all.map(text), letters).flatMap((at) => all[at] ?? []);
  return found.toSorted((a, b) => fitOf(text(a), letters) - fitOf(text(b), letters)).slice(0, most);
}

function problemHits(words: string, most: number): MentionHit[] {
  // A single letter fits the words of any problem.
  if (words.length < 2) return [];
  const all = workspaceProblems().flatMap(([uri, found]) => found.map((problem) => ({ uri, problem })));
  const letters = words.toLowerCase();
  const held = all.filter(({ problem }) => problem.message.toLowerCase().includes(letters));
  return held.slice(0, most).map(({ uri, problem: { message, range, severity } }) => {
    const line = range.start.line + 1;
    return {
      mention: { kind: "problem", uri: uri.toString(), line, message: message.slice(0, 4096) },
      ...{ name: message, marks: marksOf(message, words) },
      ...{ where: `${vscode.workspace.asRelativePath(uri)}:${line}`, whereMarks: [] },
      note: severity === vscode.DiagnosticSeverity.Error ? t("error") : "",
    };
  });
}

function changeHits(words: string, most: number): MentionHit[] {
  if (words === "") return [];
  const named = allChanges().map(({ change }) => {
    const uri = currentOf(change);
    const path = vscode.workspace.asRelativePath(uri);
    return { uri, letter: letterOf(change), path, name: path.slice(path.lastIndexOf("/") + 1) };
  });
  return bestBy(named, ({ name }) => name, words, most).map(({ uri, letter, path, name }) => ({
    ...{ mention: { kind: "change" as const, uri: uri.toString() }, name, marks: marksOf(name, words) },
    ...{ where: path.slice(0, -name.length), whereMarks: [], note: letter },
  }));
}

function pageHits(words: string): MentionHit[] {
  if (!/^https?:\/\//i.test(words) || !URL.canParse(words)) return [];
  const { host } = new URL(words);
  if (!host.includes(".") || host.endsWith(".")) return [];
  return [
    {
      ...{ mention: { kind: "page", uri: words }, name: words, marks: [], where: "", whereMarks: [] },
      note: t("fetched from {0}", host),
    },
  ];
}

/** Returns "today", "yesterday", "5 days ago". */
function dayOf(time: number): string {
  const midnight = new Date(time).setHours(0, 0, 0, 0);
  const days = Math.round((midnight - new Date().setHours(0, 0, 0, 0)) / 86_400_000);
  const relative = new Intl.RelativeTimeFormat(language(), { numeric: "auto" });
  return days > -14 ? relative.format(days, "day") : relative.format(Math.round(days / 7), "week");
}

// Makes rows of the list of "@" from what was found.

/** Splits "cart.ts#12-40" into the words and the first and last line, from 1, both included. */
function splitLines(words: string): { words: string; lines: [number, number] | undefined } {
  const [whole, first, last] = /#L?(\d{1,7})(?:[-\u2013]L?(\d{1,7}))?$/.exec(words) ?? [];
  if (whole === undefined) return { words, lines: undefined };
  const [from, to] = [Number(first), Number(last ?? first)];
  const isRange = from > 0 && to > 0;
  return {
    words: words.slice(0, -whole.length),
    lines: isRange ? [Math.min(from, to), Math.max(from, to)] : undefined,
  };
}

function fileHit(index: FileIndex, path: string, words: string, note: string, lines?: [number, number]) {
  const range = lines && lines[0] === lines[1] ? `:${lines[0]}` : lines && `:${lines[0]}–${lines[1]}`;
  const hit = pathHit(path, words);
  return {
    ...hit,
    name: hit.name + (range ?? ""),
    mention: { kind: "file" as const, uri: index.uriOf(path).toString(), ...(lines && { lines }) },
    note,
  };
}

function folderHit(index: FileIndex, { path, files }: NamedFolder, words: string): MentionHit {
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

function symbolHit({ name, kind, location }: vscode.SymbolInformation, words: string): MentionHit {
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

function resourceHit(found: FoundResource, words: string): MentionHit {
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
