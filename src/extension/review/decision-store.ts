/**
 * Keeps decisions on disk, so that the last ones can be taken back after a reload and in any window on the folder: a JSON
 * file for each group. All windows read and write them under one lock, so a decision is taken back once.
 */

import path from "node:path";
import type * as vscode from "vscode";
import { attempt } from "../../base/attempt.ts";
import {
  type DecidedFile,
  type DecisionGroup,
  DecisionLog,
  decisionsFrom,
  StoredDecisions,
  storedDecisions,
} from "../../review/decisions.ts";
import { SharedFolder, type SharedLock } from "./shared-folder.ts";

/** Groups whose texts are longer together are not kept beyond the window. */
const maxChars = 32 << 20;

export class DecisionStore {
  readonly #log = new DecisionLog();
  readonly #folder: SharedFolder | undefined;
  readonly #lock: SharedLock | undefined;
  /** What is on disk, by id. */
  readonly #stored = new Map<number, DecisionGroup>();

  /** `storage` is the extension's folder for this workspace. Without it nothing outlives the window. */
  constructor(storage: vscode.Uri | undefined, lock: SharedLock | undefined) {
    this.#folder = storage && new SharedFolder(path.join(storage.fsPath, "review-decisions"));
    this.#lock = lock;
  }

  push(files: readonly DecidedFile[]): void {
    this.#shared(() => this.#log.push(files));
  }

  pop(): readonly DecidedFile[] {
    return this.#shared(() => this.#log.pop());
  }

  /** Takes the file's last decision out of its group. */
  popFile(uri: string): readonly DecidedFile[] {
    return this.#shared(() => this.#log.popFile(uri));
  }

  #shared<T>(change: () => T): T {
    const [folder, lock] = [this.#folder, this.#lock];
    if (!folder || !lock) return change();
    return lock.run(() => {
      this.#read(folder);
      const result = change();
      // Without the lock another window might write the same file. The next decision writes this one, too.
      if (lock.isHeld) this.#write(folder);
      return result;
    });
  }

  /** Takes over what other windows have decided or taken back. */
  #read(folder: SharedFolder): void {
    const groups = new Map(this.#log.groups.map((group) => [group.id, group]));
    const left = new Set(this.#stored.keys());
    for (const name of folder.names()) {
      const id = Number.parseInt(name, 10);
      left.delete(id);
      const found = folder.changed(name);
      const stored = found.type === "fresh" ? StoredDecisions.safeParse(found.json).data : undefined;
      if (!stored || !(id > 0)) continue;
      const group = { id, files: decisionsFrom(stored) };
      this.#stored.set(id, group);
      groups.set(id, group);
    }
    for (const id of left) {
      this.#stored.delete(id);
      groups.delete(id);
    }
    this.#log.load([...groups.values()].sort((a, b) => a.id - b.id));
  }

  #write(folder: SharedFolder): void {
    const groups = new Map(this.#log.groups.map((group) => [group.id, group]));
    for (const id of [...this.#stored.keys()]) {
      if (groups.has(id)) continue;
      this.#stored.delete(id);
      folder.remove(nameOf(id));
    }
    for (const [id, group] of groups) {
      if (this.#stored.get(id) === group) continue;
      const stored = storedDecisions(group.files);
      if (charsOf(stored) > maxChars) continue;
      // What cannot be written can be taken back in this window.
      attempt(() => {
        folder.write(nameOf(id), stored);
        this.#stored.set(id, group);
      }, undefined);
    }
  }
}

const nameOf = (id: number): string => `${id}.json`;

const charsOf = ({ files }: StoredDecisions): number =>
  files.reduce((sum, { before, outcome }) => {
    return sum + before.base.length + before.text.length + outcome.base.length + outcome.text.length;
  }, 0);
