/** Searches a record for words without replaying it. */
import { open } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import * as z from "zod/mini";
import { parseJson } from "../base/json.ts";
import { systemErrorCode } from "../base/node/system-errors.ts";

/** Bytes per read. Other work can run between two reads. */
const blockSize = 1 << 20;
/** Characters of context before the words; twice as many follow. */
const contextLength = 60;

/**
 * Returns an excerpt if all words occur in the session's title or messages. A record that cannot be read contains none.
 * Rejects with the signal's reason on abort.
 */
export async function searchRecord(
  path: string,
  title: string,
  words: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const search = new RecordSearch(title, words);
  try {
    for await (const lines of readLineBlocks(path, signal)) {
      search.look(lines);
      if (search.result !== undefined) break;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (systemErrorCode(error) === undefined) throw error;
  }
  return search.result;
}

/** Yields texts of many complete lines. */
async function* readLineBlocks(path: string, signal: AbortSignal): AsyncGenerator<string> {
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

/** Text of the user or the model. Synthetic text is not searched. */
const SpokenText = z.object({
  type: z.literal("part"),
  part: z.object({ messageID: z.string(), text: z.string(), synthetic: z.optional(z.literal(false)) }),
});
const SilentMessage = z.object({
  type: z.literal("message"),
  message: z.object({ id: z.string(), silent: z.literal(true) }),
});

class RecordSearch {
  readonly #title: string;
  readonly #missing: Set<string>;
  /** The words as JSON escapes them. */
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

  /** Undefined until all words were found. */
  get result(): string | undefined {
    return this.#missing.size === 0 ? (this.#excerpt ?? this.#title) : undefined;
  }

  look(lines: string): void {
    for (let start = 0; start < lines.length; ) {
      const stop = lines.indexOf("\n", start);
      // Most of a record is output of tools, which the first characters of its lines show.
      const head = lines.slice(start, Math.min(stop, start + 300));
      if (head.includes('"silent":true')) {
        const { data } = SilentMessage.safeParse(parseJson(lines.slice(start, stop)));
        if (data) this.#silent.add(data.message.id);
      }
      if (head.startsWith('{"type":"part"') && head.includes('"type":"text"'))
        this.#lookAtText(lines.slice(start, stop));
      start = stop + 1;
    }
  }

  #lookAtText(line: string): void {
    const lower = line.toLowerCase();
    if (!this.#raw.some((word) => lower.includes(word))) return;
    const { data } = SpokenText.safeParse(parseJson(line));
    if (!data || this.#silent.has(data.part.messageID)) return;
    const at = this.#find(data.part.text);
    if (at !== undefined) this.#excerpt ??= excerptOf(data.part.text, at);
  }

  /** Marks the missing words that occur in `text` as found. @returns the offset of the first one */
  #find(text: string): number | undefined {
    const lower = text.toLowerCase();
    const offsets = [...this.#missing].flatMap((word) => {
      const at = lower.indexOf(word);
      if (at >= 0) this.#missing.delete(word);
      return at < 0 ? [] : [at];
    });
    return offsets.length === 0 ? undefined : Math.min(...offsets);
  }
}

/** Returns the text around the offset `at`, cut at words, in one line. */
function excerptOf(text: string, at: number): string {
  const from = at <= contextLength ? 0 : text.indexOf(" ", at - contextLength) + 1;
  const start = from === 0 || from > at ? Math.max(0, at - contextLength) : from;
  const end = Math.min(text.length, at + 2 * contextLength);
  const cut = text.slice(start, end).replace(/\s+/g, " ").trim().toWellFormed();
  return `${start > 0 ? "…" : ""}${cut}${end < text.length ? "…" : ""}`;
}
