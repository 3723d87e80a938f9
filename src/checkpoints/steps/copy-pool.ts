/**
 * What files hold before a command runs that may change any of them: copies in one scratch file, which goes when the
 * session is closed. What did change is kept as blobs.
 */
import { randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, readSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { largestUnnamed, readFile, type Stamp, sameStamp } from "../files/file-state.ts";
import type { Pace } from "../files/time-slices.ts";
import { isRunning } from "../store/in-use.ts";

const mostBytes = 64 << 20;
const mostFiles = 20_000;

interface Copy {
  stamp: Stamp;
  at: number;
}

interface StampedFile {
  path: string;
  stamp: Stamp;
}

export class Pool {
  readonly #folder: string;
  readonly #copies = new Map<string, Copy>();
  /** Of those there were from the start. */
  readonly #oldestLast: string[] = [];
  #file: { path: string; handle: number } | undefined;
  #closed = false;
  #bytes = 0;
  #end = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Takes copies, those of the newest first, as far as there is room. @returns the files for which there was none */
  async fill(files: readonly StampedFile[], pace: Pace): Promise<StampedFile[]> {
    const left: StampedFile[] = [];
    for (const file of files.toSorted((a, b) => b.stamp.mtime - a.stamp.mtime)) {
      if (this.#copies.has(file.path)) continue;
      const isKept = this.#hasRoom(file.stamp.size) && this.#take(file.path, file.stamp);
      if (isKept) this.#oldestLast.push(file.path);
      else left.push(file);
      await pace.next();
    }
    return left;
  }

  /** Takes a copy of what has changed, in place of older ones. `bytes`: what it was with this stamp, if it was read already. */
  renew(file: string, stamp: Stamp, bytes: Buffer | undefined): void {
    const known = this.#copies.get(file);
    if (known && sameStamp(known.stamp, stamp)) return;
    this.drop(file);
    if (stamp.size > largestUnnamed) return;
    while (!this.#closed && !this.#hasRoom(stamp.size)) {
      const oldest = this.#oldestLast.pop() ?? this.#copies.keys().next().value;
      if (oldest === undefined) return;
      this.drop(oldest);
    }
    if (!this.#closed) this.#take(file, stamp, bytes);
  }

  /** What the file was when it had this stamp. */
  get(file: string, stamp: Stamp): Buffer | undefined {
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
    return !this.#closed && this.#copies.size < mostFiles && this.#bytes + size <= mostBytes;
  }

  #take(file: string, stamp: Stamp, bytes?: Buffer): boolean {
    const found = bytes ? { bytes, stamp } : readFile(file, largestUnnamed);
    if (found) this.#keep(file, found.bytes, found.stamp);
    return found !== undefined;
  }

  #keep(file: string, bytes: Buffer, stamp: Stamp): void {
    this.#file ??= this.#open();
    // Copies that nobody needs any more are given up together.
    if (this.#end > 2 * mostBytes) this.#pack();
    writeSync(this.#file.handle, bytes, 0, bytes.length, this.#end);
    this.#copies.set(file, { stamp, at: this.#end });
    this.#end += bytes.length;
    this.#bytes += bytes.length;
  }

  #pack(): void {
    const old = this.#file;
    if (!old) return;
    const copies = [...this.#copies].map(([file, { stamp }]) => ({ file, stamp, bytes: this.get(file, stamp) }));
    this.#discard();
    this.#copies.clear();
    this.#bytes = 0;
    this.#end = 0;
    for (const { file, stamp, bytes } of copies) if (bytes) this.#keep(file, bytes, stamp);
  }

  #open(): { path: string; handle: number } {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    sweep(this.#folder);
    const name = path.join(this.#folder, `scratch-${process.pid}-${randomBytes(4).toString("hex")}`);
    const handle = openSync(name, "wx+", 0o600);
    // Where the system lets an open file lose its name, nothing is left however this process ends.
    if (process.platform !== "win32") rmSync(name);
    return { path: name, handle };
  }
}

/** Removes what processes that are gone have left. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /^scratch-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(path.join(folder, name), { force: true });
  }
}
