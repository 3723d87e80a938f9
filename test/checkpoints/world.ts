/** A real folder with files, a store, and steps of an agent. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type FileWriter,
  openCheckpoints,
  type RestorePlan,
  type RestoreResult,
  type SessionCheckpoints,
} from "../../src/checkpoints/session-checkpoints.ts";
import type { ChangedFile, StepContent, StepFiles } from "../../src/checkpoints/steps/step-files.ts";
import type { Change } from "../../src/loop/checkpoints.ts";

/** Returns bytes that cannot be compressed. */
export const noise = (size: number): Buffer => randomBytes(size);

export const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));

/** Bytes of all files below the folder. */
export const sizeOf = (folder: string): number => filesIn(folder).reduce((sum, file) => sum + statSync(file).size, 0);

/** Number of files that this process has open. Linux. */
export const openFiles = (): number => readdirSync("/proc/self/fd").length;

const nothing = () => {};

export const never = new AbortController().signal;

interface Options {
  folders?: string[];
  limitBytes?: number;
  writer?: FileWriter;
}

export class World {
  readonly root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "checkpoints-test-")));
  readonly store = path.join(this.root, "store");
  readonly folder: string;
  readonly roots: string[];
  readonly log: string[] = [];
  /** What the review was told, newest last. */
  readonly reviewed: StepFiles[] = [];
  readonly #options: Options;
  readonly #open: SessionCheckpoints[] = [];
  checkpoints: SessionCheckpoints;

  constructor(options: Options = {}) {
    this.#options = options;
    this.roots = (options.folders ?? ["work"]).map((name) => path.join(this.root, name));
    for (const folder of this.roots) mkdirSync(folder, { recursive: true });
    this.folder = this.roots[0] ?? "";
    this.checkpoints = this.open("ses_one");
  }

  /** Opens the session as another window or a restarted one does. */
  open(sessionID: string): SessionCheckpoints {
    const { limitBytes = 1e9, writer } = this.#options;
    const opened = openCheckpoints({
      folder: this.store,
      sessionID,
      roots: () => this.roots,
      limitBytes: () => limitBytes,
      log: (line) => this.log.push(line),
      reviewer: {
        commandBegins: () => () => {},
        backgroundBegins: () => () => {},
        take: async (files) => void this.reviewed.push(files),
      },
      ...(writer && { writer }),
    });
    this.#open.push(opened);
    return opened;
  }

  async restart(): Promise<void> {
    await this.checkpoints.close();
    this.checkpoints = this.open("ses_one");
  }

  path(name: string): string {
    return path.join(this.folder, name);
  }

  put(name: string, content: string | Uint8Array, mode = 0o644): void {
    mkdirSync(path.dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
    chmodSync(this.path(name), mode);
  }

  text(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  shell(command: string): void {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
    execFileSync("/bin/sh", ["-c", command], { cwd: this.folder, stdio: "pipe", env });
  }

  /** Commits all files. */
  commit(): void {
    this.shell(
      "test -d .git || git init -q; git config user.email a@b.c; git config user.name n; git add -A; git commit -qm one --allow-empty",
    );
  }

  /** Runs a step in which a tool writes these files by name. */
  async tool(...files: [name: string, write: () => void][]): Promise<Step> {
    const begun = this.checkpoints.begin();
    // Changes during a scan may count as either the user's or the agent's.
    await this.checkpoints.restored();
    for (const [name, write] of files) {
      await this.checkpoints.ready([path.resolve(this.folder, name)], never);
      write();
    }
    return { begun, change: await this.checkpoints.end() };
  }

  /** Runs a step in which a tool writes a text. */
  async write(name: string, content: string): Promise<Step> {
    return await this.tool([name, () => this.put(name, content)]);
  }

  /** Runs a step with a command. The user does `between` before it runs. */
  async command(command: string, between = nothing): Promise<Step> {
    const begun = this.checkpoints.begin();
    // Changes during a scan may count as either the user's or the agent's.
    await this.checkpoints.restored();
    between();
    // Where scans are slow, as on a busy machine, changes of the last 20 ms count as the command's.
    if (between !== nothing) await sleep(30);
    await this.checkpoints.ready("unknown", never);
    this.shell(command);
    return { begun, change: await this.checkpoints.end() };
  }

  async preview(snapshot: string): Promise<RestorePlan> {
    return await this.checkpoints.preview(snapshot, never);
  }

  /** Returns a line per file: `effect path`, with `edited` and the problem if there are any. */
  async planned(snapshot: string): Promise<string[]> {
    const { files } = await this.preview(snapshot);
    return files
      .map(({ effect, path, edited, problem }) =>
        [effect, path, edited ? "edited" : "", problem].filter(Boolean).join(" "),
      )
      .sort();
  }

  /** Restores all files of the preview, or those that the user has not edited. */
  async restore(snapshot: string, which: "all" | "unedited" = "unedited"): Promise<RestoreResult> {
    const { files } = await this.preview(snapshot);
    const chosen = files.filter(({ edited, problem }) => problem === "" && (which === "all" || !edited));
    return await this.checkpoints.restore(
      snapshot,
      chosen.map(({ path }) => path),
      never,
    );
  }

  /** Returns and forgets what the review was told: a line `FROM > TO name (before name)` for each file. */
  takeReviewed(): string[] {
    const name = (file: string) => path.relative(this.folder, file);
    const line = ({ path: file, before, after, movedFrom, isNamed }: ChangedFile) =>
      `${isNamed ? "tool: " : ""}${shown(before)} > ${shown(after)} ${name(file)}${movedFrom ? ` (${name(movedFrom)})` : ""}`;
    return this.reviewed
      .splice(0)
      .flatMap(({ files, left }) => [...files.map(line), ...(left > 0 ? [`${left} left`] : [])])
      .sort();
  }

  /** Returns everything in the folders except `.git`: contents and modes of files, targets of links, folders. */
  tree(): Record<string, string> {
    return Object.fromEntries(this.roots.flatMap((root) => [...entries(root, this.root)]).sort());
  }

  /** Deletes all files, as a user may. */
  clear(): void {
    for (const root of this.roots) {
      for (const name of readdirSync(root)) rmSync(path.join(root, name), { recursive: true });
    }
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#open.map((one) => one.close()));
    rmSync(this.root, { recursive: true, force: true });
  }
}

function shown(content: StepContent): string {
  return content.type === "file" ? JSON.stringify(Buffer.from(content.bytes).toString()) : content.type;
}

export interface Step {
  begun: string;
  change: Change | undefined;
}

function* entries(folder: string, base: string): Generator<[string, string]> {
  for (const name of readdirSync(folder)) {
    if (name === ".git") continue;
    const file = path.join(folder, name);
    const stats = lstatSync(file);
    const key = path.relative(base, file);
    if (stats.isSymbolicLink()) yield [key, `-> ${readlinkSync(file)}`];
    else if (stats.isFile()) yield [key, `${(stats.mode & 0o777).toString(8)} ${readFileSync(file, "latin1")}`];
    else if (stats.isDirectory()) {
      yield [key, "/"];
      yield* entries(file, base);
    }
  }
}
