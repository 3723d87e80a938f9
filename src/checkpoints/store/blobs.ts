/** Contents of files by their hashes, in the folder of one session. Several processes may write it at once. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { hashOf } from "../files/file-state.ts";

/** Values of the first byte: how the rest is stored. */
const plain = 0;
const deflated = 1;

/** Smaller contents are stored as they are. */
const minDeflatedBytes = 512;

export class BlobStore {
  readonly #folder: string;
  readonly #stored = new Set<string>();
  /** Number of bytes that this process has written. */
  writtenBytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  has(hash: string): boolean {
    if (!/^[0-9a-f]{64}$/.test(hash)) return false;
    if (!this.#stored.has(hash) && existsSync(this.#path(hash))) this.#stored.add(hash);
    return this.#stored.has(hash);
  }

  /** Does not flush to disk: `get` detects damage by the hash. @throws the system's error, as for a full disk */
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
    this.#stored.add(hash);
    this.writtenBytes += packed.length;
  }

  /** Returns undefined if the content is missing or damaged. */
  get(hash: string): Buffer | undefined {
    if (!this.has(hash)) return undefined;
    try {
      const packed = readFileSync(this.#path(hash));
      const bytes = packed[0] === deflated ? inflateRawSync(packed.subarray(1)) : packed.subarray(1);
      if (hashOf(bytes) === hash) return bytes;
    } catch {
      // Damaged, or deleted together with its session.
    }
    this.#stored.delete(hash);
    return undefined;
  }

  #path(hash: string): string {
    return path.join(this.#folder, hash.slice(0, 2), hash.slice(2));
  }
}

function pack(bytes: Buffer): Buffer {
  if (bytes.length >= minDeflatedBytes) {
    const packed = deflateRawSync(bytes, { level: 1 });
    if (packed.length < bytes.length * 0.9) return Buffer.concat([Buffer.of(deflated), packed]);
  }
  return Buffer.concat([Buffer.of(plain), bytes]);
}
