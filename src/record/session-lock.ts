/** Decides which window or process runs a session (spec Q1, Q3): the lock beside its record, and claims on it. */

import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { attempt } from "../base/attempt.ts";
import { msg } from "../l10n/l10n.ts";
import { IntakeError } from "../loop/session/intake-error.ts";
import { type HeldLock, RecordError, type SessionLock } from "../loop/storage.ts";
import { type FoundLock, heldLock, isOwnLock, type LockContent, LockFile, takeLock } from "./lock-file.ts";
import type { Transcript } from "./transcript.ts";
import { toRecordError } from "./write-errors.ts";

interface LockOptions {
  sessionID: string;
  /** Time after which a lock that is not renewed counts as abandoned. */
  lockTimeoutMs: number;
  /**
   * Called when another process claims the session while this one runs it. Resolves to whether the user still sees this
   * run; a rejection means no. Without this function the answer is always yes.
   */
  isAlive?(): Promise<boolean>;
}

interface LockHolder {
  runID: string;
  pid: number;
  host: string;
  since: Date;
  isThisProcess: boolean;
}

/** Interval at which a run checks that it still holds its lock, and whether another process claims it. */
const watchIntervalMs = 250;
/** Time that a run which nobody sees has to end. */
const shutdownTimeoutMs = 5000;
/** Time to wait for the answer to a claim: for the other process to reply, and for its run to end. */
const claimTimeoutMs = 2000 + shutdownTimeoutMs;
const maxPollIntervalMs = 200;
/** Time to wait for a lock before its holder has to prove that it is alive. */
const claimAfterMs = 300;

/** The lock of one session, as one window or run uses it. Once it exists, the transcript writes only with the lock. */
export class RecordLock implements SessionLock {
  readonly #transcript: Transcript;
  readonly #options: LockOptions;
  readonly #path: string;
  readonly #claimPath: string;
  #lease: LockLease | undefined;

