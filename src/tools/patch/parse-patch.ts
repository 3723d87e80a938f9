/** Parses patches as OpenAI's models write them: wrapped, unfinished, or mixed with unified diffs. Pure. */
import { ToolError } from "../tool.ts";

/** What people read where a patch has errors. */
const unreadableWords = "The patch cannot be read; the model tries again.";

export type FileChange =
  | { type: "add"; path: string; text: string }
  | { type: "delete"; path: string }
  /** `to` is the new path; undefined if the file is not moved. */
  | { type: "update"; path: string; to: string | undefined; chunks: PatchChunk[] };

export interface PatchChunk {
  /** Lines that precede it, in order: a class, then its method. */
  heads: string[];
  /** Its first line, from 1, according to a unified diff. */
  at: number | undefined;
  from: string[];
  to: string[];
  /** Whether it is at the end of the file. */
  atEnd: boolean;
}

const gitLine = /^(diff --git|index|similarity|rename|new file|deleted file|old mode|new mode) /;

/** @throws ToolError with the patch line that is not understood */
export function parsePatch(patch: string): FileChange[] {
  const lines = patch.replaceAll("\r\n", "\n").split("\n");
  const begin = lines.findIndex((line) => line.trim() === "*** Begin Patch");
  const end = lines.findLastIndex((line) => line.trim() === "*** End Patch");
  const body = lines
    .slice(0, end < 0 ? lines.length : end)
    // Several patches in a row count as one.
    .map((line) => (/^\*\*\* (Begin|End) Patch *$/.test(line) ? "" : line));
  const closer = end < 0 ? closerOf(lines.slice(0, begin < 0 ? 1 : begin)) : undefined;
  const reader = new PatchReader(body, begin + 1, closer);
  const changes: FileChange[] = [];
  for (let line = reader.next(); line !== undefined; line = reader.next()) {
    const change = fileChange(line, reader);
    if (change) changes.push(change);
    // Text before a patch without a begin line is wrapping.
    else if (line.trim() !== "" && !gitLine.test(line) && (begin >= 0 || changes.length > 0))
      throw reader.error("begins no file");
  }
  if (changes.length > 0) return changes;
  throw new ToolError(
    "The patch names no file: after *** Begin Patch comes *** Update File: path, or Add, or Delete.",
    unreadableWords,
  );
}

/** Whether a line ends the wrapping of a patch: a here-document or a code fence. */
function closerOf(before: readonly string[]): string | undefined {
  const text = before.join("\n");
  return /<<-?\s*['"]?(\w+)/.exec(text)?.[1] ?? (text.includes("```") ? "```" : undefined);
}

class PatchReader {
  readonly #lines: readonly string[];
  readonly #closer: string | undefined;
  #at: number;

  constructor(lines: readonly string[], at: number, closer: string | undefined) {
    this.#lines = lines;
    this.#at = at;
    this.#closer = closer;
  }

  peek(ahead = 0): string | undefined {
    const line = this.#lines[this.#at + ahead];
    return line === this.#closer ? undefined : line;
  }

  next(): string | undefined {
    const line = this.peek();
    if (line !== undefined) this.#at++;
    return line;
  }

  *body(): Generator<string> {
    for (let line = this.peek(); line !== undefined && !this.#beginsFile(line); line = this.peek()) {
      this.#at++;
      yield line;
    }
  }

  #beginsFile(line: string): boolean {
    if (/^\*\*\* (Add|Update|Delete) File:|^diff --git /.test(line)) return true;
    return isUnified(line, this.peek(1)) && (this.peek(2)?.startsWith("@@") ?? false);
  }

  /** Returns the number of the line that was read last. */
  error(what: string): ToolError {
    return new ToolError(`Line ${this.#at} of the patch ${what}. Nothing was changed.`, unreadableWords);
  }
}

