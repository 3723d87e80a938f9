/** Encodes a conversation into a growing buffer; messages of earlier requests are neither encoded nor copied again. */
import type { Entry } from "../../chat/apply.ts";
import type { ModelRef, Part } from "../../chat/message.ts";
import type { ModelRequest } from "../../loop/model.ts";
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

/** What a request says about its conversation. */
export type RequestEntries = Pick<ModelRequest, "entries" | "unboundEntries" | "imagelessEntries">;

/** Number of newest entries whose text may still grow. */
const growingEntries = 4;

class Conversation<Piece, Open> {
  readonly #format: WireFormat<Piece, Open>;
  readonly #head: string;
  readonly #model: ModelRef;
  readonly #unbound: number;
  readonly #imageless: number;
  readonly #seen: EncodedSoFar[] = [];
  readonly #taken = new Set<string>();
  #open: Open;
  #bytes: Buffer<ArrayBuffer>;
  #length: number;
  #isFirst = true;

  /** `head` is the JSON up to the messages: `{…,"messages":[`. */
  constructor(format: WireFormat<Piece, Open>, head: string, model: ModelRef, request: RequestEntries) {
    this.#format = format;
    this.#head = head;
    this.#model = model;
    this.#unbound = request.unboundEntries;
    this.#imageless = request.imagelessEntries;
    this.#open = format.start();
    this.#bytes = Buffer.alloc(Math.max(4096, Buffer.byteLength(head) * 2));
    this.#length = this.#bytes.write(head);
  }

  isContinuedBy({ entries, unboundEntries, imagelessEntries }: RequestEntries, head: string): boolean {
    const seen = this.#seen;
    if (head !== this.#head || entries.length < seen.length) return false;
    if (unboundEntries !== this.#unbound || imagelessEntries !== this.#imageless) return false;
    for (let at = 0; at < seen.length; at++) {
      const old = seen[at];
      const entry = entries[at];
      if (!old || old.entry !== entry || old.info !== entry.info || old.parts.length !== entry.parts.length)
        return false;
      if (at >= seen.length - growingEntries && old.length !== sameLength(entry.parts, old.parts)) return false;
    }
    return true;
  }

  /** Returns the body of a request, which ends with `tail`. It is valid until the next call, which overwrites its end. */
  request(entries: readonly Entry[], tail: string): Uint8Array<ArrayBuffer> {
    for (const entry of entries.slice(this.#seen.length)) this.#take(entry);
    const length = this.#length;
    const isFirst = this.#isFirst;
    for (const message of this.#format.end(this.#open)) this.#write(message);
    const end = `]${tail}}`;
    this.#length += this.#room(end.length * 3).write(end, this.#length);
    const request = this.#bytes.subarray(0, this.#length);
    this.#length = length;
    this.#isFirst = isFirst;
    return request;
  }

  #take(entry: Entry): void {
    const at = this.#seen.length;
    const how = { own: isOwn(entry, this.#model), bound: at >= this.#unbound, withFiles: at >= this.#imageless };
    let told = this.#format.encode(entry, { ...how, rename: 0 });
    // An entry whose ids are in use gets new ones.
    for (let rename = 1; told.ids.some((id) => this.#taken.has(id)); rename++) {
      told = this.#format.encode(entry, { ...how, rename });
    }
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
  /** `tail` is the JSON of what follows the messages, with a comma before it: what may change from request to request. */
  return (head: string, request: RequestEntries, model: ModelRef, tail = ""): Uint8Array<ArrayBuffer> => {
    const [first] = request.entries;
    let conversation = first && known.get(first);
    if (!conversation?.isContinuedBy(request, head)) {
      conversation = new Conversation(format, head, model, request);
      if (first) known.set(first, conversation);
    }
    return conversation.request(request.entries, tail);
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
    if ("text" in part) length += part.text.length;
  }
  return length;
}
