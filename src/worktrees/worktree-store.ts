/** What Rondo knows of its worktrees: one file for each, named after its session. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import { attempt } from "../base/attempt.ts";
import { parseJson } from "../base/json.ts";

const Worktree = z.object({
  sessionID: z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/)),
  /** Top folder of the user's working tree. */
  root: z.string(),
  /** Top folder of the worktree. */
  path: z.string(),
  /** The workspace folder below both, with `/`. */
  below: z.string(),
  branch: z.string(),
  /** The commit that it began with. */
  base: z.string(),
  /** Files that git did not bring and that are no part of the session's changes; relative, with `/`. */
  copied: z.array(z.string()),
  /** What identifies the content of each as it was copied. Versions up to 0.4 noted none. */
  hashes: z._default(z.array(z.string()), []),
  /** The session that has been given the same task; empty if there is none. */
  rival: z.string(),
  createdAt: z.number(),
  /** `making` and `removing` are left after a crash. */
  state: z.enum(["making", "ready", "removing"]),
});
export type Worktree = z.infer<typeof Worktree>;

export class WorktreeStore {
  /** Folder of the worktrees themselves. */
  readonly folder: string;
  readonly #infos: string;

  /** `folder` is Rondo's own and created when needed. */
  constructor(folder: string) {
    this.folder = path.join(folder, "trees");
    this.#infos = path.join(folder, "info");
  }

  all(): Worktree[] {
    const names = attempt(() => readdirSync(this.#infos), []);
    return names.flatMap((name) => (name.endsWith(".json") ? (this.#read(name) ?? []) : []));
  }

  of(sessionID: string): Worktree | undefined {
    return this.#isName(sessionID) ? this.#read(`${sessionID}.json`) : undefined;
  }

  save(worktree: Worktree): void {
    mkdirSync(this.#infos, { recursive: true, mode: 0o700 });
    const file = this.#file(worktree.sessionID);
    writeFileSync(`${file}.new`, JSON.stringify(worktree), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  forget(sessionID: string): void {
    if (this.#isName(sessionID)) rmSync(this.#file(sessionID), { force: true });
  }

  /** A worktree outside of Rondo's own folder is not taken: it would be removed one day. */
  #read(name: string): Worktree | undefined {
    const text = attempt(() => readFileSync(path.join(this.#infos, name), "utf8"), "");
    const found = Worktree.safeParse(parseJson(text)).data;
    const isOwn = found && `${found.sessionID}.json` === name && path.dirname(found.path) === this.folder;
    return isOwn ? found : undefined;
  }

  #file(sessionID: string): string {
    return path.join(this.#infos, `${sessionID}.json`);
  }

  #isName(sessionID: string): boolean {
    return Worktree.shape.sessionID.safeParse(sessionID).success;
  }
}
