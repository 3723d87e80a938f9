/** Finds what each step changes: in the files that tools name, or by a scan of all files before and after a command. */
import { createHash } from "node:crypto";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Change } from "../../loop/checkpoints.ts";
import { isWithin } from "../../tools/file-access/requirements.ts";
import { type FileState, type FoundFile, lstat, maxNamedBytes, sameStamp, sameState } from "../files/file-state.ts";
import { TimeSlices } from "../files/time-slices.ts";
import { readWithinRoots, relativeToRoots } from "../files/within-roots.ts";
import { type FileDifference, type FileEntry, FileTree, TooManyFiles } from "../scan/file-tree.ts";
import { FolderWatch } from "../scan/folder-watch.ts";
import { StampTable } from "../scan/stamp-table.ts";
import { type ChangeLine, inGit, isFolderOnly, joinedChanges, type Transition } from "../store/change-log.ts";
import type { SessionStore } from "../store/session-store.ts";
import type { CopyPool } from "./copy-pool.ts";
import { EarlierContents } from "./earlier-contents.ts";
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
/** Maximum duration of a scan that is repeated before every command. */
const shortScanMs = 25;
/** Time for which the last scan is used when scans take longer. */
const scanValidMs = 10_000;
/** A scan of fewer files is so fast that no folder is watched. */
const minWatchedFiles = 5000;
/** Maximum time that a command waits for the first copies of all files. */
const copyTimeoutMs = 5000;

interface StepTrackerOptions {
  roots: readonly string[];
  storeFolder: string;
  store: SessionStore;
  pool: CopyPool;
  log(line: string): void;
  /** Called for a step before `end` resolves. */
  changed: StepReviewer;
}

export class StepTracker {
  readonly #roots: readonly string[];
  readonly #store: SessionStore;
  readonly #log: (line: string) => void;
  readonly #table = new StampTable();
  readonly #tree: FileTree;
  readonly #watch = new FolderWatch();
  readonly #contents: EarlierContents;
  readonly #review: StepReview;
  readonly #named = new Map<string, NamedWrite>();
  /** Whether a command of the session runs in the background. */
  #hasBackground = false;
  #baseline: "none" | "read" | "off" = "none";
  #tail: Promise<unknown> = Promise.resolve();
  #ended: Promise<unknown> = Promise.resolve();
  /** Number of unfinished calls of `end`. */
  #ending = 0;
  #snapshot = { id: "", at: 0 };
  #command: RunningCommand | undefined;
  #scanCount = 0;
  /** Number of the scan that runs, or 0. */
  #currentScan = 0;
  #lastScan = { at: 0, tookMs: 0 };
  #copying: Promise<void> | undefined;

  /** `storeFolder` is not scanned if it is in one of `roots`. */
  constructor({ roots, storeFolder, store, pool, log, changed }: StepTrackerOptions) {
    this.#roots = roots;
    this.#store = store;
    this.#log = log;
    this.#tree = new FileTree(roots, storeFolder, this.#table);
    this.#contents = new EarlierContents(roots, pool, store);
    this.#review = new StepReview(roots, store.blobs, changed);
  }

