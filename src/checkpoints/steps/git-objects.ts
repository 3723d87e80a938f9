/**
 * What files hold that are unchanged in the user's repository, where there are too many for copies. Only read: nothing of
 * the repository is written, locked, run or fetched.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import path from "node:path";
import { largestUnnamed, type Stamp, sameStamp } from "../files/file-state.ts";

interface Entry {
  object: string;
  stamp: Stamp;
}

/** Longest wait for an answer of git, in ms. */
const patience = 10_000;

/** More is not an answer about paths. Bytes. */
const longestList = 256 << 20;

export class Repository {
  readonly #root: string;
  #entries = new Map<string, Entry>();
  #batch: Batch | undefined;

  /** @param root a folder in it */
  constructor(root: string) {
    this.#root = root;
  }

  /** Takes note of those of the files that are as the index says. */
  async read(files: ReadonlyMap<string, Stamp>): Promise<void> {
    this.#entries = new Map();
    const indexFile = (await this.#git(["rev-parse", "--git-path", "index"])).toString().trim();
    if (indexFile === "") return;
    const written = statSync(path.resolve(this.#root, indexFile), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const listed = await this.#git(["ls-files", "--cached", "--stage", "--debug", "-z"]);
    for (const { name, object, mtime, size, ino } of entriesIn(listed)) {
      const file = path.join(this.#root, name);
      const stamp = files.get(file);
      // Changed when the index was written: it may have changed again since and look the same.
      if (!stamp || mtime >= written) continue;
      const isSame =
        Math.abs(stamp.mtime - mtime) < 0.01 && stamp.size === size && (ino === 0 || stamp.ino % 2 ** 32 === ino);
      if (isSame) this.#entries.set(file, { object, stamp });
    }
  }

  /** The bytes that the file held when it looked like this; undefined where that is not certain. */
  async content(file: string, stamp: Stamp): Promise<Buffer | undefined> {
    const entry = this.#entries.get(file);
    if (!entry || !sameStamp(entry.stamp, stamp) || stamp.size > largestUnnamed) return undefined;
    this.#batch ??= new Batch(this.#start(["cat-file", "--batch"]));
    const bytes = await this.#batch.object(entry.object);
    // What git changes on the way to the disk (line endings, large files, filters) is of another size, save by a filter.
    if (bytes?.length !== stamp.size || !isObject(bytes, entry.object) || (await this.#isFiltered(file)))
      return undefined;
    return bytes;
  }

  close(): void {
    this.#batch?.close();
  }

  async #isFiltered(file: string): Promise<boolean> {
    const name = path.relative(this.#root, file);
    const answer = await this.#git(["check-attr", "-z", "filter", "ident", "working-tree-encoding", "--", name]);
    const values = answer
      .toString()
      .split("\0")
      .filter((_, at) => at % 3 === 2);
    return values.length !== 3 || values.some((value) => value !== "unspecified" && value !== "unset");
  }

  /** Empty when it fails. */
  #git(args: readonly string[]): Promise<Buffer> {
    const child = this.#start(args);
    child.stdin.end();
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const timer = setTimeout(() => child.kill("SIGKILL"), patience);
      child.stdout.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > longestList) child.kill("SIGKILL");
      });
      child.once("close", (code) => {
        clearTimeout(timer);
        resolve(code === 0 ? Buffer.concat(chunks) : Buffer.alloc(0));
      });
    });
  }

  #start(args: readonly string[]): ChildProcessWithoutNullStreams {
    const safe = ["-c", "core.fsmonitor=false", "-c", "protocol.allow=never", "--no-pager", "--literal-pathspecs"];
    const child = spawn("git", ["-C", this.#root, ...safe, ...args], {
      env: { ...process.env, GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_TERMINAL_PROMPT: "0" },
      windowsHide: true,
    });
    // No git, or one that has ended: its answers are empty.
    child.on("error", () => {});
    child.stdin.on("error", () => {});
    child.stderr.resume();
    return child;
  }
}

/** A process that answers for one object after the other. */
class Batch {
  readonly #child: ChildProcessWithoutNullStreams;
  #received = Buffer.alloc(0);
  #wake = () => {};
  #ended = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    child.stdout.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    child.once("close", () => {
      this.#ended = true;
      this.#wake();
    });
  }

  object(id: string): Promise<Buffer | undefined> {
    const next = this.#last.then(() => this.#ask(id));
    this.#last = next;
    return next;
  }

  close(): void {
    this.#child.kill();
  }

  async #ask(id: string): Promise<Buffer | undefined> {
    if (this.#ended) return undefined;
    this.#child.stdin.write(`${id}\n`);
    await this.#until(() => this.#received.includes(10));
    const head = this.#received.subarray(0, this.#received.indexOf(10)).toString();
    const size = /^[0-9a-f]+ blob (\d+)$/.exec(head)?.[1];
    const start = head.length + 1;
    if (size === undefined) {
      this.#received = this.#received.subarray(start);
      return undefined;
    }
    const end = start + Number(size);
    await this.#until(() => this.#received.length > end);
    const bytes = this.#received.subarray(start, end);
    this.#received = this.#received.subarray(end + 1);
    return bytes;
  }

  async #until(there: () => boolean): Promise<void> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), patience);
    while (!there() && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    clearTimeout(timer);
  }
}

/** "100644 <object> 0\t<name>\0  ctime: s:ns\n  mtime: s:ns\n  dev: …\tino: …\n  uid: …\tgid: …\n  size: …\tflags: …\n" */
function* entriesIn(listed: Buffer) {
  for (let at = 0; at < listed.length; ) {
    const end = listed.indexOf(0, at);
    if (end < 0) return;
    const head = /^100(?:644|755) ([0-9a-f]+) 0\t(.*)$/s.exec(listed.toString("utf8", at, end));
    let next = end + 1;
    for (let line = 0; line < 5; line++) next = listed.indexOf(10, next) + 1;
    const about = /mtime: (\d+):(\d+)\n[^\n]*ino: (\d+)\n[^\n]*\n\s*size: (\d+)/.exec(
      listed.toString("latin1", end + 1, next),
    );
    if (next === 0 || !about) return;
    at = next;
    const [, seconds, nanoseconds, ino, size] = about.map(Number);
    if (!head || seconds === undefined || nanoseconds === undefined) continue;
    const [, object = "", name = ""] = head;
    yield { name, object, mtime: seconds * 1000 + nanoseconds / 1e6, size: size ?? 0, ino: ino ?? 0 };
  }
}

function isObject(bytes: Buffer, id: string): boolean {
  const hash = createHash(id.length === 64 ? "sha256" : "sha1");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex") === id;
}
