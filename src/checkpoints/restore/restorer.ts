/** Restores files to their state at a snapshot, and undoes a restore. */
import { randomUUID } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { RestoreFile } from "../../chat/protocol.ts";
import { type FileState, type FoundFile, maxNamedBytes, maxUnnamedBytes, sameState } from "../files/file-state.ts";
import { TimeSlices } from "../files/time-slices.ts";
import { isWithinRoots, readWithinRoots, relativeToRoots } from "../files/within-roots.ts";
import type { StepTracker } from "../steps/step-tracker.ts";
import { isFolderOnly, type Transition } from "../store/change-log.ts";
import type { SessionStore } from "../store/session-store.ts";
import { countLines } from "./count-lines.ts";
import { putState, temporaryName } from "./put-file.ts";

interface PlannedFile extends RestoreFile {
  /** Absolute path. */
  file: string;
}

export interface RestorePlan {
  snapshot: string;
  /** When it was taken, in milliseconds since 1970; 0 if that is not known. */
  at: number;
  /** Whether the state at the snapshot can be restored. */
  known: boolean;
  files: PlannedFile[];
}

export interface RestoreResult {
  /** Paths as in the preview. */
  restored: string[];
  /** Files that were not changed, and why. */
  left: { path: string; problem: string }[];
}

/** An editor that has files open. */
export interface FileWriter {
  /** Absolute paths of the files with changes that are not on disk. */
  unsaved(): Promise<readonly string[]>;
  /** Deletes the file if `bytes` is undefined. @returns false if the file is not open: then it must be written on disk */
  write(file: string, bytes: Uint8Array | undefined): Promise<boolean>;
}

interface PlannedRestore {
  shown: RestoreFile;
  before: FileState;
  now: FileState;
}

export class Restorer {
  readonly #roots: readonly string[];
  readonly #store: SessionStore;
  readonly #steps: StepTracker;
  readonly #writer: FileWriter | undefined;
  /** Files of the last preview: only what it showed is restored. */
  #planned = new Map<string, PlannedRestore>();
  #snapshot = "";

  constructor(roots: readonly string[], store: SessionStore, steps: StepTracker, writer: FileWriter | undefined) {
    this.#roots = roots;
    this.#store = store;
    this.#steps = steps;
    this.#writer = writer;
  }

