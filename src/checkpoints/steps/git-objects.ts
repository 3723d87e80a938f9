/** Reads unchanged files from the user's git repository, in which nothing is written, locked, run or fetched. */
import { statSync } from "node:fs";
import path from "node:path";
import { findRepository } from "../../base/node/repository.ts";
import { type GitChild, startGit } from "../../base/node/run-git.ts";
import { type FileStamp, maxUnnamedBytes, sameStamp } from "../files/file-state.ts";
import { algorithmOf, askGit, gitTimeoutMs, objectID } from "./git-process.ts";

export class GitObjects {
  readonly #root: string;
  #entries = new Map<string, { object: string; stamp: FileStamp }>();
  #batch: GitBatch | undefined;

  /** @param root a folder in the repository */
  constructor(root: string) {
    this.#root = root;
  }

  /** Remembers which of the files are as git's index says. */
  async readIndex(files: ReadonlyMap<string, FileStamp>): Promise<void> {
    this.#entries = new Map();
    const repository = findRepository(this.#root);
    if (!repository) return;
    const written = statSync(path.join(repository.gitDir, "index"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const listed = await askGit(this.#root, ["ls-files", "--cached", "--stage", "--debug", "-z"]);
    for (const { name, object, mtime, size, ino } of parseIndexEntries(listed)) {
      const file = path.join(this.#root, name);
      const stamp = files.get(file);
      // A file that changed while the index was written may have changed again and still look the same.
      if (!stamp || mtime >= written) continue;
      const isSame =
        Math.abs(stamp.mtime - mtime) < 0.01 && stamp.size === size && (ino === 0 || stamp.ino % 2 ** 32 === ino);
      if (isSame) this.#entries.set(file, { object, stamp });
    }
  }

  /** Returns the bytes that the file had with this stamp; undefined unless they are certain. */
  async content(file: string, stamp: FileStamp): Promise<Buffer | undefined> {
    const entry = this.#entries.get(file);
    if (!entry || !sameStamp(entry.stamp, stamp) || stamp.size > maxUnnamedBytes) return undefined;
    this.#batch ??= new GitBatch(startGit(this.#root, ["cat-file", "--batch"]));
    const bytes = await this.#batch.object(entry.object);
    // Git changes the size of what it converts (line endings, large files), except for some filters.
    if (bytes?.length !== stamp.size) return undefined;
    const isIntact = objectID(bytes, algorithmOf(entry.object)) === entry.object;
    return isIntact && !(await this.#isFiltered(file)) ? bytes : undefined;
  }

  close(): void {
    this.#batch?.close();
  }

  async #isFiltered(file: string): Promise<boolean> {
    const name = path.relative(this.#root, file);
    const answer = await askGit(this.#root, [
      "check-attr",
      "-z",
      "filter",
      "ident",
      "working-tree-encoding",
      "--",
      name,
    ]);
    const words = answer.toString().split("\0");
    const values = words.filter((_, at) => at % 3 === 2);
    return values.length !== 3 || values.some((value) => value !== "unspecified" && value !== "unset");
  }
}

/** A git process that returns one object after another. */
class GitBatch {
  readonly #child: GitChild;
  #received = Buffer.alloc(0);
  #wake = () => {};
  #ended = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(child: GitChild) {
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
    await this.#waitUntil(() => this.#received.includes(10));
    const head = this.#received.subarray(0, this.#received.indexOf(10)).toString();
    const size = /^[0-9a-f]+ blob (\d+)$/.exec(head)?.[1];
    const start = head.length + 1;
    if (size === undefined) {
      this.#received = this.#received.subarray(start);
      return undefined;
    }
    const end = start + Number(size);
    await this.#waitUntil(() => this.#received.length > end);
    const bytes = this.#received.subarray(start, end);
    this.#received = this.#received.subarray(end + 1);
    return bytes;
  }

  async #waitUntil(isReady: () => boolean): Promise<void> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), gitTimeoutMs);
    while (!isReady() && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    clearTimeout(timer);
  }
}

// "100644 <object> 0\t<name>\0  ctime: s:ns\n  mtime: s:ns\n  dev: …\tino: …\n  uid: …\tgid: …\n  size: …\tflags: …\n"
function* parseIndexEntries(listed: Buffer) {
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
