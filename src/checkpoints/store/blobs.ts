/** Contents of files under their hashes, in a folder of one session. Several processes may write it at once. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { hashOf } from "../files/file-state.ts";

/** The first byte says how the rest is kept. */
const plain = 0;
const deflated = 1;

/** Less is not worth the time, in bytes. */
const smallestDeflated = 512;

export class Blobs {
  readonly #folder: string;
  readonly #known = new Set<string>();
  /** Bytes that this process has written. */
  written = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  has(hash: string): boolean {
    if (!/^[0-9a-f]{64}$/.test(hash)) return false;
    if (!this.#known.has(hash) && existsSync(this.#path(hash))) this.#known.add(hash);
    return this.#known.has(hash);
  }

  /** Not forced to disk: what a power cut tears is noticed by its hash. @throws what the system says, as when the disk is full */
  put(hash: string, bytes: Buffer): void {
    if (this.has(hash)) return;
    const file = this.#path(hash);
    const packed = pack(bytes);
    const temporary = `${file}.${randomBytes(6).toString("hex")}`;
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    try {
      writeFileSync(temporary, packed, { mode: 0o600, flag: "wx" });
      renameSync(temporary, file);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    this.#known.add(hash);
    this.written += packed.length;
  }

  /** Undefined when it is not there, or is not what it was. */
  get(hash: string): Buffer | undefined {
    if (!this.has(hash)) return undefined;
    try {
      const packed = readFileSync(this.#path(hash));
      const bytes = packed[0] === deflated ? inflateRawSync(packed.subarray(1)) : packed.subarray(1);
      if (hashOf(bytes) === hash) return bytes;
    } catch {
      // Torn, or dropped together with its session: as if it had never been kept.
    }
    this.#known.delete(hash);
    return undefined;
  }

  #path(hash: string): string {
    return path.join(this.#folder, hash.slice(0, 2), hash.slice(2));
  }
}

function pack(bytes: Buffer): Buffer {
  if (bytes.length >= smallestDeflated) {
    const packed = deflateRawSync(bytes, { level: 1 });
    if (packed.length < bytes.length * 0.9) return Buffer.concat([Buffer.of(deflated), packed]);
  }
  return Buffer.concat([Buffer.of(plain), bytes]);
}
