/** Finds deleted files that exist again under another name, by their content. Pure. */

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
