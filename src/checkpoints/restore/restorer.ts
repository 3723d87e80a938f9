/** Restores files to their state at a snapshot, and undoes a restore. */

import { randomUUID } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { thisProcess } from "../../base/node/process-identity.ts";
import { systemErrorCode } from "../../base/node/system-errors.ts";
import type { RestoreFile } from "../../chat/review-views.ts";
import { msg } from "../../l10n/l10n.ts";
import { compare } from "../../tools/text/diff.ts";
import { type FileState, type FoundFile, maxNamedBytes, maxUnnamedBytes, sameState } from "../files/file-state.ts";
import { TimeSlices } from "../files/time-slices.ts";
import { isWithinRoots, readWithinRoots, relativeToRoots } from "../files/within-roots.ts";
import type { StepTracker } from "../steps/step-tracker.ts";
import type { BegunRestore } from "../store/change-history.ts";
import { isFolderOnly, type Transition } from "../store/change-log.ts";
import type { SessionStore } from "../store/session-store.ts";
import { isUnderWay, progressOf, type RestoreProgress } from "./broken-restore.ts";
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

/** The newest restore. */
export interface LastRestore {
  /** Number of files that are restored. */
  files: number;
  at: number;
  /** Number of files that are not restored yet, because the restore was cut off with its process; else 0. */
  open: number;
  /** Whether it reverts another one. Then only its rest can be done. */
  isUndo: boolean;
  /** The message to which the conversation was to go back after a restore that was cut off; else "". */
  rewindTo: string;
}

export interface FileWriter {
  /** Absolute paths of the files with changes that are not on disk. */
  unsaved(): Promise<readonly string[]>;
  /** Deletes the file if `bytes` is undefined. @returns false if the file is not open and must be written on disk */
  write(file: string, bytes: Uint8Array | undefined): Promise<boolean>;
  /** Called with the absolute paths that a restore has changed, whether `write` or the restore itself wrote them. */
  written(files: readonly string[]): Promise<void>;
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
    this.settle();
    const history = this.#store.history();
    const unsaved = new Set(await this.#writer?.unsaved());
    const slices = new TimeSlices();
    const others = this.#store.others.since(history.at(snapshot) ?? 0);
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
      const isTouched = unsaved.has(name) || last === undefined || !sameState(now.state, last);
      const shown: RestoreFile = {
        path: names.get(name) ?? name,
        effect: effectOf(now.state, before),
        ...countLines(now.bytes, before.type === "file" ? this.#store.blobs.get(before.hash) : undefined),
        edited: edited || (isTouched && (others.hasLeft(name, now.state) ? "session" : "user")),
        problem: this.#problem(name, now, before, folders),
      };
      this.#planned.set(name, { shown, before, now: now.state });
      if (!isFolderOnly({ before: now.state, after: before })) files.push({ ...shown, file: name });
    }
    const at = history.at(snapshot);
    return { snapshot, at: at ?? 0, known: at !== undefined, files };
  }

