/** The files that the agent has changed in a step, with their contents before and after it, for the review. */
import { type FileState, type FoundFile, maxNamedBytes } from "../files/file-state.ts";
import { readWithinRoots } from "../files/within-roots.ts";
import type { BlobStore } from "../store/blobs.ts";
import type { Transition } from "../store/change-log.ts";

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

// Finds deleted files that exist again under another name, by their content. Pure.

export interface MovableFile {
  path: string;
  /** Equal for equal contents. */
  hash: string;
  bytes: Buffer;
}

/** Minimum share of the larger file that both files have. Git's default for renames (`-M`, diffcore-rename.c) is 50 %. */
const minSimilarity = 0.5;
/** Maximum number of pairs of files with different contents and different names that are compared. */
const maxPairs = 2500;
const maxComparedBytes = 1 << 20;

/** Returns the former path of each created file that was moved. Files without content have no former path. */
export function findMoves(deleted: readonly MovableFile[], created: readonly MovableFile[]): Map<string, string> {
  const moves = new Moves(
    deleted.filter(({ bytes }) => bytes.length > 0),
    created.filter(({ bytes }) => bytes.length > 0),
  );
  const byHash = Map.groupBy(moves.deleted, ({ hash }) => hash);
  moves.take((to) => byHash.get(to.hash) ?? [], commonTail);
  const byName = Map.groupBy(moves.deleted, ({ path }) => baseName(path));
  moves.take((to) => byName.get(baseName(to.path)) ?? [], similarity);
  const { left } = moves;
  if (left.deleted.length * left.created.length <= maxPairs) moves.take(() => left.deleted, similarity);
  return moves.found;
}

class Moves {
  readonly found = new Map<string, string>();
  readonly deleted: readonly MovableFile[];
  readonly #created: readonly MovableFile[];
  readonly #taken = new Set<string>();

  constructor(deleted: readonly MovableFile[], created: readonly MovableFile[]) {
    this.deleted = deleted;
    this.#created = created;
  }

  get left(): { deleted: MovableFile[]; created: MovableFile[] } {
    return {
      deleted: this.deleted.filter(({ path }) => !this.#taken.has(path)),
      created: this.#created.filter(({ path }) => !this.found.has(path)),
    };
  }

  /** Pairs created files with candidates, best score first. A score of 0 is no pair. */
  take(
    candidates: (to: MovableFile) => readonly MovableFile[],
    scoreOf: (from: MovableFile, to: MovableFile) => number,
  ): void {
    const pairs = this.left.created.flatMap((to) =>
      candidates(to)
        .filter(({ path }) => !this.#taken.has(path))
        .map((from) => ({ from: from.path, to: to.path, score: scoreOf(from, to) })),
    );
    for (const { from, to, score } of pairs.toSorted((a, b) => b.score - a.score)) {
      if (score === 0 || this.found.has(to) || this.#taken.has(from)) continue;
      this.found.set(to, from);
      this.#taken.add(from);
    }
  }
}

/** Returns 1 and the number of names that both paths end with: after `mv a b`, `a/x/i.ts` is `b/x/i.ts`. */
function commonTail({ path: from }: MovableFile, { path: to }: MovableFile): number {
  const [a, b] = [namesOf(from).reverse(), namesOf(to).reverse()];
  const end = a.findIndex((name, at) => name !== b[at]);
  return 1 + (end < 0 ? a.length : end);
}

/** Returns the share of the larger text that both have in common, by lines; 0 if it is too small for a move. */
function similarity({ bytes: from }: MovableFile, { bytes: to }: MovableFile): number {
  const larger = Math.max(from.length, to.length);
  if (larger > maxComparedBytes || Math.min(from.length, to.length) < larger * minSimilarity) return 0;
  if (from.includes(0) || to.includes(0)) return 0;
  const lines = new Map<string, number>();
  for (const line of linesOf(from)) lines.set(line, (lines.get(line) ?? 0) + 1);
  let common = 0;
  for (const line of linesOf(to)) {
    const left = lines.get(line) ?? 0;
    if (left === 0) continue;
    lines.set(line, left - 1);
    common += line.length + 1;
  }
  const share = common / larger;
  return share < minSimilarity ? 0 : share;
}

const linesOf = (bytes: Buffer): string[] => bytes.toString("latin1").split("\n");
const namesOf = (file: string): string[] => file.split(/[/\\]/);
const baseName = (file: string): string => namesOf(file).at(-1) ?? "";
