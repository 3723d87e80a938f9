/** Encodes a conversation into a growing buffer; messages of earlier requests are neither encoded nor copied again. */
import type { Entry } from "../../chat/apply.ts";
import type { ModelRef, Part } from "../../chat/message.ts";
import type { EncodedEntry, EncodeOptions } from "./entry-content.ts";

export interface WireFormat<Piece, Open> {
  encode(entry: Entry, how: EncodeOptions): EncodedEntry<Piece>;
  /** An open message may be joined with the next piece. */
  start(): Open;
  add(open: Open, piece: Piece): { open: Open; complete: string[] };
  end(open: Open): string[];
}

interface EncodedSoFar {
  entry: Entry;
  info: Entry["info"];
  parts: readonly Part[];
  length: number;
}

/** Number of newest entries whose text may still grow. */
const growingEntries = 4;

class Conversation<Piece, Open> {
  readonly #format: WireFormat<Piece, Open>;
  readonly #head: string;
  readonly #model: ModelRef;
  readonly #seen: EncodedSoFar[] = [];
  readonly #taken = new Set<string>();
  #open: Open;
  #bytes: Buffer;
  #length: number;
  #isFirst = true;

  /** `head` is the JSON up to the messages: `{…,"messages":[`. */
  constructor(format: WireFormat<Piece, Open>, head: string, model: ModelRef) {
    this.#format = format;
    this.#head = head;
    this.#model = model;
    this.#open = format.start();
    this.#bytes = Buffer.alloc(Math.max(4096, Buffer.byteLength(head) * 2));
    this.#length = this.#bytes.write(head);
  }

  isContinuedBy(entries: readonly Entry[], head: string): boolean {
    const seen = this.#seen;
    if (head !== this.#head || entries.length < seen.length) return false;
    for (let at = 0; at < seen.length; at++) {
      const old = seen[at];
      const entry = entries[at];
      if (!old || old.entry !== entry || old.info !== entry.info || old.parts.length !== entry.parts.length)
        return false;
      if (at >= seen.length - growingEntries && old.length !== sameLength(entry.parts, old.parts)) return false;
    }
    return true;
  }

  /** Returns the body of a request. It is valid until the next call, which overwrites its end. */
  request(entries: readonly Entry[]): Uint8Array {
    for (const entry of entries.slice(this.#seen.length)) this.#take(entry);
    const length = this.#length;
    const isFirst = this.#isFirst;
    for (const message of this.#format.end(this.#open)) this.#write(message);
    this.#length += this.#room(2).write("]}", this.#length);
    const request = this.#bytes.subarray(0, this.#length);
    this.#length = length;
    this.#isFirst = isFirst;
    return request;
  }

  #take(entry: Entry): void {
    const own = isOwn(entry, this.#model);
    let told = this.#format.encode(entry, { own, renamed: false });
    // An entry whose ids are in use gets new ones.
    if (told.ids.some((id) => this.#taken.has(id))) told = this.#format.encode(entry, { own, renamed: true });
    for (const id of told.ids) this.#taken.add(id);
    for (const piece of told.pieces) {
      const { open, complete } = this.#format.add(this.#open, piece);
      this.#open = open;
      for (const message of complete) this.#write(message);
    }
    const parts = [...entry.parts];
    this.#seen.push({ entry, info: entry.info, parts, length: sameLength(parts, parts) });
  }

  #write(message: string): void {
    const json = this.#isFirst ? message : `,${message}`;
    // A UTF-16 unit takes at most 3 bytes.
    this.#length += this.#room(json.length * 3).write(json, this.#length);
    this.#isFirst = false;
  }

  /** Returns a buffer with space for `size` more bytes. Growing it leaves returned requests intact. */
  #room(size: number): Buffer {
    if (this.#length + size > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#length + size));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    return this.#bytes;
  }
}

/** Returns an encoder that continues conversations, identified by their first entry. */
export function requestEncoder<Piece, Open>(format: WireFormat<Piece, Open>) {
  const known = new WeakMap<Entry, Conversation<Piece, Open>>();
  return (head: string, entries: readonly Entry[], model: ModelRef): Uint8Array => {
    const [first] = entries;
    let conversation = first && known.get(first);
    if (!conversation?.isContinuedBy(entries, head)) {
      conversation = new Conversation(format, head, model);
      if (first) known.set(first, conversation);
    }
    return conversation.request(entries);
  };
}

function isOwn({ info }: Entry, { providerID, modelID }: ModelRef): boolean {
  return info.role === "assistant" && info.model.modelID === modelID && info.model.providerID === providerID;
}

/** Returns -1 if parts have been replaced: only streamed text grows in place (apply.ts). */
function sameLength(parts: readonly Part[], before: readonly Part[]): number {
  if (parts.length !== before.length) return -1;
  let length = 0;
  for (const [at, part] of parts.entries()) {
    if (part !== before[at]) return -1;
    if (part.type === "text" || part.type === "reasoning") length += part.text.length;
  }
  return length;
}
