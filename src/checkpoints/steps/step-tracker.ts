/** Finds what each step changes: in the files that tools name, or by a scan of all files before and after a command. */
import { createHash } from "node:crypto";
import { statfsSync } from "node:fs";
import path from "node:path";
import { attempt } from "../../base/attempt.ts";
import type { Change } from "../../loop/checkpoints.ts";
import { isWithin } from "../../tools/file-access/requirements.ts";
import { type FileState, type FoundFile, lstat, maxNamedBytes, sameStamp, sameState } from "../files/file-state.ts";
import { TimeSlices } from "../files/time-slices.ts";
import { readWithinRoots, relativeToRoots } from "../files/within-roots.ts";
import type { FileDifference, FileEntry } from "../scan/file-tree.ts";
import type { BlobStore } from "../store/blobs.ts";
import { type ChangeLine, inGit, isFolderOnly, joinedChanges, type Transition } from "../store/change-log.ts";
import type { SessionStore } from "../store/session-store.ts";
import type { CopyPool } from "./copy-pool.ts";
import { EarlierContents } from "./earlier-contents.ts";
import { FileScans } from "./file-scans.ts";
import { GitCommits } from "./git-commits.ts";
import { ChangedContents, maxReviewedFiles, type StepFiles } from "./step-files.ts";

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

// Tells the user's changes from those of a command, by their times.

/** Maximum delay of the clock of a file system. */
const clockGrainMs = 20;

/** A command that may run in this step. Times are in milliseconds since 1970. */
interface RunningCommand {
  since: number;
  /** Time of the last scan, unless one ran right before the command. */
  scannedAt: number | undefined;
}

/**
 * Whether the user changed or created the file between the last scan and the command. A moved file keeps its times, so
 * the birth time of a new file counts too.
 */
function isUserChange({ path: name, before, after }: Transition, { since, scannedAt }: RunningCommand): boolean {
  if (scannedAt === undefined || after.type !== "file") return false;
  const stats = lstat(name);
  if (!stats || stats.ctimeMs >= since - clockGrainMs) return false;
  return before.type === "file" || (before.type === "missing" && stats.birthtimeMs > scannedAt);
}

/** Linux's numbers of file systems that may use another machine's clock: NFS, SMB, CIFS, FUSE, 9p. */
const remoteFileSystems = new Set([0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x65735546, 0x01021997]);

const usesLocalClock = (folder: string): boolean =>
  attempt(() => !remoteFileSystems.has(statfsSync(folder).type), false);

// Reports for the review what the agent has changed, except for files that came from another commit.

/** Called with the files that the agent has changed. Undefined: nobody reviews. */
type StepReviewer = ((files: StepFiles) => void) | undefined;

/** Changes of the agent to review. */
interface AgentTransitions {
  source: StepFiles["source"];
  changes: readonly Transition[];
  /** Paths that tools have written by name. */
  named: ReadonlySet<string>;
  folders: StepFiles["folders"];
}

class StepReview {
  readonly #reviewer: StepReviewer;
  /** Contents that the files have after the step. */
  readonly #written: ChangedContents;
  readonly #commits: readonly GitCommits[];

  constructor(roots: readonly string[], blobs: BlobStore, reviewer: StepReviewer) {
    this.#reviewer = reviewer;
    this.#written = new ChangedContents(roots, blobs);
    this.#commits = roots.map((root) => new GitCommits(root));
  }

  get isWanted(): boolean {
    return this.#reviewer !== undefined;
  }

  /** Finds the repositories of the roots. */
  open(): void {
    for (const commits of this.#commits) commits.open();
  }

  /** Call it before a command: what it checks out is not reviewed. */
  beginCommand(): void {
    for (const commits of this.#commits) commits.begin();
  }

  /** Forgets contents that were noted before. */
  clear(): void {
    this.#written.clear();
  }

  /** Keeps what a scan or a tool's write has left, so that nothing is read twice. */
  note(file: string, found: FoundFile): void {
    this.#written.note(file, found);
  }

  async report({ source, changes, named, folders }: AgentTransitions): Promise<void> {
    if (!this.#reviewer || changes.length === 0) return;
    const { files, left } = this.#written.files(changes, named);
    const taken = await Promise.all(this.#commits.map((commits) => commits.taken(files)));
    const reviewed = files.filter((file) => file.isNamed || !taken.some((paths) => paths.has(file.path)));
    if (reviewed.length > 0 || left > 0) this.#reviewer({ source, files: reviewed, folders, left });
  }
}
