/** What a log says of the files since a snapshot. Pure. */
import { never } from "../../chat/never.ts";
import { type FileState, sameState } from "../files/file-state.ts";
import type { Line, Transition } from "./change-log.ts";
import { firstSnapshotAt } from "./snapshot-id.ts";

type Item = { type: "snapshot"; id: string; at: number } | { type: "change"; by: By; files: readonly Step[] };
type By = "agent" | "user" | "restore";

/** `after` is undefined where a crash left it open. */
interface Step {
  path: string;
  before: FileState;
  after: FileState | undefined;
}

/** Of one file since a snapshot. */
export interface Past {
  /** What it was at the snapshot. */
  was: FileState;
  /** As it was last known; undefined: a crash left it open. */
  last: FileState | undefined;
  /** Somebody else changed it since, too. */
  edited: boolean;
}

export interface Restore {
  id: string;
  at: number;
  /** Those that were done. */
  files: Transition[];
}

export class History {
  readonly #items: Item[] = [];
  /** Of snapshots that sort before it nothing is known. */
  #droppedUpTo = "";
  /** What tools were about to write when the log ends, as it was. */
  readonly open = new Map<string, FileState>();
  readonly #restores = new Map<string, Restore & { undoes: string | undefined }>();
  /** Restores that a crash has cut off. */
  readonly unfinished = new Map<string, readonly Transition[]>();

  constructor(lines: readonly Line[]) {
    for (const line of lines) this.#take(line);
    for (const [path, before] of this.open) this.#change("agent", [{ path, before, after: undefined }]);
  }

  /**
   * When the snapshot was taken, in ms since 1970; undefined: nothing is known of it. Steps that wrote nothing are not in
   * the log: what was at one is what was at the next that is, for later snapshots sort later.
   */
  at(snapshot: string): number | undefined {
    if (this.#isDropped(snapshot)) return undefined;
    const item = this.#items[this.#placeOf(snapshot)] ?? this.#items.findLast(({ type }) => type === "snapshot");
    return item?.type === "snapshot" ? item.at : undefined;
  }

  /** All that changed since, by path, in the order of their first change. */
  since(snapshot: string): Map<string, Past> {
    const found = new Map<string, Past>();
    const start = this.#placeOf(snapshot);
    if (start < 0) return found;
    for (const item of this.#items.slice(start)) {
      if (item.type === "snapshot") continue;
      for (const { path, before, after } of item.files) {
        const past = found.get(path);
        const isForeign = item.by === "user" || (past?.last !== undefined && !sameState(past.last, before));
        found.set(path, { was: past?.was ?? before, last: after, edited: isForeign || past?.edited === true });
      }
    }
    return found;
  }

  /** The newest restore, if it is not undone. */
  get newest(): Restore | undefined {
    const newest = [...this.#restores.values()].findLast(({ files }) => files.length > 0);
    return newest?.undoes === undefined ? newest : undefined;
  }

  #take(line: Line): void {
    switch (line.type) {
      case "dropped":
        this.#droppedUpTo = firstSnapshotAt(line.at);
        return;
      case "snapshot":
        this.#snapshot(line.id, line.at);
        return;
      case "intent":
        if (this.#find((id) => id === line.snapshot) < 0) this.#snapshot(line.snapshot, line.at);
        for (const { path, before } of line.files) if (!this.open.has(path)) this.open.set(path, before);
        return;
      case "change":
        if (line.by === "agent") this.open.clear();
        this.#change(line.by, line.files, line.until);
        return;
      case "restore":
        this.unfinished.set(line.id, line.files);
        this.#restores.set(line.id, { id: line.id, at: line.at, files: [], undoes: line.undoes });
        return;
      case "restored": {
        const files = this.unfinished.get(line.id)?.filter(({ path }) => line.paths.includes(path));
        const restore = this.#restores.get(line.id);
        this.unfinished.delete(line.id);
        if (!files || !restore) return;
        restore.files = files;
        this.#change("restore", files);
        return;
      }
      default:
        never(line);
    }
  }

  /** -1: nothing has been written since. */
  #placeOf(snapshot: string): number {
    const exact = this.#find((id) => id === snapshot);
    return exact >= 0 ? exact : this.#find((id) => id > snapshot);
  }

  #isDropped(snapshot: string): boolean {
    return snapshot < this.#droppedUpTo && this.#find((id) => id === snapshot) < 0;
  }

  #find(is: (id: string) => boolean): number {
    return this.#items.findIndex((item) => item.type === "snapshot" && is(item.id));
  }

  /** An intent may have named it before its time. */
  #snapshot(id: string, at: number): void {
    const early = this.#find((other) => other === id);
    if (early >= 0) this.#items.splice(early, 1);
    this.#items.push({ type: "snapshot", id, at });
  }

  #change(by: By, files: readonly Step[], until?: string): void {
    const place = this.#find((id) => id === until);
    this.#items.splice(place < 0 ? this.#items.length : place, 0, { type: "change", by, files });
  }
}
