/** Finds the content of a file before a change: in the copies, in the blobs, or in the user's git repository. */
import { constants } from "node:fs";
import {
  datedHash,
  type FileStamp,
  type FileState,
  type FoundFile,
  fileState,
  maxNamedBytes,
  maxUnnamedBytes,
  missing,
  sameStamp,
} from "../files/file-state.ts";
import { TimeSlices } from "../files/time-slices.ts";
import type { FileEntry, FileTree } from "../scan/file-tree.ts";
import type { SessionStore } from "../store/session-store.ts";
import type { CopyPool } from "./copy-pool.ts";
import { GitObjects } from "./git-objects.ts";

export class EarlierContents {
  readonly #pool: CopyPool;
  readonly #store: SessionStore;
  /** Last known states of files that changed since the session was opened. */
  readonly #known = new Map<string, { stamp: FileStamp; state: FileState }>();
  readonly #repositories: GitObjects[];

  constructor(roots: readonly string[], pool: CopyPool, store: SessionStore) {
    this.#repositories = roots.map((root) => new GitObjects(root));
    this.#pool = pool;
    this.#store = store;
  }

  /** Copies the files that a command may change. */
  async copyFiles(tree: FileTree): Promise<void> {
    const files = tree.files().flatMap((path) => {
      const entry = tree.entry(path);
      return entry && isRegular(entry.stamp) ? [{ path, stamp: entry.stamp }] : [];
    });
    const left = await this.#pool.fill(files, new TimeSlices());
    if (left.length === 0) return;
    const stamps = new Map(left.map(({ path, stamp }) => [path, stamp]));
    for (const repository of this.#repositories) await repository.readIndex(stamps);
  }

  /** Returns the file's state at this entry; without an entry it was missing. Unknown contents have the hash "". */
  async stateOf(name: string, entry: FileEntry | undefined): Promise<{ state: FileState; bytes?: Buffer }> {
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
    const hash = stamp.size > this.readLimit(name) ? datedHash(stamp) : "";
    return { state: { type: "file", mode: stamp.mode & 0o777, size: stamp.size, hash } };
  }

  /** Remembers the current state of a file. */
  note(name: string, { state, stamp, bytes }: FoundFile): void {
    if (state.type !== "file" || !stamp) {
      this.#known.delete(name);
      this.#pool.drop(name);
      return;
    }
    this.#known.set(name, { stamp, state });
    this.#pool.renew(name, stamp, bytes);
  }

  /** Returns up to how many bytes a file is read to identify its content. */
  readLimit(name: string): number {
    const known = this.#known.get(name)?.state;
    return known?.type === "file" && this.#store.blobs.has(known.hash) ? maxNamedBytes : maxUnnamedBytes;
  }

  close(): void {
    this.#pool.close();
    for (const repository of this.#repositories) repository.close();
  }
}

const isRegular = ({ mode }: FileStamp): boolean => (mode & constants.S_IFMT) === constants.S_IFREG;
