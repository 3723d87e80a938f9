/** Where the content of a file before a change comes from: a copy, a blob that is there already, or the user's repository. */
import { constants } from "node:fs";
import {
  datedHash,
  type FileState,
  type Found,
  fileState,
  largestNamed,
  largestUnnamed,
  missing,
  type Stamp,
  sameStamp,
} from "../files/file-state.ts";
import { Pace } from "../files/time-slices.ts";
import type { Entry, Tree } from "../scan/file-tree.ts";
import type { Kept } from "../store/session-store.ts";
import type { Pool } from "./copy-pool.ts";
import { Repository } from "./git-objects.ts";

interface Was {
  state: FileState;
  bytes?: Buffer;
}

export class Contents {
  readonly #pool: Pool;
  readonly #kept: Kept;
  /** Of files that changed since the session was opened. */
  readonly #known = new Map<string, { stamp: Stamp; state: FileState }>();

  readonly #repositories: Repository[];

  constructor(roots: readonly string[], pool: Pool, kept: Kept) {
    this.#repositories = roots.map((root) => new Repository(root));
    this.#pool = pool;
    this.#kept = kept;
  }

  /** Copies what a command may change. */
  async fill(tree: Tree): Promise<void> {
    const files = tree.files().flatMap((path) => {
      const entry = tree.entry(path);
      return entry && isRegular(entry.stamp) ? [{ path, stamp: entry.stamp }] : [];
    });
    const left = await this.#pool.fill(files, new Pace());
    if (left.length === 0) return;
    const stamps = new Map(left.map(({ path, stamp }) => [path, stamp]));
    for (const repository of this.#repositories) await repository.read(stamps);
  }

  /** What the file was when it looked like this; undefined: it was not there. The hash is empty where its content is not known. */
  async was(name: string, entry: Entry | undefined): Promise<Was> {
    if (!entry) return { state: missing };
    const { stamp, target } = entry;
    if (target !== undefined) return { state: { type: "link", target } };
    if (!isRegular(stamp)) return { state: { type: "special" } };
    const bytes = this.#pool.get(name, stamp);
    if (bytes) return { state: fileState(bytes, stamp.mode), bytes };
    const known = this.#known.get(name);
    if (known && sameStamp(known.stamp, stamp)) return { state: known.state };
    for (const repository of this.#repositories) {
      const found = await repository.content(name, stamp);
      if (found) return { state: fileState(found, stamp.mode), bytes: found };
    }
    const hash = stamp.size > this.limit(name) ? datedHash(stamp) : "";
    return { state: { type: "file", mode: stamp.mode & 0o777, size: stamp.size, hash } };
  }

  /** Takes note of what a file has become. */
  note(name: string, { state, stamp, bytes }: Found): void {
    if (state.type !== "file" || !stamp) {
      this.#known.delete(name);
      this.#pool.drop(name);
      return;
    }
    this.#known.set(name, { stamp, state });
    this.#pool.renew(name, stamp, bytes);
  }

  /** How much of a file is read to know what it is, in bytes. */
  limit(name: string): number {
    const known = this.#known.get(name)?.state;
    return known?.type === "file" && this.#kept.blobs.has(known.hash) ? largestNamed : largestUnnamed;
  }

  close(): void {
    this.#pool.close();
    for (const repository of this.#repositories) repository.close();
  }
}

const isRegular = ({ mode }: Stamp): boolean => (mode & constants.S_IFMT) === constants.S_IFREG;
