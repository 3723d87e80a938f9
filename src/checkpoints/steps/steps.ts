/** What each step changes: by name, or by looking at all files before and after a command. */
import { createHash } from "node:crypto";
import { statfsSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Change } from "../../loop/checkpoints.ts";
import { isWithin } from "../../tools/file-access/requirements.ts";
import { type FileState, type Found, largestNamed, lstat, sameStamp, sameState } from "../files/file-state.ts";
import { Pace } from "../files/time-slices.ts";
import { readInPlace, relativeTo } from "../files/within-roots.ts";
import { type Difference, type Entry, TooManyFiles, Tree } from "../scan/file-tree.ts";
import { StampTable } from "../scan/stamp-table.ts";
import { inGit, isFolderOnly, type Transition } from "../store/change-log.ts";
import type { Kept } from "../store/session-store.ts";
import type { Pool } from "./copy-pool.ts";
import { Contents } from "./earlier-contents.ts";

/** A file that a tool is about to write. */
interface Named {
  before: FileState;
  /** Where the user had changed it since the last look: what it was then. */
  untouched: FileState | undefined;
  /** The look that was under way. */
  look: number;
  /** Folders that are not there, and that the tool would have to make. */
  folders: string[];
}

/** Of so many changes that are not the agent's at once, as by a switch of branches, none is noted. */
const mostForeign = 200;

/** A look at all files that takes no longer than this is always worth it before a command, in ms. */
const shortLook = 25;

/** For how long the last look serves where a look takes longer, in ms. */
const lookServes = 10_000;

/** How far the clock of a file system may be behind, in ms. */
const clockGrain = 20;

/** How long a command waits for the first copies of all files, in ms. */
const copyPatience = 5000;

/** One that may run in this step. Times in ms since 1970. */
interface Command {
  since: number;
  /** When all files were looked at last, if that was not just before it. */
  looked: number | undefined;
}

type Baseline = "none" | "read" | "off";

export class Steps {
  readonly #roots: readonly string[];
  readonly #kept: Kept;
  readonly #log: (line: string) => void;
  readonly #table = new StampTable();
  readonly #tree: Tree;
  readonly #contents: Contents;
  readonly #named = new Map<string, Named>();
  #baseline: Baseline = "none";
  #tail: Promise<unknown> = Promise.resolve();
  #ended: Promise<unknown> = Promise.resolve();
  /** How many ends are not done. */
  #ending = 0;
  #snapshot = { id: "", at: 0 };
  #command: Command | undefined;
  /** Counts the looks at all files; the one under way, if any. */
  #looks = 0;
  #looking = 0;
  #lastLook = { at: 0, took: 0 };
  #filling: Promise<void> | undefined;

  /** `store`: where checkpoints are kept, which is not looked at should it lie in a root. */
  constructor(roots: readonly string[], store: string, kept: Kept, pool: Pool, log: (line: string) => void) {
    this.#roots = roots;
    this.#kept = kept;
    this.#log = log;
    this.#tree = new Tree(roots, store, this.#table);
    this.#contents = new Contents(roots, pool, kept);
  }

