/** Brings files back to what they were at a snapshot, and takes that back again. */
import { randomUUID } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { RestoreFile } from "../../chat/protocol.ts";
import { type FileState, type Found, largestNamed, largestUnnamed, sameState } from "../files/file-state.ts";
import { Pace } from "../files/time-slices.ts";
import { isInPlace, readInPlace, relativeTo } from "../files/within-roots.ts";
import type { Steps } from "../steps/steps.ts";
import { isFolderOnly, type Transition } from "../store/change-log.ts";
import type { Kept } from "../store/session-store.ts";
import { countLines } from "./count-lines.ts";
import { put, temporaryName } from "./put-file.ts";

interface PlannedFile extends RestoreFile {
  /** Absolute. */
  file: string;
}

export interface RestorePlan {
  snapshot: string;
  /** When it was taken, in ms since 1970; 0 where that is not known. */
  at: number;
  /** False: nothing is kept of that state. */
  known: boolean;
  files: PlannedFile[];
}

export interface RestoreResult {
  /** Paths as in the preview. */
  restored: string[];
  /** What was left as it is, and why. */
  left: { path: string; problem: string }[];
}

/** An editor that has files open. */
export interface FileWriter {
  /** Absolute paths of the files with changes that are not on disk. */
  unsaved(): Promise<readonly string[]>;
  /** `bytes` undefined: deletes it. @returns false: it is not open, and to be written on disk */
  write(file: string, bytes: Uint8Array | undefined): Promise<boolean>;
}

interface Planned {
  shown: RestoreFile;
  was: FileState;
  now: FileState;
}

export class Restores {
  readonly #roots: readonly string[];
  readonly #kept: Kept;
  readonly #steps: Steps;
  readonly #writer: FileWriter | undefined;
  /** Of the last preview: what it said is what is restored. */
  #planned = new Map<string, Planned>();
  #snapshot = "";

  constructor(roots: readonly string[], kept: Kept, steps: Steps, writer: FileWriter | undefined) {
    this.#roots = roots;
    this.#kept = kept;
    this.#steps = steps;
    this.#writer = writer;
  }

