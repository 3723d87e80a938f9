/** Keeps decisions on disk, so that the last ones can be taken back after a reload: a JSON file for each group. */
import * as vscode from "vscode";
import {
  type DecidedFile,
  type DecisionGroup,
  DecisionLog,
  decisionsFrom,
  StoredDecisions,
  storedDecisions,
} from "../../review/decisions.ts";
import { writeWhole } from "../host/write-whole.ts";

/** Groups whose texts are longer together are not kept beyond the window. */
const maxChars = 32 << 20;

export class DecisionStore {
  readonly #log = new DecisionLog();
  readonly #folder: vscode.Uri | undefined;
  /** What is on disk, by id. */
  readonly #saved = new Map<number, DecisionGroup>();
  #queue: Promise<void> = Promise.resolve();

  /** `storage` is the extension's folder for this workspace. Without it nothing outlives the window. */
  constructor(storage: vscode.Uri | undefined) {
    this.#folder = storage && vscode.Uri.joinPath(storage, "review-decisions");
  }

  async load(): Promise<void> {
    const folder = this.#folder;
    if (!folder) return;
    const entries = await Promise.resolve(vscode.workspace.fs.readDirectory(folder)).catch(() => []);
    const whole = entries.filter(([name]) => name.endsWith(".json"));
    for (const [name] of whole.toSorted(([a], [b]) => Number.parseInt(a, 10) - Number.parseInt(b, 10))) {
      const stored = StoredDecisions.safeParse(await readJson(vscode.Uri.joinPath(folder, name))).data;
      const id = Number.parseInt(name, 10);
      if (stored && id > 0) this.#saved.set(id, { id, files: decisionsFrom(stored) });
    }
    this.#log.load([...this.#saved.values()]);
  }

  push(files: readonly DecidedFile[]): void {
    this.#log.push(files);
    this.#save();
  }

  pop(): readonly DecidedFile[] {
    const files = this.#log.pop();
    this.#save();
    return files;
  }

  /** Takes the file's last decision out of its group. */
  popFile(uri: string): readonly DecidedFile[] {
    const files = this.#log.popFile(uri);
    this.#save();
    return files;
  }

  /** Resolves when everything is on disk. */
  flush(): Promise<void> {
    return this.#queue;
  }

  #save(): void {
    this.#queue = this.#queue.then(() => this.#write()).catch(() => {});
  }

  async #write(): Promise<void> {
    const folder = this.#folder;
    if (!folder) return;
    const groups = new Map(this.#log.groups.map((group) => [group.id, group]));
    for (const id of this.#saved.keys()) {
      if (groups.has(id)) continue;
      this.#saved.delete(id);
      await vscode.workspace.fs.delete(fileOf(folder, id)).then(undefined, () => undefined);
    }
    for (const [id, group] of groups) {
      if (this.#saved.get(id) === group) continue;
      this.#saved.set(id, group);
      const json = JSON.stringify(storedDecisions(group.files));
      if (json.length <= maxChars) await writeWhole(fileOf(folder, id), json);
    }
  }
}

const fileOf = (folder: vscode.Uri, id: number): vscode.Uri => vscode.Uri.joinPath(folder, `${id}.json`);

async function readJson(file: vscode.Uri): Promise<unknown> {
  try {
    return JSON.parse(Buffer.from(await vscode.workspace.fs.readFile(file)).toString("utf8"));
  } catch {
    return undefined;
  }
}
