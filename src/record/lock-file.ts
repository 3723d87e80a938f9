/**
 * A lock as a file (spec Q1). Making it is atomic. Removing one that somebody left behind is not, so whoever removes a
 * lock first makes a file that is named after that very lock: only one process at a time holds the right to remove it,
 * and a lock that was made in its place meanwhile stays.
 */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import os from "node:os";
import { join, parse as parsePath } from "node:path";
import * as z from "zod/mini";
import { codeOf } from "./errors.ts";

const Content = z.object({
  sessionId: z.string(),
  runId: z.string(),
  acquiredAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  pid: z.int(),
  host: z.string(),
  /** When the process began, as the system counts it: another one may get its number later. Not known everywhere. */
  processStart: z.optional(z.string()),
  /** Tells this lock from all others. It becomes part of a file's name. */
  token: z.uuid(),
});
export type Content = z.infer<typeof Content>;

/** What is found at a lock's place. A torn one is being made or renewed, or its maker was killed over it. */
export type Found = { type: "lock"; token: string; content: Content } | { type: "torn"; token: string; since: number };

/** ms after which a torn lock has no maker any more. */
const tornPatience = 1000;

/** How long the right to remove a lock holds when its owner runs on another computer, in ms. It is used within one. */
const rightTimeout = 900_000;

/** A lock that this process holds. */
export class LockFile {
  readonly path: string;
  readonly token: string;
  readonly #content: Content;
  /** Open as long as it is held: it is renewed through this, and so never somebody else's. */
  readonly #file: number;
  readonly #identity: string;

  private constructor(path: string, content: Content, file: number) {
    this.path = path;
    this.token = content.token;
    this.#content = content;
    this.#file = file;
    this.#identity = identityOf(fstatSync(file, { bigint: true }));
  }

  /** Undefined when there is one already. @throws when it cannot be written */
  static make(path: string, run: { sessionId: string; runId: string }, timeout: number): LockFile | undefined {
    let file: number;
    try {
      file = openSync(path, "wx", 0o600);
    } catch (error) {
      if (codeOf(error) === "EEXIST") return undefined;
      throw error;
    }
    try {
      const now = Date.now();
      const dates = { acquiredAt: toISO(now), expiresAt: toISO(now + timeout) };
      const content: Content = { ...run, ...dates, ...thisProcess(), token: randomUUID() };
      writeSync(file, JSON.stringify(content), 0);
      return new LockFile(path, content, file);
    } catch (error) {
      closeSync(file);
      unlinkSync(path);
      throw error;
    }
  }

  /** Whether nobody has taken it away. */
  get isOurs(): boolean {
    const found = statSync(this.path, { bigint: true, throwIfNoEntry: false });
    return found !== undefined && identityOf(found) === this.#identity;
  }

  /** Holds for another `timeout` ms. */
  renew(timeout: number): void {
    this.#content.expiresAt = toISO(Date.now() + timeout);
    // As long as what it replaces, since dates are.
    writeSync(this.#file, JSON.stringify(this.#content), 0);
  }

  /** Never throws: one that cannot be removed expires, or its owner ends. */
  release(): void {
    try {
      // First, since not every system removes a file that is open.
      closeSync(this.#file);
      removeLock(this.path, this.token);
    } catch {
      // Found dead or expired by the next one who wants it.
    }
  }

  /** For one that nobody else may remove. */
  discard(): void {
    closeSync(this.#file);
    unlinkSync(this.path);
  }
}

/** Takes the lock, if need be from an owner that is dead; else says what is there. Undefined: try again. */
export function takeLock(
  path: string,
  run: { sessionId: string; runId: string },
  timeout: number,
): LockFile | Found | undefined {
  const made = LockFile.make(path, run, timeout);
  if (made) return swept(made);
  const found = findLock(path);
  if (!found || !isLeft(found)) return found;
  removeLock(path, found.token);
  const second = LockFile.make(path, run, timeout);
  return second && swept(second);
}

/** Who was killed right after it removed a lock has left its right to do so behind. */
function swept(lock: LockFile): LockFile {
  const { dir, base } = parsePath(lock.path);
  for (const name of readdirSync(dir)) {
    if (!name.startsWith(`${base}.`)) continue;
    const right = join(dir, name);
    const found = findLock(right);
    if (found && isLeft(found)) rmSync(right, { force: true });
  }
  return lock;
}

/** The lock that somebody holds now. */
export function heldLock(path: string): Found | undefined {
  const found = findLock(path);
  return found && !isLeft(found) ? found : undefined;
}

/** Whether it is a lock of this very process. */
export function isHere({ pid, host }: Content): boolean {
  return pid === process.pid && host === os.hostname();
}

function findLock(path: string): Found | undefined {
  try {
    const text = readFileSync(path, "utf8");
    const content = parse(text);
    if (content) return { type: "lock", token: content.token, content };
    const { mtimeMs } = statSync(path);
    return { type: "torn", token: `torn-${mtimeMs}`, since: mtimeMs };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function parse(text: string): Content | undefined {
  try {
    return Content.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Whether nobody holds it any more. */
function isLeft(found: Found): boolean {
  if (found.type === "torn") return Date.now() - found.since > tornPatience;
  const { content } = found;
  return Date.parse(content.expiresAt) < Date.now() || (content.host === os.hostname() && isDead(content));
}

/** Removes the lock at `path` if it is still the one with this token. Does nothing while another process does it. */
function removeLock(path: string, token: string): void {
  const right = `${path}.${token}`;
  const mine = LockFile.make(right, { sessionId: "", runId: "" }, rightTimeout);
  if (!mine) {
    const other = findLock(right);
    if (other && isLeft(other)) removeLock(right, other.token);
    return;
  }
  try {
    if (findLock(path)?.token === token) unlinkSync(path);
  } finally {
    mine.discard();
  }
}

function isDead({ pid, processStart }: Content): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
  const now = statusOf(pid);
  // Ended, but its parent has not asked for it yet.
  if (now && (now.state === "Z" || now.state === "X")) return true;
  return now !== undefined && processStart !== undefined && now.start !== processStart;
}

let own: Pick<Content, "pid" | "host" | "processStart"> | undefined;

function thisProcess(): Pick<Content, "pid" | "host" | "processStart"> {
  const start = own ? undefined : statusOf(process.pid)?.start;
  own ??= { pid: process.pid, host: os.hostname(), ...(start !== undefined && { processStart: start }) };
  return own;
}

/** Linux alone tells; elsewhere a process is known by its number. */
function statusOf(pid: number): { state: string; start: string } | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is a name in brackets, which may hold anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", start: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}

function identityOf({ dev, ino }: { dev: bigint; ino: bigint }): string {
  return `${dev}:${ino}`;
}

function toISO(time: number): string {
  return new Date(time).toISOString();
}
