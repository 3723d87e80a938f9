/** Finds what each step changes: in the files that tools name, or by a scan of all files before and after a command. */
import { createHash } from "node:crypto";
import path from "node:path";
import type { Change } from "../../loop/checkpoints.ts";
import { isWithin } from "../../tools/file-access/requirements.ts";
import { type FileState, lstat, maxNamedBytes, sameStamp, sameState } from "../files/file-state.ts";
import { TimeSlices } from "../files/time-slices.ts";
import { readWithinRoots, relativeToRoots } from "../files/within-roots.ts";
import type { FileDifference, FileEntry } from "../scan/file-tree.ts";
import { type ChangeLine, inGit, isFolderOnly, joinedChanges, type Transition } from "../store/change-log.ts";
import type { SessionStore } from "../store/session-store.ts";
import type { CopyPool } from "./copy-pool.ts";
import { EarlierContents } from "./earlier-contents.ts";
import { FileScans } from "./file-scans.ts";
import { maxReviewedFiles } from "./step-files.ts";
import { StepReview, type StepReviewer } from "./step-review.ts";
import { isUserChange, type RunningCommand, usesLocalClock } from "./user-changes.ts";

/** A file that a tool is about to write. */
interface NamedWrite {
  before: FileState;
  /** Its state at the last scan, if the user has changed it since. */
  beforeUser: FileState | undefined;
  /** Number of the scan that was running then, or 0. */
  scan: number;
  /** Missing parent folders, which the tool has to create. */
  folders: string[];
}

/** Maximum number of changes by the user that are recorded. Switching a branch, for example, makes more. */
const maxUserChanges = 200;

interface StepTrackerOptions {
  roots: readonly string[];
  storeFolder: string;
  store: SessionStore;
  pool: CopyPool;
  log(line: string): void;
  /** Called for a step before `end` resolves. */
  changed: StepReviewer;
  /** Called before the first step, after all earlier work: ends what a process before this one has left. */
  settle(): void;
}

export class StepTracker {
  readonly #roots: readonly string[];
  readonly #store: SessionStore;
  readonly #contents: EarlierContents;
  readonly #scans: FileScans;
  readonly #review: StepReview;
  readonly #settle: () => void;
  readonly #named = new Map<string, NamedWrite>();
  /** Whether a command of the session runs in the background. */
  #hasBackground = false;
  #tail: Promise<unknown> = Promise.resolve();
  #ended: Promise<unknown> = Promise.resolve();
  /** Number of unfinished calls of `end`. */
  #ending = 0;
  #snapshot = { id: "", at: 0 };
  #command: RunningCommand | undefined;

  /** `storeFolder` is not scanned if it is in one of `roots`. */
  constructor({ roots, storeFolder, store, pool, log, changed, settle }: StepTrackerOptions) {
    this.#roots = roots;
    this.#store = store;
    this.#settle = settle;
    this.#contents = new EarlierContents(roots, pool, store);
    this.#review = new StepReview(roots, store.blobs, changed);
    const { isWanted } = this.#review;
    this.#scans = new FileScans({ roots, storeFolder, contents: this.#contents, watches: isWanted, log });
  }