  begin(id: string, at: number): Promise<void> {
    this.#recover();
    // A step that nobody has ended.
    if (this.busy && this.#ending === 0) void this.end(`${id}-0`);
    this.#snapshot = { id, at };
    return this.queue(async () => {
      this.#kept.append({ type: "snapshot", id, at });
      if (this.#baseline === "none") await this.#readAll();
      else await this.lookForUser(id);
    });
  }

  async ready(writes: readonly string[] | "unknown"): Promise<void> {
    await this.#ended;
    if (writes !== "unknown") return await this.#noteNamed(writes);
    await this.queue(async () => {
      if (this.#command) return;
      const { at, took } = this.#lastLook;
      const serves = took > shortLook && Date.now() - at < lookServes && this.#roots.every(hasOurClock);
      if (!serves) await this.lookForUser(undefined);
      this.#command = { since: Date.now(), looked: serves ? at : undefined };
    });
    // What is not copied by then is not kept; a copy of what has changed by then is not used.
    if (this.#filling) await Promise.race([this.#filling, sleep(copyPatience, undefined, { ref: false })]);
  }

  end(id: string): Promise<Change | undefined> {
    this.#ending++;
    const ended = this.queue(() => this.#finish(id)).finally(() => {
      this.#ending--;
    });
    this.#ended = ended.catch(() => {});
    void this.queue(() => this.#kept.makeRoom(new Pace()));
    return ended;
  }

  /** What the user changed since the last look, and what it was. Nothing while a step changes files. */
  async lookForUser(until: string | undefined): Promise<void> {
    if (this.#baseline !== "read" || this.#command) return;
    const differences = await this.#look();
    const files = await this.#transitions(differences, mostForeign);
    if (files.length === 0 || files.length > mostForeign) return;
    this.#kept.append({ type: "change", by: "user", files, ...(until !== undefined && { until }) });
  }

  /** One after the other. */
  queue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(work);
    this.#tail = done.catch(() => {});
    return done;
  }

  /** Takes note of files and folders that were written here: a look finds nothing new about them. */
  refresh(transitions: readonly Transition[]): void {
    if (this.#baseline !== "read") return;
    for (const { path: name, before, after } of transitions) {
      if (before.type === "folder" || after.type === "folder") this.#tree.refreshFolder(name);
      if (after.type !== "folder") this.#adopt(name, readInPlace(name, largestNamed, this.#roots));
    }
  }

  get busy(): boolean {
    return this.#command !== undefined || this.#named.size > 0;
  }

  async close(): Promise<void> {
    await this.#tail;
    await this.#table.close();
    this.#contents.close();
  }

  async #readAll(): Promise<void> {
    const started = Date.now();
    try {
      await this.#tree.read();
      this.#baseline = "read";
      this.#filling = this.#fill();
    } catch (error) {
      this.#giveUp(error);
    }
    this.#lastLook = { at: started, took: Date.now() - started };
  }

  async #fill(): Promise<void> {
    try {
      await this.#contents.fill(this.#tree);
    } catch (error) {
      this.#log(`Checkpoints: there are no copies of all files: ${error}`);
    }
    this.#filling = undefined;
  }

  /** @throws what is not about the number of files */
  #giveUp(error: unknown): void {
    if (!(error instanceof TooManyFiles)) throw error;
    this.#baseline = "off";
    this.#log("Checkpoints: there are too many files here; only those are kept that tools write by name.");
  }

  /** Of a run that was cut off in the middle of a step it is not known what it has written. */
  #recover(): void {
    if (this.#snapshot.id !== "") return;
    const { open } = this.#kept.history();
    if (open.size === 0) return;
    const files = [...open].flatMap(([name, before]): Transition[] => {
      const { state } = readInPlace(name, largestNamed, this.#roots);
      if (sameState(before, state)) return [];
      return [{ path: name, before, after: state.type === "file" ? { ...state, hash: "" } : state }];
    });
    this.#kept.append({ type: "change", by: "agent", files });
  }

  async #noteNamed(writes: readonly string[]): Promise<void> {
    const names = writes.filter((name) => !this.#named.has(name) && this.#isOurs(name));
    if (names.length === 0) return;
    const touched: [Named, Promise<FileState>][] = [];
    const noted = names.map((name) => {
      const { state, bytes, stamp } = readInPlace(name, largestNamed, this.#roots);
      this.#kept.keep(state, bytes);
      const named: Named = {
        before: state,
        untouched: undefined,
        look: this.#looking,
        folders: this.#missingFolders(name),
      };
      this.#named.set(name, named);
      const entry = this.#baseline === "read" && this.#looking === 0 ? this.#tree.entry(name) : undefined;
      if (entry && !(stamp && sameStamp(entry.stamp, stamp))) touched.push([named, this.#keptWas(name, entry)]);
      return { path: name, before: state };
    });
    this.#kept.append({ type: "intent", snapshot: this.#snapshot.id, at: this.#snapshot.at, files: noted });
    for (const [named, untouched] of touched) named.untouched = await untouched;
  }

  #missingFolders(file: string): string[] {
    const missing: string[] = [];
    for (let folder = path.dirname(file); !lstat(folder) && this.#isOurs(folder); folder = path.dirname(folder)) {
      missing.unshift(folder);
    }
    return missing;
  }

  #isOurs(name: string): boolean {
    return path.isAbsolute(name) && !inGit(name) && this.#roots.some((root) => name !== root && isWithin(name, root));
  }

  async #look(): Promise<Difference[]> {
    const started = Date.now();
    this.#looking = ++this.#looks;
    const { reads } = this.#tree;
    try {
      const differences = await this.#tree.scan();
      if (this.#tree.reads !== reads) this.#filling ??= this.#fill();
      return differences;
    } catch (error) {
      this.#giveUp(error);
      return [];
    } finally {
      this.#looking = 0;
      this.#lastLook = { at: started, took: Date.now() - started };
    }
  }

  async #finish(id: string): Promise<Change | undefined> {
    const command = this.#command;
    if (!command && this.#named.size === 0) return undefined;
    this.#command = undefined;
    const found = command && this.#baseline === "read" ? await this.#transitions(await this.#look(), Infinity) : [];
    const users = found.filter((one) => command && isOlder(one, command));
    const agents = found.filter((one) => !users.includes(one));
    const named = this.#named.size > 0;
    for (const [name, one] of this.#named) this.#settle(name, one, users, agents);
    this.#named.clear();
    if (users.length > 0) this.#kept.append({ type: "change", by: "user", files: users });
    if (agents.length > 0 || named) this.#kept.append({ type: "change", by: "agent", files: agents });
    this.#kept.append({ type: "snapshot", id, at: Date.now() });
    const files = agents.filter((one) => !isFolderOnly(one));
    if (files.length === 0) return undefined;
    return {
      snapshot: id,
      hash: this.#fingerprint(files),
      files: files.map(({ path }) => relativeTo(this.#roots, path)).sort(),
    };
  }

  #settle(name: string, { before, untouched, folders }: Named, users: Transition[], agents: Transition[]): void {
    if (untouched && !sameState(untouched, before)) users.push({ path: name, before: untouched, after: before });
    const found = readInPlace(name, largestNamed, this.#roots);
    const changes: Transition[] = folders
      .filter((folder) => lstat(folder)?.isDirectory() && !agents.some(({ path }) => path === folder))
      .map((folder) => ({ path: folder, before: { type: "missing" }, after: { type: "folder" } }));
    if (!sameState(before, found.state)) {
      this.#kept.keep(found.state, found.bytes);
      changes.push({ path: name, before, after: found.state });
    }
    agents.push(...changes);
    if (this.#baseline !== "read") return;
    for (const folder of folders) this.#tree.refreshFolder(folder);
    this.#adopt(name, found);
  }

  #adopt(name: string, found: Found): void {
    this.#tree.refresh(name, found.state.type === "folder" ? undefined : found.stamp);
    this.#contents.note(name, found);
  }

  async #keptWas(name: string, entry: Entry | undefined): Promise<FileState> {
    const { state, bytes } = await this.#contents.was(name, entry);
    this.#kept.keep(state, bytes);
    return state;
  }

  /** What really differs. Of at most `most` what they were is kept. */
  async #transitions(differences: readonly Difference[], most: number): Promise<Transition[]> {
    const pace = new Pace();
    const found = new Map<string, Transition>();
    for (const difference of differences) {
      await pace.next();
      const { path: name } = difference;
      if (found.has(name)) continue;
      if (difference.type === "folder") {
        const { state } = readInPlace(name, this.#contents.limit(name), this.#roots);
        if (state.type !== difference.before)
          found.set(name, { path: name, before: { type: difference.before }, after: state });
        continue;
      }
      const named = this.#named.get(name);
      if (named) {
        if (named.look === this.#looks) named.untouched = await this.#keptWas(name, difference.before);
        continue;
      }
      const { state: before, bytes } = await this.#contents.was(name, difference.before);
      const now = readInPlace(name, this.#contents.limit(name), this.#roots);
      const { state, stamp } = now;
      const isSame = stamp && difference.before ? sameStamp(stamp, difference.before.stamp) : false;
      if (!sameState(before, state) && !(isSame && before.type === "file" && before.hash === "")) {
        found.set(name, { path: name, before, after: state });
        if (found.size <= most) this.#kept.keep(before, bytes);
      }
      // It may have changed since it was looked at, and what is known of it must be of one moment.
      this.#tree.adopt(name, stamp);
      this.#contents.note(name, now);
    }
    return [...found.values()];
  }

  #fingerprint(files: readonly Transition[]): string {
    const lines = files
      .map((file) => JSON.stringify([relativeTo(this.#roots, file.path), file.before, file.after]))
      .sort();
    return createHash("sha256").update(lines.join("\n")).digest("hex");
  }
}

/**
 * Whether the user changed or made the file between the last look and the command. What was only moved keeps its times, so
 * that a new file must also have been born then.
 */
function isOlder({ path: name, before, after }: Transition, { since, looked }: Command): boolean {
  if (looked === undefined || after.type !== "file") return false;
  const stats = lstat(name);
  if (!stats || stats.ctimeMs >= since - clockGrain) return false;
  return before.type === "file" || (before.type === "missing" && stats.birthtimeMs > looked);
}

/** Of Linux, whose files may have another machine's times: NFS, SMB, CIFS, FUSE, 9p. */
const remoteTypes = new Set([0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x65735546, 0x01021997]);

function hasOurClock(folder: string): boolean {
  try {
    return !remoteTypes.has(statfsSync(folder).type);
  } catch {
    return false;
  }
}
