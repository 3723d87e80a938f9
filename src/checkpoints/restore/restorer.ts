/** Restores files to their state at a snapshot, and undoes a restore. */
import { randomUUID } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { RestoreFile } from "../../chat/protocol.ts";
import { systemErrorCode } from "../../tools/node-host/system-errors.ts";
import { compare } from "../../tools/text/diff.ts";
import { type FileState, type FoundFile, maxNamedBytes, maxUnnamedBytes, sameState } from "../files/file-state.ts";
import { TimeSlices } from "../files/time-slices.ts";
import { isWithinRoots, readWithinRoots, relativeToRoots } from "../files/within-roots.ts";
import type { StepTracker } from "../steps/step-tracker.ts";
import { isFolderOnly, type Transition } from "../store/change-log.ts";
import type { SessionStore } from "../store/session-store.ts";
import { putState, temporaryName } from "./put-file.ts";

export interface RestorePlan {
  snapshot: string;
  /** When it was taken, in milliseconds since 1970; 0 if that is not known. */
  at: number;
  /** Whether the state at the snapshot can be restored. */
  known: boolean;
  /** `file` is the absolute path. */
  files: (RestoreFile & { file: string })[];
}

export interface RestoreResult {
  /** Paths as in the preview. */
  restored: string[];
  /** Files that were not changed, and why. */
  left: { path: string; problem: string }[];
}

export interface FileWriter {
  /** Absolute paths of the files with changes that are not on disk. */
  unsaved(): Promise<readonly string[]>;
  /** Deletes the file if `bytes` is undefined. @returns false if the file is not open and must be written on disk */
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
    const files: RestorePlan["files"] = [];
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
        ...countLines(now.bytes, before.type === "file" ? this.#store.blobs.get(before.hash) : undefined),
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

  async undo(): Promise<RestoreResult> {
    this.#finishInterrupted();
    const newest = this.#store.history().newest;
    if (!newest) return { restored: [], left: [] };
    const reverse = newest.files.map(({ path, before, after }): Transition => ({ path, before: after, after: before }));
    this.#snapshot = "";
    return await this.#apply(reverse, this.#names(reverse.map(({ path }) => path)), newest.id);
  }

  restored(): { files: number; at: number } | undefined {
    const newest = this.#store.history().newest;
    return newest && { files: newest.files.filter((file) => !isFolderOnly(file)).length, at: newest.at };
  }

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
    const notSaved = "Its current content could not be saved.";
    const files = wanted.filter((file) => {
      const now = this.#now(file.path, file.before);
      let problem = this.#problem(file.path, now, file.after, folders);
      if (problem === "" && !this.#store.save(now.state, now.bytes)) problem = notSaved;
      if (sameState(now.state, file.before) && problem === "") return true;
      leave(file, problem || "It has changed in the meantime.");
      return false;
    });
    const id = randomUUID();
    if (files.length === 0) return { restored: [], left };
    if (!this.#store.append({ type: "restore", id, at: Date.now(), files, ...(undoes !== undefined && { undoes }) })) {
      for (const file of files) leave(file, notSaved);
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
    const byName = Map.groupBy(files, (file) => relativeToRoots(this.#roots, file));
    return new Map([...byName].flatMap(([name, same]) => same.map((file) => [file, same.length === 1 ? name : file])));
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

/** Maximum size of texts whose lines are compared. */
const maxComparedBytes = 512 * 1024;

/** Counts changed lines. An undefined content counts as empty. Binary and large contents have no lines. */
function countLines(from: Buffer | undefined, to: Buffer | undefined): { added: number; removed: number } {
  const texts = [from, to].map((bytes) => bytes ?? Buffer.alloc(0));
  if (texts.some((bytes) => bytes.length > maxComparedBytes || bytes.includes(0))) return { added: 0, removed: 0 };
  const [before = "", after = ""] = texts.map((bytes) => bytes.toString("utf8"));
  const lines = compare(before, after).flatMap((hunk) => hunk.lines);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { added: count("+"), removed: count("-") };
}

function describeWriteError(error: unknown): string {
  if (systemErrorCode(error) === "ENOTEMPTY") return "A folder with other files is in its place.";
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