  begin(id: string, at: number): Promise<void> {
    this.#recover();
    // The previous step was not ended.
    if (this.busy && this.#ending === 0) void this.end(`${id}-0`);
    this.#snapshot = { id, at };
    return this.queue(async () => {
      this.#store.append({ type: "snapshot", id, at });
      if (this.#baseline === "none") await this.#readTree();
      else await this.recordUserChanges(id);
    });
  }

  async ready(writes: readonly string[] | "unknown"): Promise<void> {
    await this.#ended;
    if (writes !== "unknown") return await this.#recordNamed(writes);
    await this.queue(async () => {
      if (this.#command) return;
      const { at, tookMs } = this.#lastScan;
      const isRecent = tookMs > shortScanMs && Date.now() - at < scanValidMs && this.#roots.every(usesLocalClock);
      if (!isRecent) await this.recordUserChanges(undefined);
      this.#review.beginCommand();
      this.#command = { since: Date.now(), scannedAt: isRecent ? at : undefined };
      this.#store.append({ type: "command", at: this.#command.since });
    });
    // Files that are not copied by then are not saved. Copies of files that have changed by then are not used.
    if (this.#copying) await Promise.race([this.#copying, sleep(copyTimeoutMs, undefined, { ref: false })]);
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
    if (this.#baseline !== "read" || this.#command) return;
    this.#review.clear();
    const previousScan = this.#lastScan.at;
    const differences = await this.#scan();
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
    if (this.#baseline !== "read") return;
    for (const { path: name, before, after } of transitions) {
      if (before.type === "folder" || after.type === "folder") this.#tree.refreshFolder(name);
      if (after.type !== "folder") this.#remember(name, readWithinRoots(name, maxNamedBytes, this.#roots));
    }
  }

  get busy(): boolean {
    return this.#command !== undefined || this.#named.size > 0;
  }

  async close(): Promise<void> {
    await this.#tail;
    this.#watch.close();
    await this.#table.close();
    this.#contents.close();
  }

  async #readTree(): Promise<void> {
    const started = Date.now();
    try {
      await this.#tree.read();
      this.#baseline = "read";
      await this.#review.open();
      this.#copying = this.#copyFiles();
      this.#followFolders();
    } catch (error) {
      this.#stopScanning(error);
    }
    this.#lastScan = { at: started, tookMs: Date.now() - started };
  }

  /** Watches the folders for the review, which should not wait for a scan. */
  #followFolders(): void {
    if (this.#review.isWanted && this.#table.size >= minWatchedFiles) this.#watch.follow(this.#tree.folders());
  }

  async #copyFiles(): Promise<void> {
    try {
      await this.#contents.copyFiles(this.#tree);
    } catch (error) {
      this.#log(`Checkpoints: not all files could be copied: ${error}`);
    }
    this.#copying = undefined;
  }

  /** Stops scanning. @throws `error` unless it is about the number of files */
  #stopScanning(error: unknown): void {
    if (!(error instanceof TooManyFiles)) throw error;
    this.#baseline = "off";
    this.#watch.close();
    this.#log("Checkpoints: there are too many files here, so only files that tools write by name are saved.");
  }

  /** Records what a run that was killed during a step may have written. */
  #recover(): void {
    if (this.#snapshot.id !== "") return;
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
      const named: NamedWrite = { before: state, beforeUser: undefined, scan: this.#currentScan, folders };
      this.#named.set(name, named);
      const entry = this.#baseline === "read" && this.#currentScan === 0 ? this.#tree.entry(name) : undefined;
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

  /** @param among files and folders; if they are given, only they are looked at */
  async #scan(among?: readonly string[]): Promise<FileDifference[]> {
    const started = Date.now();
    this.#currentScan = ++this.#scanCount;
    const { reads } = this.#tree;
    try {
      const differences = await this.#tree.scan(among);
      if (this.#tree.reads !== reads) this.#copying ??= this.#copyFiles();
      return differences;
    } catch (error) {
      this.#stopScanning(error);
      return [];
    } finally {
      this.#currentScan = 0;
      if (!among) this.#lastScan = { at: started, tookMs: Date.now() - started };
    }
  }

  async #finish(id: string): Promise<Change | undefined> {
    const command = this.#command;
    if (!command && this.#named.size === 0) return undefined;
    this.#command = undefined;
    this.#review.clear();
    const early = command ? await this.#findByEvents() : [];
    const isReviewed = early.length <= maxReviewedFiles;
    if (isReviewed && early.length > 0) {
      const { sourceOf } = this.#sources(command);
      const agents = early.filter((change) => isOfAgent(sourceOf(change)));
      await this.#review.report({ source: "step", changes: agents, named: new Set(), folders: madeFolders(agents) });
    }
    const late = command && this.#baseline === "read" ? await this.#transitions(await this.#scan(), Infinity) : [];
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
    this.#followFolders();
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

  /** Returns the changes that events have told, so that the review need not wait for a scan. */
  async #findByEvents(): Promise<Transition[]> {
    const names = this.#baseline === "read" ? await this.#watch.take() : undefined;
    return names ? await this.#transitions(await this.#scan(names), Infinity) : [];
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
    if (this.#baseline !== "read") return changes;
    for (const folder of folders) this.#tree.refreshFolder(folder);
    this.#remember(name, found);
    return changes;
  }

  #remember(name: string, found: FoundFile): void {
    this.#tree.refresh(name, found.state.type === "folder" ? undefined : found.stamp);
    this.#contents.note(name, found);
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
        if (named.scan === this.#scanCount) named.beforeUser = await this.#saveEarlier(name, difference.before);
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
      // It may have changed since the scan, and its stamp and content must be of the same moment.
      this.#tree.updateStamp(name, stamp);
      this.#contents.note(name, now);
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
