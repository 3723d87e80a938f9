/** The files that the agent has changed in a step, with their contents before and after it, for the review. */
import { type FileState, type FoundFile, maxNamedBytes } from "../files/file-state.ts";
import { readWithinRoots } from "../files/within-roots.ts";
import type { BlobStore } from "../store/blobs.ts";
import type { Transition } from "../store/change-log.ts";
import { findMoves, type MovableFile } from "./moves.ts";

/**
 * `other`: a folder, a link, a device, or a file whose content is not known, because it is too large or no copy was
 * made.
 */
export type StepContent = { type: "missing" } | { type: "file"; bytes: Uint8Array } | { type: "other" };

export interface ChangedFile {
  /** Absolute. */
  path: string;
  before: StepContent;
  after: StepContent;
  /** The path that it had before, if it was moved. `before` is the content there. */
  movedFrom: string | undefined;
  /** Whether a tool has written it by name, and no command was needed. */
  isNamed: boolean;
}

export interface StepFiles {
  /** `background`: found while a command ran in the background, between its steps. */
  source: "step" | "background";
  files: readonly ChangedFile[];
  /** Absolute paths of folders that the step has made so far, other than by a tool's write. */
  folders: readonly string[];
  /** Number of files that are not in `files`, because a step must not bring more to review. */
  left: number;
}

/** Maximum number of files of a step that are reviewed, and the maximum size of their contents together. */
export const maxReviewedFiles = 1000;
const maxReviewedBytes = 64 << 20;

/** Keeps what a scan has read, so that nothing is read twice. */
export class ChangedContents {
  readonly #roots: readonly string[];
  readonly #blobs: BlobStore;
  readonly #found = new Map<string, FoundFile>();
  #bytes = 0;

  constructor(roots: readonly string[], blobs: BlobStore) {
    this.#roots = roots;
    this.#blobs = blobs;
  }

  note(file: string, found: FoundFile): void {
    this.#bytes += found.bytes?.length ?? 0;
    if (this.#bytes <= maxReviewedBytes) this.#found.set(file, found);
  }

  clear(): void {
    this.#found.clear();
    this.#bytes = 0;
  }

  /** Returns the changes as files to review. `named`: paths that tools have written by name. */
  files(changes: readonly Transition[], named: ReadonlySet<string>): Pick<StepFiles, "files" | "left"> {
    const shown = changes.filter(({ before, after }) => isRegular(before) || isRegular(after));
    const some = shown.slice(0, maxReviewedFiles);
    const left = shown.length - some.length;
    let room = maxReviewedBytes;
    const read = some.map((change) => {
      const sizes = sizeOf(change.before) + sizeOf(change.after);
      room -= sizes;
      const isTooMuch = room < 0;
      return {
        path: change.path,
        before: isTooMuch ? other(change.before) : this.#before(change.before),
        after: isTooMuch ? other(change.after) : this.#after(change),
        movedFrom: undefined,
        isNamed: named.has(change.path),
      };
    });
    return { files: withMoves(read, some), left };
  }

  #before(state: FileState): StepContent {
    if (state.type !== "file") return other(state);
    const bytes = this.#blobs.get(state.hash);
    return bytes ? { type: "file", bytes } : { type: "other" };
  }

  #after({ path, after }: Transition): StepContent {
    if (after.type !== "file") return other(after);
    const found = this.#found.get(path) ?? readWithinRoots(path, maxNamedBytes, this.#roots);
    const isSame = found.state.type === "file" && found.state.hash === after.hash;
    return found.bytes && isSame ? { type: "file", bytes: found.bytes } : { type: "other" };
  }
}

/** Joins each deleted file with the created one that has its content. */
function withMoves(files: readonly ChangedFile[], changes: readonly Transition[]): ChangedFile[] {
  const hashes = new Map(changes.map(({ path, before, after }) => [path, hashOf(before) || hashOf(after)]));
  const movable = (file: ChangedFile, content: StepContent): MovableFile[] =>
    content.type === "file"
      ? [{ path: file.path, hash: hashes.get(file.path) ?? "", bytes: Buffer.from(content.bytes) }]
      : [];
  const deleted = files.filter(({ after }) => after.type === "missing").flatMap((file) => movable(file, file.before));
  const created = files.filter(({ before }) => before.type === "missing").flatMap((file) => movable(file, file.after));
  const moves = findMoves(deleted, created);
  const gone = new Set(moves.values());
  const byPath = new Map(files.map((file) => [file.path, file]));
  return files.flatMap((file) => {
    if (gone.has(file.path)) return [];
    const from = byPath.get(moves.get(file.path) ?? "");
    return [from ? { ...file, before: from.before, movedFrom: from.path } : file];
  });
}

const isRegular = ({ type }: FileState): boolean => type === "file";
const hashOf = (state: FileState): string => (state.type === "file" ? state.hash : "");
const sizeOf = (state: FileState): number => (state.type === "file" ? state.size : 0);
const other = ({ type }: FileState): StepContent => ({ type: type === "missing" ? "missing" : "other" });