  /**
   * `paths` are those of the preview of this snapshot. `rewindTo` is kept until the restore has ended: see `LastRestore`.
   */
  async restore(snapshot: string, paths: readonly string[], rewindTo = ""): Promise<RestoreResult> {
    if (this.#snapshot !== snapshot) await this.preview(snapshot);
    const chosen = new Set(paths);
    const unsaved = new Set(await this.#writer?.unsaved());
    const left: RestoreResult["left"] = [];
    const wanted: Transition[] = [];
    for (const [name, { shown, before, now }] of this.#planned) {
      if (isFolderOnly({ before: now, after: before }) ? shown.edited : !chosen.delete(shown.path)) continue;
      if (unsaved.has(name) && !shown.edited)
        left.push({ path: shown.path, problem: msg("It has unsaved changes in the editor.") });
      else wanted.push({ path: name, before: now, after: before });
    }
    for (const name of chosen) left.push({ path: name, problem: msg("It is not in the preview.") });
    this.#snapshot = "";
    const names = new Map([...this.#planned].map(([name, { shown }]) => [name, shown.path]));
    const done = await this.#apply(wanted, names, { rewindTo });
    return { restored: done.restored, left: [...left, ...done.left] };
  }

  async undo(): Promise<RestoreResult> {
    const broken = this.#broken();
    const left = broken ? this.#changedSince(this.#progress(broken)) : [];
    this.settle();
    const newest = this.#store.history().newest;
    // A restore that was cut off before its first file leaves the one before it alone.
    if (!newest || (broken && newest.id !== broken.id)) return { restored: [], left };
    const names = this.#names(newest.files.map(({ path }) => path));
    const unsaved = new Set(await this.#writer?.unsaved());
    const reverse: Transition[] = [];
    for (const { path: name, before, after } of newest.files) {
      if (unsaved.has(name))
        left.push({ path: names.get(name) ?? name, problem: msg("It has unsaved changes in the editor.") });
      else reverse.push({ path: name, before: after, after: before });
    }
    this.#snapshot = "";
    const done = await this.#apply(reverse, names, { undoes: newest.id });
    return { restored: done.restored, left: [...left, ...done.left] };
  }

  /** Does the rest of a restore that was cut off. Files that have changed since stay. Undo then reverts all of it. */
  async finish(): Promise<RestoreResult> {
    const broken = this.#broken();
    if (!broken) return { restored: [], left: [] };
    this.#removeTemporaryFiles(broken);
    const progress = this.#progress(broken);
    const names = this.#names(broken.files.map(({ path }) => path));
    const left = this.#changedSince(progress);
    const unsaved = new Set(await this.#writer?.unsaved());
    const rest = [...progress.open, ...progress.torn].filter(({ path: name }) => {
      if (unsaved.has(name))
        left.push({ path: names.get(name) ?? name, problem: msg("It has unsaved changes in the editor.") });
      return !unsaved.has(name);
    });
    const leave = (file: Transition, problem: string) => {
      if (!isFolderOnly(file)) left.push({ path: names.get(file.path) ?? file.path, problem });
    };
    const written = await this.#write(rest, new Set(progress.torn), leave);
    await this.#end(broken.id, progress.done, written);
    const restored = [...progress.done, ...written].filter((file) => !isFolderOnly(file));
    return { restored: restored.map(({ path }) => names.get(path) ?? path), left };
  }

  restored(): LastRestore | undefined {
    const count = (files: readonly Transition[]) => files.filter((file) => !isFolderOnly(file)).length;
    const broken = this.#broken();
    if (broken) {
      const { done, open, torn } = this.#progress(broken);
      const { at, undoes, rewindTo } = broken;
      const rest = count(open) + count(torn);
      if (rest > 0) return { files: count(done), at, open: rest, isUndo: undoes !== undefined, rewindTo };
      this.settle();
    }
    const newest = this.#store.history().newest;
    return newest && { files: count(newest.files), at: newest.at, open: 0, isUndo: false, rewindTo: "" };
  }

  /**
   * Ends restores that were cut off where they are: in the log, which then knows what they did, and with files that are
   * half written. Undo reverts that much.
   */
  settle(): void {
    for (const broken of this.#store.history().unfinished.values()) {
      if (isUnderWay(broken)) continue;
      this.#removeTemporaryFiles(broken);
      const { done, torn } = this.#progress(broken);
      const repaired = torn.filter((file) => {
        try {
          this.#putState(file);
          return true;
        } catch {
          // Its folder may be read-only by now. The file counts as changed.
          return false;
        }
      });
      this.#store.append({ type: "restored", id: broken.id, paths: [...done, ...repaired].map(({ path }) => path) });
    }
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
    reason: { undoes: string } | { rewindTo: string },
  ): Promise<RestoreResult> {
    const left: RestoreResult["left"] = [];
    const leave = (file: Transition, problem: string) => {
      if (!isFolderOnly(file)) left.push({ path: names.get(file.path) ?? file.path, problem });
    };
    const folders = new Set(wanted.flatMap(({ path, after }) => (after.type === "folder" ? [path] : [])));
    const notSaved = msg("Its current content could not be saved.");
    const files = wanted.filter((file) => {
      const now = this.#now(file.path, file.before);
      let problem = this.#problem(file.path, now, file.after, folders);
      if (problem === "" && !this.#store.save(now.state, now.bytes)) problem = notSaved;
      if (sameState(now.state, file.before) && problem === "") return true;
      leave(file, problem || msg("It has changed in the meantime."));
      return false;
    });
    const id = randomUUID();
    if (files.length === 0) return { restored: [], left };
    if (!this.#store.append({ type: "restore", id, at: Date.now(), by: thisProcess(), files, ...reason })) {
      for (const file of files) leave(file, notSaved);
      return { restored: [], left };
    }
    const done = await this.#write(files, new Set(), leave);
    await this.#end(id, [], done);
    const restored = done.filter((file) => !isFolderOnly(file));
    return { restored: restored.map(({ path }) => names.get(path) ?? path), left };
  }

  /** Restores the files; those in `torn` whatever is in them. @returns those that could be restored */
  async #write(
    files: readonly Transition[],
    torn: ReadonlySet<Transition>,
    leave: (file: Transition, problem: string) => void,
  ): Promise<Transition[]> {
    const done: Transition[] = [];
    for (const file of inRestoreOrder(files)) {
      try {
        if (torn.has(file)) this.#putState(file);
        else await this.#restoreFile(file);
        done.push(file);
      } catch (error) {
        leave(file, describeWriteError(error));
      }
    }
    return done;
  }

  /** `before` was restored by an earlier process. */
  async #end(id: string, before: readonly Transition[], written: readonly Transition[]): Promise<void> {
    this.#store.append({ type: "restored", id, paths: [...before, ...written].map(({ path }) => path) });
    this.#steps.refresh(written);
    await this.#writer?.written(written.map(({ path }) => path));
  }

  async #restoreFile({ path: name, before, after }: Transition): Promise<void> {
    // It may be another name of a file that is restored by now.
    if (sameState(this.#now(name, after).state, after)) return;
    // Restoring many files takes time, in which this one may have changed.
    if (!sameState(this.#now(name, before).state, before)) throw new Error("it has changed in the meantime");
    const bytes = after.type === "file" ? this.#store.blobs.get(after.hash) : undefined;
    const isText = (before.type === "file" || before.type === "missing") && (bytes || after.type === "missing");
    if (isText && (await this.#writer?.write(name, bytes))) {
      // The editor's formatters and encodings may have written something else.
      if (sameState(this.#now(name, after).state, after)) return;
    }
    this.#putState({ path: name, before, after });
  }

  #putState({ path: name, after }: Transition): void {
    if (!isWithinRoots(name, this.#roots)) throw new Error("its folder has become a link");
    putState(name, after, after.type === "file" ? this.#store.blobs.get(after.hash) : undefined);
  }

  /** Returns the current state in the form that can be compared with `other`. */
  #now(name: string, other: FileState): FoundFile {
    const isDated = other.type === "file" && other.hash.startsWith("~");
    return readWithinRoots(name, isDated ? maxUnnamedBytes : maxNamedBytes, this.#roots);
  }

  /** Returns why the file cannot be restored to `before`, or "". Paths in `folders` will be folders by then. */
  #problem(name: string, now: FoundFile, before: FileState, folders: ReadonlySet<string>): string {
    if (!isWithinRoots(name, this.#roots, folders)) return msg("It is outside the open folders or behind a link.");
    if (before.type === "special" || now.state.type === "special") return msg("It is not a regular file.");
    if (before.type === "file" && !this.#store.blobs.has(before.hash)) {
      return before.size > maxUnnamedBytes
        ? msg("It is larger than 2 MB, so Rondo saved no copy of it.")
        : msg("Rondo has no copy of its earlier content.");
    }
    if (now.state.type !== "file" || now.bytes) return "";
    return now.state.hash === ""
      ? msg("It cannot be read.")
      : msg("It is too large to be saved, so the restore could not be undone.");
  }

  /** The newest restore, if it was cut off with its process. */
  #broken(): BegunRestore | undefined {
    const newest = [...this.#store.history().unfinished.values()].at(-1);
    return newest && !isUnderWay(newest) ? newest : undefined;
  }

  #progress({ files }: BegunRestore): RestoreProgress {
    return progressOf(
      files,
      (name, other) => this.#now(name, other),
      (hash) => this.#store.blobs.get(hash),
    );
  }

  #changedSince({ changed }: RestoreProgress): RestoreResult["left"] {
    const names = this.#names(changed.map(({ path }) => path));
    return changed
      .filter((file) => !isFolderOnly(file))
      .map(({ path }) => ({ path: names.get(path) ?? path, problem: msg("It has changed in the meantime.") }));
  }

  #removeTemporaryFiles({ files }: BegunRestore): void {
    for (const folder of new Set(files.map((file) => path.dirname(file.path)))) {
      if (isWithinRoots(path.join(folder, "any"), this.#roots)) removeTemporaryFiles(folder);
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
  if (systemErrorCode(error) === "ENOTEMPTY") return msg("A folder with other files is in its place.");
  return msg("It could not be written: {0}.", error instanceof Error ? error.message : String(error));
}

function removeTemporaryFiles(folder: string): void {
  try {
    for (const name of readdirSync(folder))
      if (temporaryName.test(name)) rmSync(path.join(folder, name), { force: true });
  } catch {
    // The folder no longer exists.
  }
}
