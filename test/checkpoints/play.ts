/** Random work of an agent and a user on one folder, with a model of the expected restores. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { lstat } from "../../src/checkpoints/files/file-state.ts";
import { never, World } from "./world.ts";

/** The same name is sometimes a file and sometimes a folder with files. */
const names = ["a", "b", "d", "d/c", "d/e/f", "g h/ü'$"];

type Edit = { type: "write" | "delete" | "link" | "chmod" | "folder"; name: string };
type Action =
  | { type: "user"; edits: Edit[] }
  | { type: "tool"; name: string }
  | { type: "command"; edits: Edit[]; between: Edit[] }
  | { type: "restore"; which: "all" | "unedited"; back: number }
  | { type: "undo" }
  | { type: "restart" };

const name = fc.constantFrom(...names);
const edit: fc.Arbitrary<Edit> = fc.record({
  type: fc.constantFrom("write", "write", "write", "delete", "link", "chmod", "folder"),
  name,
});
const edits = fc.array(edit, { minLength: 1, maxLength: 3 });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant("user" as const), edits }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("tool" as const), name }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("command" as const),
      edits,
      between: fc.array(edit, { maxLength: 2 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("restore" as const),
      which: fc.constantFrom("all" as const, "unedited" as const),
      back: fc.nat(5),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: "undo" as const }) },
  { weight: 1, arbitrary: fc.constant({ type: "restart" as const }) },
);
export const actions: fc.Arbitrary<Action[]> = fc.array(action, { minLength: 1, maxLength: 10 });

interface Moment {
  snapshot: string;
  files: Files;
  /** The user's changes since. */
  touched: Set<string>;
}

type Files = Record<string, string>;

export class Play {
  readonly #world = new World();
  readonly #moments: Moment[] = [];
  /** The state when a step or a restore ended. Later differences are the user's. */
  #settled: Files = {};
  /** The state before the newest restore, if nothing that it restored has changed since. */
  #beforeRestore: Files | undefined;
  #count = 0;

  async play(actions: readonly Action[], git: boolean): Promise<void> {
    try {
      for (const name of ["a", "d/c"]) this.#edit({ type: "write", name });
      if (git) this.#world.commit();
      await this.#step(() => this.#copied());
      for (const action of actions) await this.#act(action);
    } finally {
      await this.#world.dispose();
    }
    assert.deepEqual(this.#world.log, []);
  }

  async #act(action: Action): Promise<void> {
    switch (action.type) {
      case "user":
        for (const edit of action.edits) this.#edit(edit);
        this.#beforeRestore = undefined;
        return;
      case "tool": {
        const file = this.#world.path(action.name);
        await this.#step(async () => {
          await this.#world.checkpoints.ready([file], never);
          this.#edit({ type: "write", name: action.name });
        });
        return;
      }
      case "command":
        await this.#step(async () => {
          for (const edit of action.between) this.#edit(edit);
          this.#noteUser();
          await this.#world.checkpoints.ready("unknown", never);
          for (const edit of action.edits) this.#edit(edit);
        });
        return;
      case "restore":
        await this.#restore(action.which, action.back);
        return;
      case "undo":
        await this.#undo();
        return;
      case "restart":
        await this.#step(async () => {});
        await this.#world.restart();
        await this.#step(() => this.#copied());
        return;
    }
  }

  async #step(work: () => Promise<void>): Promise<void> {
    this.#noteUser();
    const files = this.#files();
    const snapshot = this.#world.checkpoints.begin();
    this.#moments.push({ snapshot, files, touched: new Set() });
    // Changes during a scan may count as either the user's or the agent's.
    await this.#world.checkpoints.restored();
    await work();
    await this.#world.checkpoints.end();
    const tree = this.#world.tree();
    // A folder in the place of a file that an undo would bring back is a change, too.
    const isInTheWay = Object.keys(this.#beforeRestore ?? {}).some((name) => tree[name] === "/");
    if (isInTheWay || JSON.stringify(files) !== JSON.stringify(this.#files())) this.#beforeRestore = undefined;
    this.#settled = tree;
  }

  /** From then on the contents of files are known. */
  async #copied(): Promise<void> {
    await this.#world.checkpoints.ready("unknown", never);
  }

  async #restore(which: "all" | "unedited", back: number): Promise<void> {
    this.#noteUser();
    const moment = this.#moments.at(-1 - Math.min(back, this.#moments.length - 1));
    assert.ok(moment);
    const before = this.#files();
    const { left } = await this.#world.restore(moment.snapshot, which);
    const after = this.#files();
    const what = `restore of ${which}, left ${JSON.stringify(left)}`;
    if (which === "all") assert.deepEqual(after, moment.files, what);
    for (const file of moment.touched)
      assert.equal(which === "all" || after[file] === before[file], true, `${what}: ${file}`);
    if (which === "unedited") {
      for (const file of Object.keys({ ...before, ...moment.files })) {
        // Files of the user may be in the way.
        const isNear = [...moment.touched].some((one) => one.startsWith(`${file}/`) || file.startsWith(`${one}/`));
        if (!moment.touched.has(file) && !isNear) assert.equal(after[file], moment.files[file], `${what}: ${file}`);
      }
    }
    if (JSON.stringify(before) !== JSON.stringify(after)) this.#beforeRestore = before;
    this.#settled = this.#world.tree();
  }

  async #undo(): Promise<void> {
    if (!this.#beforeRestore) return;
    const { left } = await this.#world.checkpoints.undo(never);
    assert.deepEqual(left, []);
    assert.deepEqual(this.#files(), this.#beforeRestore, "undo");
    this.#beforeRestore = undefined;
    this.#settled = this.#world.tree();
  }

  /** Returns the user's changes since the agent's last step, including folders. */
  #noteUser(): void {
    const now = this.#world.tree();
    const names = new Set([...Object.keys(now), ...Object.keys(this.#settled)]);
    const changed = [...names].filter((name) => now[name] !== this.#settled[name]);
    for (const { touched } of this.#moments) for (const name of changed) touched.add(name);
    this.#settled = now;
  }

  #files(): Files {
    return Object.fromEntries(Object.entries(this.#world.tree()).filter(([, content]) => content !== "/"));
  }

  /** Contents all have the same length, so that sizes show no change. */
  #edit({ type, name }: Edit): void {
    const file = this.#world.path(name);
    if (!isClear(path.dirname(file))) return;
    const stats = lstat(file);
    switch (type) {
      case "write":
        if (stats?.isDirectory()) return;
        if (stats?.isSymbolicLink()) rmSync(file);
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, `${String(this.#count++).padStart(6, "0")}\n`);
        return;
      case "delete":
        rmSync(file, { recursive: true, force: true });
        return;
      case "link":
        rmSync(file, { recursive: true, force: true });
        mkdirSync(path.dirname(file), { recursive: true });
        symlinkSync(`to-${this.#count++}`, file);
        return;
      case "chmod":
        if (stats?.isFile()) chmodSync(file, stats.mode ^ 0o100);
        return;
      case "folder":
        if (stats) return;
        mkdirSync(file, { recursive: true });
        return;
    }
  }
}

/** Whether all parents are folders. */
function isClear(folder: string): boolean {
  const stats = lstat(folder);
  return stats ? stats.isDirectory() : isClear(path.dirname(folder));
}
