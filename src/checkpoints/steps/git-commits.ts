/**
 * Tells which files a step took from another commit: by a switch of branches, a pull, a merge or a rebase. Their content
 * is in the repository before and after, so nobody has to review it and nothing is lost.
 */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import path from "node:path";
import { attempt } from "../../base/attempt.ts";
import { findRepository } from "../../base/node/repository.ts";
import { algorithmOf, askGit, objectID } from "./git-process.ts";
import type { ChangedFile, StepContent } from "./step-files.ts";

const maxLogBytes = 1 << 20;

export class GitCommits {
  readonly #root: string;
  /** Git's log of all commits that were checked out; undefined outside a repository. */
  #log: string | undefined;
  #begun = 0;

  /** @param root a folder in the repository, with links resolved */
  constructor(root: string) {
    this.#root = root;
  }

  open(): void {
    const repository = findRepository(this.#root);
    this.#log = repository && path.join(repository.gitDir, "logs", "HEAD");
    this.begin();
  }

  /** Called before a command. */
  begin(): void {
    this.#begun = this.#size();
  }

  /** Returns the paths of the files that came from another commit since `begin`. */
  async taken(files: readonly ChangedFile[]): Promise<Set<string>> {
    if (!this.#log || this.#size() === this.#begun || !this.#hasSwitched(this.#log)) return new Set();
    const top = findRepository(this.#root)?.root;
    if (top === undefined) return new Set();
    const listed = await askGit(top, ["ls-files", "--cached", "--stage", "-z"]);
    const index = new Map<string, string>();
    for (const line of listed.toString().split("\0")) {
      const entry = /^100\d{3} ([0-9a-f]+) 0\t(.*)$/s.exec(line);
      if (entry?.[1] !== undefined && entry[2] !== undefined) index.set(path.join(top, entry[2]), entry[1]);
    }
    const [some = ""] = index.values();
    const algorithm = algorithmOf(some);
    const isFromIndex = ({ path: name, after }: ChangedFile) => {
      const object = index.get(name);
      return object === undefined ? after.type === "missing" : idsOf(after, algorithm).includes(object);
    };
    const candidates = files.filter(isFromIndex).map((file) => ({ file, ids: idsOf(file.before, algorithm) }));
    const known = await this.#known(candidates.flatMap(({ ids }) => ids));
    const isKept = ({ file, ids }: (typeof candidates)[number]) =>
      file.before.type === "missing" || ids.some((id) => known.has(id));
    return new Set(candidates.filter(isKept).map(({ file }) => file.path));
  }

  /** Returns which of the objects the repository has. */
  async #known(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const answer = await askGit(this.#root, ["cat-file", "--batch-check"], `${ids.join("\n")}\n`);
    const found = answer.toString().matchAll(/^([0-9a-f]+) blob /gm);
    return new Set([...found].flatMap(([, id]) => id ?? []));
  }

  #size(): number {
    const log = this.#log;
    return log === undefined ? 0 : (attempt(() => statSync(log, { throwIfNoEntry: false }), undefined)?.size ?? 0);
  }

  /** Whether the log has a new line with another commit that the step did not make itself. */
  #hasSwitched(log: string): boolean {
    const size = Math.min(this.#size() - this.#begun, maxLogBytes);
    const bytes = Buffer.alloc(Math.max(0, size));
    const read = attempt(() => {
      const file = openSync(log, "r");
      try {
        return readSync(file, bytes, 0, bytes.length, this.#begun);
      } finally {
        closeSync(file);
      }
    }, 0);
    return bytes.toString("utf8", 0, read).split("\n").some(isSwitch);
  }
}

/** A line of git's log: `OLD NEW NAME <MAIL> TIME ZONE\tWHAT`. Lines of `git commit` begin with "commit". */
function isSwitch(line: string): boolean {
  const [head = "", what = ""] = line.split("\t");
  const [from, to] = head.split(" ");
  return to !== undefined && from !== to && !what.startsWith("commit");
}

/** Returns the ids that the content may have in git, which may keep all line ends as line feeds. */
function idsOf(content: StepContent, algorithm: "sha1" | "sha256"): string[] {
  if (content.type !== "file") return [];
  const text = Buffer.from(content.bytes).toString("latin1");
  const own = objectID(content.bytes, algorithm);
  if (!text.includes("\r\n")) return [own];
  return [own, objectID(Buffer.from(text.replaceAll("\r\n", "\n"), "latin1"), algorithm)];
}