  async preview(snapshot: string): Promise<RestorePlan> {
    if (!this.#steps.busy) await this.#steps.lookForUser(undefined);
    this.#finishInterrupted();
    const history = this.#kept.history();
    const unsaved = new Set(await this.#writer?.unsaved());
    const pace = new Pace();
    const files: PlannedFile[] = [];
    this.#planned = new Map();
    this.#snapshot = snapshot;
    const past = [...history.since(snapshot)];
    const names = this.#names(past.map(([name]) => name));
    const folders = new Set(past.flatMap(([name, { was }]) => (was.type === "folder" ? [name] : [])));
    for (const [name, { was, last, edited }] of past) {
      await pace.next();
      const now = this.#now(name, was);
      if (sameState(now.state, was)) continue;
      const shown: RestoreFile = {
        path: names.get(name) ?? name,
        effect: effectOf(now.state, was),
        ...this.#lines(now, was),
        edited: edited || unsaved.has(name) || last === undefined || !sameState(now.state, last),
        problem: this.#problem(name, now, was, folders),
      };
      this.#planned.set(name, { shown, was, now: now.state });
      if (!isFolderOnly({ before: now.state, after: was })) files.push({ ...shown, file: name });
    }
    const at = history.at(snapshot);
    return { snapshot, at: at ?? 0, known: at !== undefined, files };
  }

  /** `paths` as in the preview of this snapshot. */
  async restore(snapshot: string, paths: readonly string[]): Promise<RestoreResult> {
    if (this.#snapshot !== snapshot) await this.preview(snapshot);
    const chosen = new Set(paths);
    const unsaved = new Set(await this.#writer?.unsaved());
    const left: RestoreResult["left"] = [];
    const wanted: Transition[] = [];
    for (const [name, { shown, was, now }] of this.#planned) {
      if (isFolderOnly({ before: now, after: was }) ? shown.edited : !chosen.delete(shown.path)) continue;
      if (unsaved.has(name) && !shown.edited)
        left.push({ path: shown.path, problem: "It has unsaved changes in the editor." });
      else wanted.push({ path: name, before: now, after: was });
    }
    for (const name of chosen) left.push({ path: name, problem: "It is not in the preview." });
    this.#snapshot = "";
    const names = new Map([...this.#planned].map(([name, { shown }]) => [name, shown.path]));
    const done = await this.#apply(wanted, names, undefined);
    return { restored: done.restored, left: [...left, ...done.left] };
  }

  /** Takes the newest restore back; what was changed since is left as it is. */
  async undo(): Promise<RestoreResult> {
    this.#finishInterrupted();
    const newest = this.#kept.history().newest;
    if (!newest) return { restored: [], left: [] };
    const back = newest.files.map(({ path, before, after }): Transition => ({ path, before: after, after: before }));
    this.#snapshot = "";
    return await this.#apply(back, this.#names(back.map(({ path }) => path)), newest.id);
  }

  /** What `undo` would take back. */
  restored(): { files: number; at: number } | undefined {
    const newest = this.#kept.history().newest;
    return newest && { files: newest.files.filter((file) => !isFolderOnly(file)).length, at: newest.at };
  }

  /** What the file was; undefined: it was not there, or is not kept. */
  content(snapshot: string, shown: string): Buffer | undefined {
    for (const [name, { was }] of this.#kept.history().since(snapshot)) {
      if (name !== shown && relativeTo(this.#roots, name) !== shown) continue;
      return was.type === "file" ? this.#kept.blobs.get(was.hash) : undefined;
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
      const problem = this.#problem(file.path, now, file.after, folders) || this.#keepNow(now);
      if (sameState(now.state, file.before) && problem === "") return true;
      leave(file, problem || "It has changed meanwhile.");
      return false;
    });
    const id = randomUUID();
    if (files.length === 0) return { restored: [], left };
    if (!this.#kept.append({ type: "restore", id, at: Date.now(), files, ...(undoes !== undefined && { undoes }) })) {
      for (const file of files) leave(file, "What it is now could not be kept.");
      return { restored: [], left };
    }
    const done: Transition[] = [];
    for (const file of inOrder(files)) {
      try {
        await this.#put(file);
        done.push(file);
      } catch (error) {
        leave(file, reason(error));
      }
    }
    this.#kept.append({ type: "restored", id, paths: done.map(({ path }) => path) });
    this.#steps.refresh(done);
    const restored = done.filter((file) => !isFolderOnly(file));
    return { restored: restored.map(({ path }) => names.get(path) ?? path), left };
  }

  async #put({ path: name, before, after }: Transition): Promise<void> {
    // Many files take their time; what comes in between is not to be lost.
    if (!sameState(this.#now(name, before).state, before)) throw new Error("it has changed meanwhile");
    const bytes = after.type === "file" ? this.#kept.blobs.get(after.hash) : undefined;
    const isText = (before.type === "file" || before.type === "missing") && (bytes || after.type === "missing");
    if (isText && (await this.#writer?.write(name, bytes))) {
      // Formatters and encodings of the editor may have made something else of it.
      if (sameState(this.#now(name, after).state, after)) return;
    }
    if (!isInPlace(name, this.#roots)) throw new Error("its folder is a link by now");
    put(name, after, bytes);
  }

  /** As it is to be compared with `other`. */
  #now(name: string, other: FileState): Found {
    const isDated = other.type === "file" && other.hash.startsWith("~");
    return readInPlace(name, isDated ? largestUnnamed : largestNamed, this.#roots);
  }

  /** Why it cannot be made what it was; empty: it can. `folders`: what will be folders by then. */
  #problem(name: string, now: Found, was: FileState, folders: ReadonlySet<string>): string {
    if (!isInPlace(name, this.#roots, folders)) return "It is not in an open folder, or behind a link.";
    if (was.type === "special" || now.state.type === "special") return "It is no file that could be restored.";
    if (was.type === "file" && !this.#kept.blobs.has(was.hash)) {
      if (was.size > largestUnnamed) return "Larger than 2 MB: Rondo has no copy of what it was.";
      return "Rondo has no copy of what it was.";
    }
    if (now.state.type !== "file" || now.bytes) return "";
    return now.state.hash === "" ? "It cannot be read." : "It is too large for a copy, so this could not be undone.";
  }

  /** Keeps what is there now. @returns why that could not be done; empty: it could */
  #keepNow({ state, bytes }: Found): string {
    return this.#kept.keep(state, bytes) ? "" : "What it is now could not be kept.";
  }

  #lines(now: Found, was: FileState): { added: number; removed: number } {
    const old = was.type === "file" ? this.#kept.blobs.get(was.hash) : undefined;
    return countLines(now.bytes, old);
  }

  /** What a crash has cut off is as far as it got. */
  #finishInterrupted(): void {
    for (const [id, files] of this.#kept.history().unfinished) {
      const done = files.filter(({ path, after }) => sameState(this.#now(path, after).state, after));
      this.#kept.append({ type: "restored", id, paths: done.map(({ path }) => path) });
      for (const folder of new Set(files.map((file) => path.dirname(file.path)))) {
        if (isInPlace(path.join(folder, "any"), this.#roots)) sweep(folder);
      }
    }
  }

  /** Relative to their folders; absolute where two would be the same. */
  #names(files: readonly string[]): Map<string, string> {
    const relative = files.map((file) => relativeTo(this.#roots, file));
    const seen = new Map<string, number>();
    for (const name of relative) seen.set(name, (seen.get(name) ?? 0) + 1);
    const nameOf = (file: string, name = file) => (seen.get(name) === 1 ? name : file);
    return new Map(files.map((file, at) => [file, nameOf(file, relative[at])]));
  }
}

function effectOf(now: FileState, was: FileState): RestoreFile["effect"] {
  if (was.type === "missing" || was.type === "folder") return "delete";
  return now.type === "missing" || now.type === "folder" ? "create" : "change";
}

/** Files go first, was their folders, from the inside out; folders come back from the outside in, was their files. */
function inOrder(files: readonly Transition[]): Transition[] {
  const phase = ({ before, after }: Transition) => {
    if (after.type === "missing") return before.type === "folder" ? 1 : 0;
    return after.type === "folder" ? 2 : 3;
  };
  const depth = (file: Transition) => (phase(file) < 2 ? -1 : 1) * file.path.length;
  return files.toSorted((a, b) => phase(a) - phase(b) || depth(a) - depth(b));
}

function reason(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOTEMPTY") return "A folder that holds other files is in its place.";
  return `It could not be written: ${error instanceof Error ? error.message : String(error)}.`;
}

function sweep(folder: string): void {
  try {
    for (const name of readdirSync(folder))
      if (temporaryName.test(name)) rmSync(path.join(folder, name), { force: true });
  } catch {
    // The folder is gone, and with it what was to be removed.
  }
}