  begin({ id, at }: { id: string; at: number }): Promise<void> {
    if (this.#snapshot.id === "") {
      void this.queue(async () => this.#settle());
      this.#recover();
    }
    // The previous step was not ended.
    if (this.busy && this.#ending === 0) void this.end(`${id}-0`);
    this.#snapshot = { id, at };
    return this.queue(async () => {
      this.#store.append({ type: "snapshot", id, at });
      if (this.#scans.state === "none") await this.#scans.read(() => this.#review.open());
      else await this.recordUserChanges(id);
    });
  }

  async ready(writes: readonly string[] | "unknown"): Promise<void> {
    await this.#ended;
    if (writes !== "unknown") return await this.#recordNamed(writes);
    await this.queue(async () => {
      if (this.#command) return;
      const { isRecent: counts, lastAt } = this.#scans;
      const isRecent = counts && this.#roots.every(usesLocalClock);
      if (!isRecent) await this.recordUserChanges(undefined);
      this.#review.beginCommand();
      this.#command = { since: Date.now(), scannedAt: isRecent ? lastAt : undefined };
      this.#store.append({ type: "command", at: this.#command.since });
    });
    await this.#scans.copied();
  }

  end(id: string): Promise<Change | undefined> {
    this.#ending++;
    const ended = this.queue(() => this.#finish(id)).finally(() => this.#ending--);
    this.#ended = ended.catch(() => {});
    void this.queue(() => this.#store.enforceLimit(new TimeSlices()));
    return ended;
  }

  /**
   * Records what has changed since the last scan, by the user or by a command in the background. Does nothing while a
   * step changes files.
   */
  async recordUserChanges(until: string | undefined): Promise<void> {
    if (this.#scans.state !== "read" || this.#command) return;
    this.#review.clear();
    const previousScan = this.#scans.lastAt;
    const differences = await this.#scans.scan();
    const files = await this.#transitions(differences, maxUserChanges);
    if (files.length === 0 || files.length > maxUserChanges) return;
    const others = this.#store.others.since(previousScan);
    const { own = [], session = [], shared = [] } = Object.groupBy(files, (file) => others.originOf(file));
    const append = (by: ChangeLine["by"], files: Transition[]) => {
      if (files.length > 0) this.#store.append({ type: "change", by, files, ...(until !== undefined && { until }) });
    };
    // Without a command in the background, nothing of it can be this session's.
    append("session", this.#hasBackground ? session : [...session, ...shared]);
    if (!this.#hasBackground) return append("user", own);
    append("shared", shared);
    append("agent", own);
    if (own.length === 0) return;
    // The change has ended what tools were about to write.
    if (this.#named.size > 0) this.#recordIntent([...this.#named].map(([path, { before }]) => ({ path, before })));
    await this.#review.report({ source: "background", changes: own, named: new Set(), folders: madeFolders(own) });
  }

  /** A command starts or ends to run in the background. What it writes is found when this is called, and at each step. */
  background(isRunning: boolean): Promise<void> {
    return this.queue(async () => {
      if (this.#hasBackground || isRunning) await this.recordUserChanges(undefined);
      this.#hasBackground = isRunning;
    });
  }

  /** Runs `work` after all earlier work has ended. */
  queue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(work);
    this.#tail = done.catch(() => {});
    return done;
  }

  /** Remembers files and folders that a restore has written, so that the next scan does not report them. */
  refresh(transitions: readonly Transition[]): void {
    if (this.#scans.state !== "read") return;
    for (const { path: name, before, after } of transitions) {
      if (before.type === "folder" || after.type === "folder") this.#scans.rememberFolder(name);
      if (after.type !== "folder") this.#scans.remember(name, readWithinRoots(name, maxNamedBytes, this.#roots));
    }
  }

  get busy(): boolean {
    return this.#command !== undefined || this.#named.size > 0;
  }

  async close(): Promise<void> {
    await this.#tail;
    await this.#scans.close();
    this.#contents.close();
  }

  /** Records what a run that was killed during a step may have written. */
  #recover(): void {
    const { open } = this.#store.history();
    if (open.size === 0) return;
    const files = [...open].flatMap(([name, before]): Transition[] => {
      const { state } = readWithinRoots(name, maxNamedBytes, this.#roots);
      if (sameState(before, state)) return [];
      return [{ path: name, before, after: state.type === "file" ? { ...state, hash: "" } : state }];
    });
    this.#store.append({ type: "change", by: "agent", files });
  }

  async #recordNamed(writes: readonly string[]): Promise<void> {
    const names = writes.filter((name) => !this.#named.has(name) && this.#isInWorkspace(name));
    if (names.length === 0) return;
    const touched: [NamedWrite, Promise<FileState>][] = [];
    const noted = names.map((name) => {
      const { state, bytes, stamp } = readWithinRoots(name, maxNamedBytes, this.#roots);
      this.#store.save(state, bytes);
      const folders = this.#missingFolders(name);
      const named: NamedWrite = { before: state, beforeUser: undefined, scan: this.#scans.current, folders };
      this.#named.set(name, named);
      const entry = this.#scans.entry(name);
      if (entry && !(stamp && sameStamp(entry.stamp, stamp))) touched.push([named, this.#saveEarlier(name, entry)]);
      return { path: name, before: state };
    });
    this.#recordIntent(noted);
    for (const [named, state] of touched) named.beforeUser = await state;
  }

  #recordIntent(files: { path: string; before: FileState }[]): void {
    this.#store.append({ type: "intent", snapshot: this.#snapshot.id, at: this.#snapshot.at, files });
  }

  #missingFolders(file: string): string[] {
    const missing: string[] = [];
    let folder = path.dirname(file);
    for (; !lstat(folder) && this.#isInWorkspace(folder); folder = path.dirname(folder)) missing.unshift(folder);
    return missing;
  }

  #isInWorkspace(name: string): boolean {
    return path.isAbsolute(name) && !inGit(name) && this.#roots.some((root) => name !== root && isWithin(name, root));
  }

  async #finish(id: string): Promise<Change | undefined> {
    const command = this.#command;
    if (!command && this.#named.size === 0) return undefined;
    this.#command = undefined;
    this.#review.clear();
    const early = command ? await this.#transitions(await this.#scans.scanByEvents(), Infinity) : [];
    const isReviewed = early.length <= maxReviewedFiles;
    if (isReviewed && early.length > 0) {
      const { sourceOf } = this.#sources(command);
      const agents = early.filter((change) => isOfAgent(sourceOf(change)));
      await this.#review.report({ source: "step", changes: agents, named: new Set(), folders: madeFolders(agents) });
    }
    const late =
      command && this.#scans.state === "read" ? await this.#transitions(await this.#scans.scan(), Infinity) : [];
    const found = joinedChanges(early, late);
    const { others, sourceOf } = this.#sources(command);
    const { user = [], agent = [], session = [], shared = [] } = Object.groupBy(found, sourceOf);
    const byTools: Transition[] = [];
    const named = new Set(this.#named.keys());
    for (const [name, write] of this.#named) {
      const changes = this.#finishNamed(name, write, user, found);
      byTools.push(...changes);
      for (const change of changes) (others.originOfNamed(change) === "shared" ? shared : agent).push(change);
    }
    this.#named.clear();
    const byOthers = { user, session, shared } as const;
    for (const by of ["user", "session", "shared"] as const) {
      if (byOthers[by].length > 0) this.#store.append({ type: "change", by, files: byOthers[by] });
    }
    if (agent.length > 0 || named.size > 0) this.#store.append({ type: "change", by: "agent", files: agent });
    this.#store.append({ type: "snapshot", id, at: Date.now() });
    const changes = [...agent, ...shared].filter((change) => !isFolderOnly(change));
    if (changes.length === 0) return undefined;
    const isAgents = (change: Transition) => isOfAgent(sourceOf(change));
    const unreviewed = isReviewed ? [...late.filter(isAgents), ...byTools] : changes;
    const folders = madeFolders(found.filter(isAgents));
    await this.#review.report({ source: "step", changes: unreviewed, named, folders });
    this.#scans.watchFolders();
    const files = changes.map(({ path }) => relativeToRoots(this.#roots, path)).sort();
    return { snapshot: id, hash: this.#fingerprint(changes), files };
  }

  /** Returns how to tell whose a change of this step is. */
  #sources(command: RunningCommand | undefined) {
    const since = Math.min(command?.scannedAt ?? command?.since ?? Infinity, this.#snapshot.at);
    const others = this.#store.others.since(since);
    const sourceOf = (change: Transition): ChangeLine["by"] => {
      const origin = others.originOf(change);
      if (origin === "session") return "session";
      if (command && isUserChange(change, command)) return "user";
      return origin === "shared" ? "shared" : "agent";
    };
    return { others, sourceOf };
  }

  /** Returns what a tool has changed. Adds to `users` what the user had changed before. */
  #finishNamed(
    name: string,
    write: NamedWrite,
    users: Transition[],
    scanned: readonly Transition[],
  ): readonly Transition[] {
    const { before, beforeUser, folders } = write;
    if (beforeUser && !sameState(beforeUser, before)) users.push({ path: name, before: beforeUser, after: before });
    const found = readWithinRoots(name, maxNamedBytes, this.#roots);
    const changes: Transition[] = folders
      .filter((folder) => lstat(folder)?.isDirectory() && !scanned.some(({ path }) => path === folder))
      .map((folder) => ({ path: folder, before: { type: "missing" }, after: { type: "folder" } }));
    if (!sameState(before, found.state)) {
      this.#store.save(found.state, found.bytes);
      this.#review.note(name, found);
      changes.push({ path: name, before, after: found.state });
    }
    if (this.#scans.state !== "read") return changes;
    for (const folder of folders) this.#scans.rememberFolder(folder);
    this.#scans.remember(name, found);
    return changes;
  }

  async #saveEarlier(name: string, entry: FileEntry | undefined): Promise<FileState> {
    const { state, bytes } = await this.#contents.stateOf(name, entry);
    this.#store.save(state, bytes);
    return state;
  }

  /** Returns the real differences, and saves the earlier contents of up to `maxSaved` of them. */
  async #transitions(differences: readonly FileDifference[], maxSaved: number): Promise<Transition[]> {
    const slices = new TimeSlices();
    const found = new Map<string, Transition>();
    for (const difference of differences) {
      await slices.yieldIfDue();
      const { path: name } = difference;
      if (found.has(name)) continue;
      if (difference.type === "folder") {
        const { state: after } = readWithinRoots(name, this.#contents.readLimit(name), this.#roots);
        if (after.type !== difference.before)
          found.set(name, { path: name, before: { type: difference.before }, after });
        continue;
      }
      const named = this.#named.get(name);
      if (named) {
        if (named.scan === this.#scans.count) named.beforeUser = await this.#saveEarlier(name, difference.before);
        continue;
      }
      const { state: before, bytes } = await this.#contents.stateOf(name, difference.before);
      const now = readWithinRoots(name, this.#contents.readLimit(name), this.#roots);
      const { state, stamp } = now;
      const isSame = stamp && difference.before ? sameStamp(stamp, difference.before.stamp) : false;
      if (!sameState(before, state) && !(isSame && before.type === "file" && before.hash === "")) {
        found.set(name, { path: name, before, after: state });
        if (found.size <= maxSaved) this.#store.save(before, bytes);
        this.#review.note(name, now);
      }
      this.#scans.renew(name, now);
    }
    return [...found.values()];
  }

  #fingerprint(files: readonly Transition[]): string {
    const lines = files
      .map((file) => JSON.stringify([relativeToRoots(this.#roots, file.path), file.before, file.after]))
      .sort();
    return createHash("sha256").update(lines.join("\n")).digest("hex");
  }
}

const isOfAgent = (source: ChangeLine["by"]): boolean => source === "agent" || source === "shared";

const madeFolders = (changes: readonly Transition[]): string[] =>
  changes.flatMap(({ path: name, before, after }) =>
    before.type === "missing" && after.type === "folder" ? [name] : [],
  );
