/** Derives from a change log how files have changed since a snapshot. Pure. */
import { never } from "../../base/never.ts";
import type { ProcessIdentity } from "../../base/node/process-identity.ts";
import type { RestoreFile } from "../../chat/review-views.ts";
import { type FileState, sameState } from "../files/file-state.ts";
import type { LogLine, Transition } from "./change-log.ts";
import { firstSnapshotIDAt } from "./snapshot-id.ts";

type HistoryItem =
  | { type: "snapshot"; id: string; at: number }
  | { type: "change"; by: ChangeAuthor; files: readonly HistoryChange[] };
type ChangeAuthor = "agent" | "user" | "session" | "shared" | "restore";

/** `after` is undefined if a crash interrupted the change. */
interface HistoryChange {
  path: string;
  before: FileState;
  after: FileState | undefined;
}

/** The changes to one file since a snapshot. */
export interface FileHistory {
  before: FileState;
  /** Its last known state; undefined if a crash interrupted the change. */
  last: FileState | undefined;
  /** Who else has changed it, most recently. */
  edited: RestoreFile["edited"];
}

export interface PastRestore {
  id: string;
  at: number;
  files: Transition[];
}

/** A restore without its end in the log. */
export interface BegunRestore extends PastRestore {
  undoes: string | undefined;
  /** Its process; undefined if the log does not tell. */
  by: ProcessIdentity | undefined;
  /** The message to which the conversation goes back afterwards, or "". */
  rewindTo: string;
}

export class ChangeHistory {
  readonly #items: HistoryItem[] = [];
  /** Snapshots that sort before this one are not known. */
  #droppedUpTo = "";
  /** Earlier states of files that tools were about to write when the log ends. */
  readonly open = new Map<string, FileState>();
  readonly #restores = new Map<string, PastRestore & { undoes: string | undefined }>();
  /** Restores that have not ended: a crash interrupted them, or another process is at it. */
  readonly unfinished = new Map<string, BegunRestore>();

  constructor(lines: readonly LogLine[]) {
    for (const line of lines) this.#addLine(line);
    for (const [path, before] of this.open) this.#addChange("agent", [{ path, before, after: undefined }]);
  }

  /**
   * Returns when the snapshot was taken, in milliseconds since 1970; undefined if it is not known. Steps that wrote
   * nothing are not in the log: their state is that of the next snapshot, since later snapshots sort later.
   */
  at(snapshot: string): number | undefined {
    if (snapshot < this.#droppedUpTo && this.#findSnapshot((id) => id === snapshot) < 0) return undefined;
    const item = this.#items[this.#indexOf(snapshot)] ?? this.#items.findLast(({ type }) => type === "snapshot");
    return item?.type === "snapshot" ? item.at : undefined;
  }

  /** Returns the files that changed since the snapshot, by path, in the order of their first change. */
  since(snapshot: string): Map<string, FileHistory> {
    const found = new Map<string, FileHistory>();
    const start = this.#indexOf(snapshot);
    if (start < 0) return found;
    for (const item of this.#items.slice(start)) {
      if (item.type === "snapshot") continue;
      for (const { path, before, after } of item.files) {
        const past = found.get(path);
        const other = otherThanAgent(item.by) || (past?.last && !sameState(past.last, before) ? "user" : false);
        found.set(path, { before: past?.before ?? before, last: after, edited: other || (past?.edited ?? false) });
      }
    }
    return found;
  }

  /** The newest restore, unless it was undone. */
  get newest(): PastRestore | undefined {
    const newest = [...this.#restores.values()].findLast(({ files }) => files.length > 0);
    return newest?.undoes === undefined ? newest : undefined;
  }

  #addLine(line: LogLine): void {
    switch (line.type) {
      case "dropped":
        this.#droppedUpTo = firstSnapshotIDAt(line.at);
        return;
      case "snapshot":
        this.#addSnapshot(line.id, line.at);
        return;
      case "intent":
        if (this.#findSnapshot((id) => id === line.snapshot) < 0) this.#addSnapshot(line.snapshot, line.at);
        for (const { path, before } of line.files) if (!this.open.has(path)) this.open.set(path, before);
        return;
      case "command":
        return;
      case "change":
        if (line.by === "agent") this.open.clear();
        this.#addChange(line.by, line.files, line.until);
        return;
      case "restore": {
        const { id, at, files, undoes, by, rewindTo = "" } = line;
        this.unfinished.set(id, { id, at, files, undoes, by, rewindTo });
        this.#restores.set(id, { id, at, files: [], undoes });
        return;
      }
      case "restored": {
        const files = this.unfinished.get(line.id)?.files.filter(({ path }) => line.paths.includes(path));
        const restore = this.#restores.get(line.id);
        this.unfinished.delete(line.id);
        if (!files || !restore) return;
        restore.files = files;
        this.#addChange("restore", files);
        return;
      }
      default:
        never(line);
    }
  }

  /** Returns -1 if nothing was written since. */
  #indexOf(snapshot: string): number {
    const exact = this.#findSnapshot((id) => id === snapshot);
    return exact >= 0 ? exact : this.#findSnapshot((id) => id > snapshot);
  }

  #findSnapshot(is: (id: string) => boolean): number {
    return this.#items.findIndex((item) => item.type === "snapshot" && is(item.id));
  }

  /** An intent may have added the snapshot too early. */
  #addSnapshot(id: string, at: number): void {
    const early = this.#findSnapshot((other) => other === id);
    if (early >= 0) this.#items.splice(early, 1);
    this.#items.push({ type: "snapshot", id, at });
  }

  #addChange(by: ChangeAuthor, files: readonly HistoryChange[], until?: string): void {
    const place = this.#findSnapshot((id) => id === until);
    this.#items.splice(place < 0 ? this.#items.length : place, 0, { type: "change", by, files });
  }
}

function otherThanAgent(by: ChangeAuthor): RestoreFile["edited"] {
  if (by === "user") return "user";
  return by === "session" || by === "shared" ? "session" : false;
}