  async preview(snapshot: string): Promise<RestorePlan> {
    if (!this.#steps.busy) await this.#steps.recordUserChanges(undefined);
    this.#finishInterrupted();
    const history = this.#store.history();
    const unsaved = new Set(await this.#writer?.unsaved());
    const slices = new TimeSlices();
    const files: PlannedFile[] = [];
    this.#planned = new Map();
    this.#snapshot = snapshot;
    const changed = [...history.since(snapshot)];
    const names = this.#names(changed.map(([name]) => name));
    const folders = new Set(changed.flatMap(([name, { before }]) => (before.type === "folder" ? [name] : [])));
    for (const [name, { before, last, edited }] of changed) {
      await slices.yieldIfDue();
      const now = this.#now(name, before);
      if (sameState(now.state, before)) continue;
      const shown: RestoreFile = {
        path: names.get(name) ?? name,
        effect: effectOf(now.state, before),
        ...this.#countLines(now, before),
        edited: edited || unsaved.has(name) || last === undefined || !sameState(now.state, last),
        problem: this.#problem(name, now, before, folders),
      };
      this.#planned.set(name, { shown, before, now: now.state });
      if (!isFolderOnly({ before: now.state, after: before })) files.push({ ...shown, file: name });
    }
    const at = history.at(snapshot);
    return { snapshot, at: at ?? 0, known: at !== undefined, files };
  }

  /** `paths` are those of the preview of this snapshot. */
  async restore(snapshot: string, paths: readonly string[]): Promise<RestoreResult> {
    if (this.#snapshot !== snapshot) await this.preview(snapshot);
    const chosen = new Set(paths);
    const unsaved = new Set(await this.#writer?.unsaved());
    const left: RestoreResult["left"] = [];
    const wanted: Transition[] = [];
    for (const [name, { shown, before, now }] of this.#planned) {
      if (isFolderOnly({ before: now, after: before }) ? shown.edited : !chosen.delete(shown.path)) continue;
      if (unsaved.has(name) && !shown.edited)
        left.push({ path: shown.path, problem: "It has unsaved changes in the editor." });
      else wanted.push({ path: name, before: now, after: before });
    }
    for (const name of chosen) left.push({ path: name, problem: "It is not in the preview." });
    this.#snapshot = "";
    const names = new Map([...this.#planned].map(([name, { shown }]) => [name, shown.path]));
    const done = await this.#apply(wanted, names, undefined);
    return { restored: done.restored, left: [...left, ...done.left] };
  }

  /** Undoes the newest restore, except for files that have changed since. */
  async undo(): Promise<RestoreResult> {
    this.#finishInterrupted();
    const newest = this.#store.history().newest;
    if (!newest) return { restored: [], left: [] };
    const reverse = newest.files.map(({ path, before, after }): Transition => ({ path, before: after, after: before }));
    this.#snapshot = "";
    return await this.#apply(reverse, this.#names(reverse.map(({ path }) => path)), newest.id);
  }

  /** Returns the restore that `undo` would revert. */
  restored(): { files: number; at: number } | undefined {
    const newest = this.#store.history().newest;
    return newest && { files: newest.files.filter((file) => !isFolderOnly(file)).length, at: newest.at };
  }

  /** Returns the content of a file at the snapshot; undefined if it did not exist or was not saved. */
  content(snapshot: string, shown: string): Buffer | undefined {
    for (const [name, { before }] of this.#store.history().since(snapshot)) {
      if (name !== shown && relativeToRoots(this.#roots, name) !== shown) continue;
      return before.type === "file" ? this.#store.blobs.get(before.hash) : undefined;
    }
    return undefined;
  }

  async #apply(
    wanted: readonly Transition[],
    names: ReadonlyMap<string, string>,
    undoes: string | undefined,
  ): Promise<RestoreResult> {
    const left: RestoreResult["left"] = [];
    const leave = (file: Transition, problem: string) => {
      if (!isFolderOnly(file)) left.push({ path: names.get(file.path) ?? file.path, problem });
    };
    const folders = new Set(wanted.flatMap(({ path, after }) => (after.type === "folder" ? [path] : [])));
    const files = wanted.filter((file) => {
      const now = this.#now(file.path, file.before);
      const problem = this.#problem(file.path, now, file.after, folders) || this.#saveCurrent(now);
      if (sameState(now.state, file.before) && problem === "") return true;
      leave(file, problem || "It has changed in the meantime.");
      return false;
    });
    const id = randomUUID();
    if (files.length === 0) return { restored: [], left };
    if (!this.#store.append({ type: "restore", id, at: Date.now(), files, ...(undoes !== undefined && { undoes }) })) {
      for (const file of files) leave(file, "Its current content could not be saved.");
      return { restored: [], left };
    }
    const done: Transition[] = [];
    for (const file of inRestoreOrder(files)) {
      try {
        await this.#restoreFile(file);
        done.push(file);
      } catch (error) {
        leave(file, describeWriteError(error));
      }
    }
    this.#store.append({ type: "restored", id, paths: done.map(({ path }) => path) });
    this.#steps.refresh(done);
    const restored = done.filter((file) => !isFolderOnly(file));
    return { restored: restored.map(({ path }) => names.get(path) ?? path), left };
  }

  async #restoreFile({ path: name, before, after }: Transition): Promise<void> {
    // Restoring many files takes time, in which this one may have changed.
    if (!sameState(this.#now(name, before).state, before)) throw new Error("it has changed in the meantime");
    const bytes = after.type === "file" ? this.#store.blobs.get(after.hash) : undefined;
    const isText = (before.type === "file" || before.type === "missing") && (bytes || after.type === "missing");
    if (isText && (await this.#writer?.write(name, bytes))) {
      // The editor's formatters and encodings may have written something else.
      if (sameState(this.#now(name, after).state, after)) return;
    }
    if (!isWithinRoots(name, this.#roots)) throw new Error("its folder has become a link");
    putState(name, after, bytes);
  }

  /** Returns the current state in the form that can be compared with `other`. */
  #now(name: string, other: FileState): FoundFile {
    const isDated = other.type === "file" && other.hash.startsWith("~");
    return readWithinRoots(name, isDated ? maxUnnamedBytes : maxNamedBytes, this.#roots);
  }

  /** Returns why the file cannot be restored to `before`, or "". Paths in `folders` will be folders by then. */
  #problem(name: string, now: FoundFile, before: FileState, folders: ReadonlySet<string>): string {
    if (!isWithinRoots(name, this.#roots, folders)) return "It is outside the open folders or behind a link.";
    if (before.type === "special" || now.state.type === "special") return "It is not a regular file.";
    if (before.type === "file" && !this.#store.blobs.has(before.hash)) {
      return before.size > maxUnnamedBytes
        ? "It is larger than 2 MB, so Rondo saved no copy of it."
        : "Rondo has no copy of its earlier content.";
    }
    if (now.state.type !== "file" || now.bytes) return "";
    return now.state.hash === ""
      ? "It cannot be read."
      : "It is too large to be saved, so the restore could not be undone.";
  }

  /** Saves the current content. @returns why that failed, or "" */
  #saveCurrent({ state, bytes }: FoundFile): string {
    return this.#store.save(state, bytes) ? "" : "Its current content could not be saved.";
  }

  #countLines(now: FoundFile, before: FileState): { added: number; removed: number } {
    return countLines(now.bytes, before.type === "file" ? this.#store.blobs.get(before.hash) : undefined);
  }

  /** Records how far restores got that a crash interrupted. */
  #finishInterrupted(): void {
    for (const [id, files] of this.#store.history().unfinished) {
      const done = files.filter(({ path, after }) => sameState(this.#now(path, after).state, after));
      this.#store.append({ type: "restored", id, paths: done.map(({ path }) => path) });
      for (const folder of new Set(files.map((file) => path.dirname(file.path)))) {
        if (isWithinRoots(path.join(folder, "any"), this.#roots)) removeTemporaryFiles(folder);
      }
    }
  }

  /** Returns paths relative to their roots, or absolute where two would be the same. */
  #names(files: readonly string[]): Map<string, string> {
    const relative = files.map((file) => relativeToRoots(this.#roots, file));
    const seen = new Map<string, number>();
    for (const name of relative) seen.set(name, (seen.get(name) ?? 0) + 1);
    const shorten = (file: string, name = file) => (seen.get(name) === 1 ? name : file);
    return new Map(files.map((file, at) => [file, shorten(file, relative[at])]));
  }
}

function effectOf(now: FileState, before: FileState): RestoreFile["effect"] {
  if (before.type === "missing" || before.type === "folder") return "delete";
  return now.type === "missing" || now.type === "folder" ? "create" : "change";
}

/** Deletes files before their folders, from the inside out; creates folders before their files, from the outside in. */
function inRestoreOrder(files: readonly Transition[]): Transition[] {
  const phase = ({ before, after }: Transition) => {
    if (after.type === "missing") return before.type === "folder" ? 1 : 0;
    return after.type === "folder" ? 2 : 3;
  };
  const depth = (file: Transition) => (phase(file) < 2 ? -1 : 1) * file.path.length;
  return files.toSorted((a, b) => phase(a) - phase(b) || depth(a) - depth(b));
}

function describeWriteError(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOTEMPTY") return "A folder with other files is in its place.";
  return `It could not be written: ${error instanceof Error ? error.message : String(error)}.`;
}

function removeTemporaryFiles(folder: string): void {
  try {
    for (const name of readdirSync(folder))
      if (temporaryName.test(name)) rmSync(path.join(folder, name), { force: true });
  } catch {
    // The folder no longer exists.
  }
}
