/** Who runs a session, over windows and processes (spec Q1, Q3): the lock beside its record, and claims on it. */
import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { IntakeError } from "../loop/session/intake-error.ts";
import { type HeldLock, RecordError, type SessionLock } from "../loop/storage.ts";
import { toRecordError } from "./errors.ts";
import { type Content, type Found, heldLock, isHere, LockFile, takeLock } from "./lock-file.ts";
import type { Transcript } from "./transcript.ts";

export interface LockOptions {
  sessionID: string;
  /** ms after which a lock that is not renewed counts as given up. */
  lockTimeoutMs: number;
  /**
   * Asked when another process claims the session while this one runs it: whether somebody still sees this run. A
   * rejection means no. Absent: always yes.
   */
  isAlive?(): Promise<boolean>;
}

export interface Holder {
  runID: string;
  pid: number;
  host: string;
  since: Date;
  /** This very process. */
  here: boolean;
}

/** How often a run looks whether it still holds its lock, and whether somebody claims it, in ms. */
const watchInterval = 250;

/** How long a run that nobody sees has to come to its end, in ms. */
const lastWords = 5000;

/** How long an answer to a claim is waited for, in ms: that of the other process, and its end. */
const claimPatience = 2000 + lastWords;

/** The longest wait between two looks at a lock, in ms. */
const longestPoll = 200;

/** How long a lock is waited for before its holder is asked whether it is alive, in ms. */
const firstPatience = 300;

/** Of one session in one window or run. From its making on the transcript writes only where nobody else runs the session. */
export class RecordLock implements SessionLock {
  readonly #transcript: Transcript;
  readonly #options: LockOptions;
  #run: Run | undefined;

