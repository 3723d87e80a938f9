/** Copies of files in one scratch file, taken before a command that may change them, until the session is closed. */
import { randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, readSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { type FileStamp, maxUnnamedBytes, readFile, sameStamp } from "../files/file-state.ts";
import type { TimeSlices } from "../files/time-slices.ts";
import { isRunning } from "../store/in-use.ts";

const maxBytes = 64 << 20;
const maxFiles = 20_000;

interface StampedFile {
  path: string;
  stamp: FileStamp;
}

export class CopyPool {
  readonly #folder: string;
  readonly #copies = new Map<string, { stamp: FileStamp; at: number }>();
  /** Files that `fill` copied, newest first. */
  readonly #oldestLast: string[] = [];
  #file: { path: string; handle: number } | undefined;
  #closed = false;
  #bytes = 0;
  #end = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Copies files, newest first, until the pool is full. @returns the files that were not copied */
  async fill(files: readonly StampedFile[], slices: TimeSlices): Promise<StampedFile[]> {
    const left: StampedFile[] = [];
    for (const file of files.toSorted((a, b) => b.stamp.mtime - a.stamp.mtime)) {
      if (this.#copies.has(file.path)) continue;
      const isKept = this.#hasRoom(file.stamp.size) && this.#copy(file.path, file.stamp);
      if (isKept) this.#oldestLast.push(file.path);
      else left.push(file);
      await slices.yieldIfDue();
    }
    return left;
  }

  /** Copies a changed file, in place of older copies. `bytes` is its content with this stamp if it was read already. */
  renew(file: string, stamp: FileStamp, bytes: Buffer | undefined): void {
    const known = this.#copies.get(file);
    if (known && sameStamp(known.stamp, stamp)) return;
    this.drop(file);
    if (stamp.size > maxUnnamedBytes) return;
    while (!this.#closed && !this.#hasRoom(stamp.size)) {
      const oldest = this.#oldestLast.pop() ?? this.#copies.keys().next().value;
      if (oldest === undefined) return;
      this.drop(oldest);
    }
    if (!this.#closed) this.#copy(file, stamp, bytes);
  }

  /** Returns the content that the file had with this stamp. */
  get(file: string, stamp: FileStamp): Buffer | undefined {
    const copy = this.#copies.get(file);
    if (!copy || !this.#file || !sameStamp(copy.stamp, stamp)) return undefined;
    const bytes = Buffer.allocUnsafe(stamp.size);
    return readSync(this.#file.handle, bytes, 0, stamp.size, copy.at) === stamp.size ? bytes : undefined;
  }

  drop(file: string): void {
    this.#bytes -= this.#copies.get(file)?.stamp.size ?? 0;
    this.#copies.delete(file);
  }

  close(): void {
    this.#closed = true;
    this.#discard();
  }

  #discard(): void {
    if (!this.#file) return;
    closeSync(this.#file.handle);
    rmSync(this.#file.path, { force: true });
    this.#file = undefined;
  }

  #hasRoom(size: number): boolean {
    return !this.#closed && this.#copies.size < maxFiles && this.#bytes + size <= maxBytes;
  }

  #copy(file: string, stamp: FileStamp, bytes?: Buffer): boolean {
    const found = bytes ? { bytes, stamp } : readFile(file, maxUnnamedBytes);
    if (found) this.#write(file, found.bytes, found.stamp);
    return found !== undefined;
  }

  #write(file: string, bytes: Buffer, stamp: FileStamp): void {
    // Outdated copies are removed all at once.
    if (this.#end > 2 * maxBytes) this.#pack();
    this.#file ??= this.#open();
    writeSync(this.#file.handle, bytes, 0, bytes.length, this.#end);
    this.#copies.set(file, { stamp, at: this.#end });
    this.#end += bytes.length;
    this.#bytes += bytes.length;
  }

  #pack(): void {
    const copies = [...this.#copies].map(([file, { stamp }]) => ({ file, stamp, bytes: this.get(file, stamp) }));
    this.#discard();
    this.#copies.clear();
    this.#bytes = 0;
    this.#end = 0;
    for (const { file, stamp, bytes } of copies) if (bytes) this.#write(file, bytes, stamp);
  }

  #open(): { path: string; handle: number } {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    // Scratch files of processes that have ended.
    for (const name of readdirSync(this.#folder)) {
      const pid = /^scratch-(\d+)-/.exec(name)?.[1];
      if (pid !== undefined && !isRunning(Number(pid))) rmSync(path.join(this.#folder, name), { force: true });
    }
    const name = path.join(this.#folder, `scratch-${process.pid}-${randomBytes(4).toString("hex")}`);
    const handle = openSync(name, "wx+", 0o600);
    // An open file without a name is freed by the system however this process ends.
    if (process.platform !== "win32") rmSync(name);
    return { path: name, handle };
  }
}
