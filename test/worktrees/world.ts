/** A repository of a user, and Rondo's own folder beside it: real git, real files. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { createWorktree } from "../../src/worktrees/create.ts";
import { type Worktree, WorktreeStore } from "../../src/worktrees/worktree-store.ts";

export class World {
  readonly #top = realpathSync(mkdtempSync(path.join(os.tmpdir(), "rondo-worktrees-")));
  readonly root = path.join(this.#top, "project");
  readonly store = new WorktreeStore(path.join(this.#top, "rondo"));

  constructor() {
    mkdirSync(this.root);
    this.git("init", "--quiet", "--initial-branch=main");
    this.git("config", "user.name", "Dev");
    this.git("config", "user.email", "dev@example.com");
    this.write({ "a.txt": "a1\na2\na3\n", "src/b.txt": "b\n", ".gitignore": ".env\nnode_modules/\nlocal/\n*.cache\n" });
    this.commit("First");
  }

  /** Runs the system's git as the user would. */
  git(...args: string[]): string {
    return execFileSync("git", ["-C", this.root, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  }

  write(files: Record<string, string>, folder = this.root): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
  }

  commit(message: string): void {
    this.git("add", "--all");
    this.git("commit", "--quiet", "-m", message);
  }

  /** Returns the text of a file; undefined if there is none. */
  read(name: string, folder = this.root): string | undefined {
    const file = path.join(folder, name);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  }

  async make(
    sessionID = "ses_1",
    change: { words?: string; copy?: string[]; secrets?: string[]; folder?: string } = {},
  ) {
    const { words = "Add gift cards", copy = [], secrets = [], folder = this.root } = change;
    const wanted = { sessionID, folder, words, copy, secrets, rival: "" };
    return await createWorktree(this.store, wanted, new AbortController().signal);
  }

  branches(): string[] {
    return this.git("branch", "--format=%(refname:short)").split("\n");
  }

  remove(): void {
    rmSync(this.#top, { recursive: true, force: true, maxRetries: 5 });
  }
}

export function mustFind(store: WorktreeStore, sessionID: string): Worktree {
  const found = store.of(sessionID);
  if (!found) throw new Error(`There is no worktree of ${sessionID}.`);
  return found;
}