  constructor(transcript: Transcript, options: LockOptions) {
    this.#transcript = transcript;
    this.#options = options;
    transcript.guard((write) => this.#guarded(write));
  }

  async acquire(runID: string, timeout: number, signal: AbortSignal): Promise<HeldLock> {
    const begun = Date.now();
    let claim: Claim | undefined;
    try {
      for (let wait = 10; ; wait = Math.min(wait * 1.5, longestPoll)) {
        signal.throwIfAborted();
        const taken = this.#take(runID);
        if (taken instanceof LockFile) return this.#hold(taken);
        const left = begun + timeout - Date.now();
        if (left <= 0) throw lockedError(taken);
        if (timeout - left > firstPatience && isElsewhere(taken)) claim ??= new Claim(this.#claimPath);
        await pause(Math.min(wait, left), signal);
      }
    } finally {
      claim?.withdraw();
    }
  }

  /** Who runs the session now; undefined: nobody who lives. */
  holder(): Holder | undefined {
    const found = heldLock(this.#path);
    if (found?.type !== "lock") return undefined;
    const { runId, pid, host, acquiredAt } = found.content;
    return { runID: runId, pid, host, since: new Date(acquiredAt), here: isHere(found.content) };
  }

  /**
   * Makes the process that runs the session prove that somebody sees it: the extension host of a window that was
   * reloaded may live on for a while. Rejects with the signal's reason on abort.
   * @returns whether nobody runs the session now
   */
  async challenge(signal: AbortSignal): Promise<boolean> {
    const holder = this.holder();
    if (!holder) return true;
    if (holder.here) return false;
    const claim = new Claim(this.#claimPath);
    try {
      for (const until = Date.now() + claimPatience; Date.now() < until; ) {
        if (!this.holder()) return true;
        if (!claim.stands) return !this.holder();
        await pause(longestPoll / 4, signal);
      }
      return false;
    } finally {
      claim.withdraw();
    }
  }

  get #path(): string {
    return lockPath(this.#transcript.path);
  }

  get #claimPath(): string {
    return claimPath(this.#transcript.path);
  }

  #take(runID: string): LockFile | Found | undefined {
    const { sessionID, lockTimeoutMs } = this.#options;
    try {
      return takeLock(this.#path, { sessionId: sessionID, runId: runID }, lockTimeoutMs);
    } catch (error) {
      throw toRecordError(this.#transcript.path, error);
    }
  }

  #hold(file: LockFile): HeldLock {
    const run = new Run(file, this.#claimPath, this.#options);
    this.#run = run;
    const release = () => {
      run.end();
      if (this.#run === run) this.#run = undefined;
    };
    try {
      return { caughtUp: this.#transcript.catchUp(), release, lost: run.lost };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Runs `write` with the lock: that of the run, or one for this moment. False: another run has it. */
  #guarded(write: () => void): boolean {
    if (this.#run) {
      if (!this.#run.holds) return false;
      write();
      return true;
    }
    const taken = this.#take("write");
    if (!(taken instanceof LockFile)) return false;
    try {
      write();
      return true;
    } finally {
      taken.release();
    }
  }
}

/** Beside the record; gone when nobody runs the session. */
export function lockPath(record: string): string {
  return record.replace(/\.jsonl$/, ".lock");
}

/** There while a process wants to know whether the holder of the lock is alive; the holder removes it if it is. */
export function claimPath(record: string): string {
  return record.replace(/\.jsonl$/, ".claim");
}

/** The time in which one run holds the lock. */
class Run {
  readonly #file: LockFile;
  readonly #claimPath: string;
  readonly #options: LockOptions;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #renewAt: number;
  /** When it has to end, once nobody sees it any more. */
  #endBy = Number.POSITIVE_INFINITY;
  #asking = false;
  #ended = false;

  constructor(file: LockFile, claim: string, options: LockOptions) {
    this.#file = file;
    this.#claimPath = claim;
    this.#options = options;
    this.#renewAt = this.#nextRenewal();
    // Half of a very short timeout, so that tests can have one.
    this.#timer = setInterval(() => this.#look(), Math.min(watchInterval, options.lockTimeoutMs / 4)).unref();
    open.add(this);
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get holds(): boolean {
    return !this.#ended && this.#file.isOurs;
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#timer);
    open.delete(this);
    this.#file.release();
  }

  #look(): void {
    if (!this.#file.isOurs) {
      this.#lose();
      clearInterval(this.#timer);
      return;
    }
    if (Date.now() >= this.#endBy) {
      this.end();
      return;
    }
    if (Date.now() >= this.#renewAt) this.#renew();
    const claim = readClaim(this.#claimPath);
    if (claim !== undefined && !this.#asking && !this.lost.aborted) void this.#answer(claim);
  }

  #renew(): void {
    try {
      this.#file.renew(this.#options.lockTimeoutMs);
      this.#renewAt = this.#nextRenewal();
    } catch {
      // Tried again at the next look; it is far from expired.
    }
  }

  #nextRenewal(): number {
    return Date.now() + Math.min(this.#options.lockTimeoutMs / 3, 60_000);
  }

  async #answer(claim: string): Promise<void> {
    this.#asking = true;
    const { isAlive } = this.#options;
    const alive = isAlive === undefined || (await isAlive().catch(() => false));
    this.#asking = false;
    if (this.#ended) return;
    if (alive) removeClaim(this.#claimPath, claim);
    else {
      this.#endBy = Date.now() + Math.min(lastWords, this.#options.lockTimeoutMs);
      this.#lose();
    }
  }

  #lose(): void {
    this.#lost.abort(
      new RecordError("This session was taken over by another window.", "Go on there, or open it here again."),
    );
  }
}

/** Locks that this process holds. One that ends in an orderly way leaves none behind, whatever happened to its runs. */
const open = new Set<Run>();
process.on("exit", () => {
  for (const run of open) run.end();
});

class Claim {
  readonly #path: string;
  readonly #token = randomUUID();

  constructor(path: string) {
    this.#path = path;
    try {
      writeFileSync(path, this.#token, { mode: 0o600 });
    } catch {
      // Nobody is asked then; the lock is waited for all the same.
    }
  }

  /** Not yet answered. */
  get stands(): boolean {
    return readClaim(this.#path) === this.#token;
  }

  withdraw(): void {
    removeClaim(this.#path, this.#token);
  }
}

function readClaim(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function removeClaim(path: string, token: string): void {
  if (readClaim(path) !== token) return;
  try {
    rmSync(path, { force: true });
  } catch {
    // It is asked about once more by the next run.
  }
}

function isElsewhere(found: Found | undefined): boolean {
  return found?.type === "lock" && !isHere(found.content);
}

/** `found` undefined or torn: another process is just taking it. */
function lockedError(found: Found | undefined): IntakeError {
  const sentence =
    found?.type === "lock"
      ? `This session is run by ${nameOf(found.content)} since ${new Date(found.content.acquiredAt).toLocaleTimeString()}.`
      : "Another run of this session is just beginning.";
  return new IntakeError("session-locked", `${sentence} Wait for that run to end, or stop it there.`);
}

function nameOf(content: Content): string {
  if (isHere(content)) return "this process";
  const process = `process ${content.pid}`;
  return content.host === os.hostname() ? `${process} on this computer` : `${process} on ${content.host}`;
}

/** Rejects with the signal's reason on abort. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