function fileChange(line: string, reader: PatchReader): FileChange | undefined {
  const [, verb, name] = /^\*\*\* (Add|Update|Delete) File:(.*)$/.exec(line) ?? [];
  const path = name?.trim();
  if (path === undefined) return unifiedChange(line, reader);
  if (path === "") throw reader.error("names no path");
  if (verb === "Add") return { type: "add", path, text: addedText(reader) };
  if (verb === "Delete") return { type: "delete", path };
  const to = /^\*\*\* Move to:(.*)$/.exec(reader.peek() ?? "")?.[1]?.trim();
  if (to !== undefined) reader.next();
  if (isUnified(reader.peek(), reader.peek(1))) {
    reader.next();
    reader.next();
  }
  return { type: "update", path, to, chunks: chunksOf(reader) };
}

const isUnified = (line: string | undefined, next: string | undefined): boolean =>
  line?.startsWith("--- ") === true && next?.startsWith("+++ ") === true;

function unifiedChange(line: string, reader: PatchReader): FileChange | undefined {
  const next = reader.peek() ?? "";
  if (!isUnified(line, next)) return undefined;
  reader.next();
  const [from, to] = [line, next].map((one) => one.slice(4).replace(/\t.*/, "").trim());
  const chunks = chunksOf(reader);
  const path = (to === "/dev/null" ? from : to)?.replace(/^[ab]\//, "") ?? "";
  if (to === "/dev/null") return { type: "delete", path };
  if (from !== "/dev/null") return { type: "update", path, to: undefined, chunks };
  return { type: "add", path, text: chunks.flatMap((chunk) => chunk.to.map((text) => `${text}\n`)).join("") };
}

/** Blank lines at the end separate the chunk from the next file. */
function addedText(reader: PatchReader): string {
  const lines = [...reader.body()];
  while (lines.at(-1)?.trim() === "") lines.pop();
  const wrong = lines.find((line) => !line.startsWith("+") && line.trim() !== "");
  if (wrong !== undefined)
    throw new ToolError(`Each line of a new file begins with +, but one is: ${wrong.slice(0, 200)}`, unreadableWords);
  return lines.map((line) => `${line.slice(1)}\n`).join("");
}

function chunksOf(reader: PatchReader): PatchChunk[] {
  const chunks: PatchChunk[] = [];
  let chunk: PatchChunk | undefined;
  // Blank lines are context if lines follow, else the gap before the next chunk.
  let blanks = 0;
  const open = () => {
    const fresh: PatchChunk = { heads: [], at: undefined, from: [], to: [], atEnd: false };
    chunks.push(fresh);
    blanks = 0;
    return fresh;
  };
  for (const line of reader.body()) {
    const rest = line.slice(1);
    if (line.startsWith("@@")) {
      if (!chunk || chunk.from.length + chunk.to.length > 0) chunk = open();
      readHead(line, chunk);
    } else if (line.trim() === "*** End of File") {
      chunk ??= open();
      chunk.atEnd = true;
    } else if (line === "") blanks++;
    else if (!line.startsWith("\\ ") && !gitLine.test(line)) {
      chunk ??= open();
      for (; blanks > 0; blanks--) {
        chunk.from.push("");
        chunk.to.push("");
      }
      if (line.startsWith("-")) chunk.from.push(rest);
      else if (line.startsWith("+")) chunk.to.push(rest);
      else if (line.startsWith(" ") || line.startsWith("\t")) {
        chunk.from.push(line.startsWith(" ") ? rest : line);
        chunk.to.push(line.startsWith(" ") ? rest : line);
      } else throw reader.error("begins neither with a space (context) nor with - or +");
    }
  }
  return chunks;
}

/** Parses `@@ class Cart` or `@@ -12,7 +12,8 @@`, after which git adds a shortened context line. */
function readHead(line: string, chunk: PatchChunk): void {
  const at = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/.exec(line)?.[1];
  const head = line.slice(2).replace(/ @@$/, "").trim();
  if (at !== undefined) chunk.at = Number(at);
  else if (head !== "" && head !== "@@") chunk.heads.push(head);
}
