/** Looks for words in a record without replaying it. */
import { open } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import * as z from "zod/mini";

/** Bytes at a time; between two of them others have their turn. */
const blockSize = 1 << 20;

/** Characters of context before and behind the words. */
const context = 60;

/** The words to look for, in lower case. */
export function wordsOf(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}

/**
 * An excerpt, if all words stand in the session's title or in what was said in it. A record that cannot be read holds
 * none. Rejects with the signal's reason on abort.
 */
export async function searchRecord(
  path: string,
  title: string,
  words: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const search = new Search(title, words);
  try {
    for await (const lines of linesOf(path, signal)) {
      search.look(lines);
      if (search.result !== undefined) break;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Error && "code" in error)) throw error;
  }
  return search.result;
}

/** Whole lines, many at a time. */
async function* linesOf(path: string, signal: AbortSignal): AsyncGenerator<string> {
  const file = await open(path, "r");
  try {
    const decoder = new StringDecoder("utf8");
    const block = Buffer.allocUnsafe(blockSize);
    let rest = "";
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(block);
      if (bytesRead === 0) return;
      const text = decoder.write(block.subarray(0, bytesRead));
      const end = text.lastIndexOf("\n") + 1;
      if (end > 0) yield rest + text.slice(0, end);
      rest = end > 0 ? text.slice(end) : rest + text;
    }
  } finally {
    await file.close();
  }
}

/** What somebody said. Rondo's own words to the model are not looked through. */
const Said = z.object({
  type: z.literal("part"),
  part: z.object({ messageID: z.string(), text: z.string(), synthetic: z.optional(z.literal(false)) }),
});
const Silent = z.object({ type: z.literal("message"), message: z.object({ id: z.string(), silent: z.literal(true) }) });

class Search {
  readonly #title: string;
  readonly #missing: Set<string>;
  /** The words as JSON has them. */
  readonly #raw: readonly string[];
  /** Messages that the user is never shown. */
  readonly #silent = new Set<string>();
  #excerpt: string | undefined;

  constructor(title: string, words: readonly string[]) {
    this.#title = title;
    this.#raw = words.map((word) => JSON.stringify(word).slice(1, -1));
    this.#missing = new Set(words);
    this.#find(title);
  }

  /** Undefined while a word is missing. */
  get result(): string | undefined {
    return this.#missing.size === 0 ? (this.#excerpt ?? this.#title) : undefined;
  }

  look(lines: string): void {
    for (let start = 0; start < lines.length; ) {
      const stop = lines.indexOf("\n", start);
      // Most of a record is the output of tools, which is passed over by the look of its first characters.
      const head = lines.slice(start, Math.min(stop, start + 300));
      if (head.includes('"silent":true')) this.#lookForSilent(lines.slice(start, stop));
      if (head.startsWith('{"type":"part"') && head.includes('"type":"text"'))
        this.#lookAtText(lines.slice(start, stop));
      start = stop + 1;
    }
  }

  #lookForSilent(line: string): void {
    const { data } = Silent.safeParse(parse(line));
    if (data) this.#silent.add(data.message.id);
  }

  #lookAtText(line: string): void {
    const lower = line.toLowerCase();
    if (!this.#raw.some((word) => lower.includes(word))) return;
    const { data } = Said.safeParse(parse(line));
    if (!data || this.#silent.has(data.part.messageID)) return;
    const at = this.#find(data.part.text);
    if (at !== undefined) this.#excerpt ??= excerptOf(data.part.text, at);
  }

  /** Where the first of the missing words stands in `text`; they are missing no more. */
  #find(text: string): number | undefined {
    const lower = text.toLowerCase();
    const places = [...this.#missing].flatMap((word) => {
      const at = lower.indexOf(word);
      if (at >= 0) this.#missing.delete(word);
      return at < 0 ? [] : [at];
    });
    return places.length === 0 ? undefined : Math.min(...places);
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The text around `at`, cut at words, in one line. */
function excerptOf(text: string, at: number): string {
  const from = at <= context ? 0 : text.indexOf(" ", at - context) + 1;
  const start = from === 0 || from > at ? Math.max(0, Math.min(at, at - context)) : from;
  const end = Math.min(text.length, at + 2 * context);
  const cut = text.slice(start, end).replace(/\s+/g, " ").trim().toWellFormed();
  return `${start > 0 ? "…" : ""}${cut}${end < text.length ? "…" : ""}`;
}