  constructor(transcript: Transcript, options: LockOptions) {
    this.#transcript = transcript;
    this.#options = options;
    this.#path = lockPath(transcript.path);
    this.#claimPath = claimPath(transcript.path);
    transcript.guard((write) => this.#writeWithLock(write));
  }

  async acquire(runID: string, timeoutMs: number, signal: AbortSignal): Promise<HeldLock> {
    const startedAt = Date.now();
    let claim: Claim | undefined;
    try {
      for (let waitMs = 10; ; waitMs = Math.min(waitMs * 1.5, maxPollIntervalMs)) {
        signal.throwIfAborted();
        const taken = this.#take(runID);
        if (taken instanceof LockFile) return this.#hold(taken);
        const leftMs = startedAt + timeoutMs - Date.now();
        if (leftMs <= 0) throw lockedError(taken);
        const isOfOther = taken?.type === "lock" && !isOwnLock(taken.content);
        if (timeoutMs - leftMs > claimAfterMs && isOfOther) claim ??= new Claim(this.#claimPath);
        await sleepUnlessAborted(Math.min(waitMs, leftMs), signal);
      }
    } finally {
      claim?.withdraw();
    }
  }

  /** Returns the living process that runs the session now. */
  holder(): LockHolder | undefined {
    const found = heldLock(this.#path);
    if (found?.type !== "lock") return undefined;
    const { runId, pid, host, acquiredAt } = found.content;
    return { runID: runId, pid, host, since: new Date(acquiredAt), isThisProcess: isOwnLock(found.content) };
  }

  /**
   * Asks the process that runs the session whether the user still sees it: the extension host of a reloaded window may
   * live on for a while. Rejects with the signal's reason on abort.
   * @returns whether the session is free now
   */
  async challenge(signal: AbortSignal): Promise<boolean> {
    const holder = this.holder();
    if (!holder) return true;
    if (holder.isThisProcess) return false;
    const claim = new Claim(this.#claimPath);
    try {
      for (const until = Date.now() + claimTimeoutMs; Date.now() < until; ) {
        if (!this.holder()) return true;
        if (!claim.isPending) return !this.holder();
        await sleepUnlessAborted(maxPollIntervalMs / 4, signal);
      }
      return false;
    } finally {
      claim.withdraw();
    }
  }

  #take(runID: string): LockFile | FoundLock | undefined {
    const { sessionID, lockTimeoutMs } = this.#options;
    try {
      return takeLock(this.#path, { sessionId: sessionID, runId: runID }, lockTimeoutMs);
    } catch (error) {
      throw toRecordError(this.#transcript.path, error);
    }
  }

  #hold(file: LockFile): HeldLock {
    const lease = new LockLease(file, this.#claimPath, this.#options);
    this.#lease = lease;
    const release = () => {
      lease.end();
      if (this.#lease === lease) this.#lease = undefined;
    };
    try {
      return { caughtUp: this.#transcript.catchUp(), release, lost: lease.lost };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Calls `write` while holding the lock, which it takes if no run has it. Returns false when another run has it. */
  #writeWithLock(write: () => void): boolean {
    if (this.#lease) {
      if (!this.#lease.isHeld) return false;
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

/** Path of the lock beside a record. */
export function lockPath(record: string): string {
  return record.replace(/\.jsonl$/, ".lock");
}

/** Path of the file by which a process asks whether the lock's holder is alive. A living holder removes it. */
export function claimPath(record: string): string {
  return record.replace(/\.jsonl$/, ".claim");
}

/** Renews a lock and answers claims while one run holds it. */
class LockLease {
  readonly #file: LockFile;
  readonly #claimPath: string;
  readonly #options: LockOptions;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #renewAt: number;
  /** Deadline of a run that nobody sees any more. */
  #endBy = Number.POSITIVE_INFINITY;
  #isAnswering = false;
  #ended = false;

  constructor(file: LockFile, claim: string, options: LockOptions) {
    this.#file = file;
    this.#claimPath = claim;
    this.#options = options;
    this.#renewAt = this.#nextRenewal();
    // A fraction of very short timeouts, so that tests can use them.
    this.#timer = setInterval(() => this.#check(), Math.min(watchIntervalMs, options.lockTimeoutMs / 4)).unref();
    activeLeases.add(this);
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get isHeld(): boolean {
    return !this.#ended && this.#file.isOurs;
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#timer);
    activeLeases.delete(this);
    this.#file.release();
  }

  #check(): void {
    if (!this.#file.isOurs) {
      this.#lose();
      clearInterval(this.#timer);
      return;
    }
    if (Date.now() >= this.#endBy) {
      this.end();
      return;
    }
    // If it fails, the next check tries again, long before the lock expires.
    if (Date.now() >= this.#renewAt) attempt(() => this.#renew(), undefined);
    const claim = readClaim(this.#claimPath);
    if (claim !== undefined && !this.#isAnswering && !this.lost.aborted) void this.#answer(claim);
  }

  #renew(): void {
    this.#file.renew(this.#options.lockTimeoutMs);
    this.#renewAt = this.#nextRenewal();
  }

  #nextRenewal(): number {
    return Date.now() + Math.min(this.#options.lockTimeoutMs / 3, 60_000);
  }

  async #answer(claim: string): Promise<void> {
    this.#isAnswering = true;
    const { isAlive } = this.#options;
    const alive = isAlive === undefined || (await isAlive().catch(() => false));
    this.#isAnswering = false;
    if (this.#ended) return;
    if (alive) removeClaim(this.#claimPath, claim);
    else {
      this.#endBy = Date.now() + Math.min(shutdownTimeoutMs, this.#options.lockTimeoutMs);
      this.#lose();
    }
  }

  #lose(): void {
    this.#lost.abort(
      new RecordError(
        msg("This session was taken over by another window."),
        msg("Continue there, or open it here again."),
      ),
    );
  }
}

/** Locks that this process holds. They are released when it exits normally, whatever happened to its runs. */
const activeLeases = new Set<LockLease>();
process.on("exit", () => {
  for (const lease of activeLeases) lease.end();
});

class Claim {
  readonly #path: string;
  readonly #token = randomUUID();

  constructor(path: string) {
    this.#path = path;
    // If this fails, the holder is not asked, but the lock is still waited for.
    attempt(() => writeFileSync(path, this.#token, { mode: 0o600 }), undefined);
  }

  /** Whether it has not been answered yet. */
  get isPending(): boolean {
    return readClaim(this.#path) === this.#token;
  }

  withdraw(): void {
    removeClaim(this.#path, this.#token);
  }
}

const readClaim = (path: string): string | undefined => attempt(() => readFileSync(path, "utf8"), undefined);

function removeClaim(path: string, token: string): void {
  // A claim that cannot be removed is answered once more by the next run.
  if (readClaim(path) === token) attempt(() => rmSync(path, { force: true }), undefined);
}

/** `found` is undefined or torn while another process takes the lock. */
function lockedError(found: FoundLock | undefined): IntakeError {
  const sentence =
    found?.type === "lock"
      ? msg(
          "This session has been running in {0} since {1}.",
          describeOwner(found.content),
          new Date(found.content.acquiredAt).toLocaleTimeString(),
        )
      : msg("Another run of this session is just starting.");
  return new IntakeError("session-locked", msg("{0} Wait for that run to end, or stop it there.", sentence));
}

function describeOwner(content: LockContent): string {
  if (isOwnLock(content)) return msg("this process");
  return msg("process {0} on {1}", content.pid, content.host === os.hostname() ? msg("this computer") : content.host);
}

/** Rejects with the signal's reason on abort. */
async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
