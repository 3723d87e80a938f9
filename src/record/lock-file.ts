/**
 * Lock files (spec Q1). Creating one is atomic, removing an abandoned one is not. So a process first creates a second
 * file, named after the lock's token: only one process at a time removes the lock, and never a newer one.
 */
import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { join, parse as parsePath } from "node:path";
import * as z from "zod/mini";
import { parseJson } from "../base/json.ts";
import { hasEnded, isThisProcess, ProcessIdentity, thisProcess } from "../base/node/process-identity.ts";
import { systemErrorCode } from "../base/node/system-errors.ts";

const LockContent = z.object({
  sessionId: z.string(),
  runId: z.string(),
  acquiredAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  ...ProcessIdentity.shape,
  /** Identifies this lock. Part of a file name. */
  token: z.uuid(),
});
export type LockContent = z.infer<typeof LockContent>;

/** A lock file that exists. A torn one is being written, or its process was killed while writing it. */
export type FoundLock =
  | { type: "lock"; token: string; content: LockContent }
  | { type: "torn"; token: string; since: number };

type LockOwner = Pick<LockContent, "sessionId" | "runId">;

/** Age after which a torn lock counts as abandoned. */
const tornTimeoutMs = 1000;
/** Time after which another computer's right to remove a lock expires. Removing takes far less. */
const removalTimeoutMs = 900_000;

/** A lock that this process holds. */
export class LockFile {
  readonly path: string;
  readonly token: string;
  readonly #content: LockContent;
  /** Stays open while the lock is held, so that `renew` never writes to a lock of another process. */
  readonly #file: number;
  readonly #identity: string;

  private constructor(path: string, content: LockContent, file: number) {
    this.path = path;
    this.token = content.token;
    this.#content = content;
    this.#file = file;
    this.#identity = identityOf(fs.fstatSync(file, { bigint: true }));
  }

  /** Returns undefined if the file exists already. @throws the system's error when it cannot be written */
  static create(path: string, owner: LockOwner, timeoutMs: number): LockFile | undefined {
    let file: number;
    try {
      file = fs.openSync(path, "wx", 0o600);
    } catch (error) {
      if (systemErrorCode(error) === "EEXIST") return undefined;
      throw error;
    }
    try {
      const now = Date.now();
      const dates = { acquiredAt: toISO(now), expiresAt: toISO(now + timeoutMs) };
      const content: LockContent = { ...owner, ...dates, ...thisProcess(), token: randomUUID() };
      fs.writeSync(file, JSON.stringify(content), 0);
      return new LockFile(path, content, file);
    } catch (error) {
      fs.closeSync(file);
      fs.unlinkSync(path);
      throw error;
    }
  }

  /** Whether the file at the path is still this lock. */
  get isOurs(): boolean {
    const found = fs.statSync(this.path, { bigint: true, throwIfNoEntry: false });
    return found !== undefined && identityOf(found) === this.#identity;
  }

  renew(timeoutMs: number): void {
    this.#content.expiresAt = toISO(Date.now() + timeoutMs);
    // Replaces the old content exactly, because dates have a fixed length.
    fs.writeSync(this.#file, JSON.stringify(this.#content), 0);
  }

  /** Never throws: a lock that cannot be removed expires, or its process ends. */
  release(): void {
    try {
      // Closed first, because some systems do not remove open files.
      fs.closeSync(this.#file);
      removeLock(this.path, this.token);
    } catch {
      // The next process that wants the lock finds it abandoned.
    }
  }

  /** Removes a lock that no other process may remove. */
  discard(): void {
    fs.closeSync(this.#file);
    fs.unlinkSync(this.path);
  }
}

/** Takes the lock, also from a dead owner. Otherwise returns the lock that is held, or undefined: then try again. */
export function takeLock(path: string, owner: LockOwner, timeoutMs: number): LockFile | FoundLock | undefined {
  const created = LockFile.create(path, owner, timeoutMs);
  if (created) return removeLeftovers(created);
  const found = findLock(path);
  if (!found || !isAbandoned(found)) return found;
  removeLock(path, found.token);
  const second = LockFile.create(path, owner, timeoutMs);
  return second && removeLeftovers(second);
}

/** Removes the second files of processes that were killed right after they removed a lock. */
function removeLeftovers(lock: LockFile): LockFile {
  const { dir, base } = parsePath(lock.path);
  for (const name of fs.readdirSync(dir)) {
    if (!name.startsWith(`${base}.`)) continue;
    const file = join(dir, name);
    const found = findLock(file);
    if (found && isAbandoned(found)) fs.rmSync(file, { force: true });
  }
  return lock;
}

/** Returns the lock that a living process holds. */
export function heldLock(path: string): FoundLock | undefined {
  const found = findLock(path);
  return found && !isAbandoned(found) ? found : undefined;
}

export function isOwnLock(content: LockContent): boolean {
  return isThisProcess(content);
}

function findLock(path: string): FoundLock | undefined {
  try {
    const content = LockContent.safeParse(parseJson(fs.readFileSync(path, "utf8"))).data;
    if (content) return { type: "lock", token: content.token, content };
    const { mtimeMs } = fs.statSync(path);
    return { type: "torn", token: `torn-${mtimeMs}`, since: mtimeMs };
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function isAbandoned(found: FoundLock): boolean {
  if (found.type === "torn") return Date.now() - found.since > tornTimeoutMs;
  const { content } = found;
  return Date.parse(content.expiresAt) < Date.now() || hasEnded(content);
}

/** Removes the lock at `path` if its token is still `token`. Does nothing while another process removes it. */
function removeLock(path: string, token: string): void {
  const removalPath = `${path}.${token}`;
  const removal = LockFile.create(removalPath, { sessionId: "", runId: "" }, removalTimeoutMs);
  if (!removal) {
    const other = findLock(removalPath);
    if (other && isAbandoned(other)) removeLock(removalPath, other.token);
    return;
  }
  try {
    if (findLock(path)?.token === token) fs.unlinkSync(path);
  } finally {
    removal.discard();
  }
}

const identityOf = ({ dev, ino }: { dev: bigint; ino: bigint }): string => `${dev}:${ino}`;

const toISO = (time: number): string => new Date(time).toISOString();
