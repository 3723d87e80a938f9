/** Stores long outputs in files of one folder (T9). */
import { closeSync, mkdirSync, openSync, realpathSync, writeSync } from "node:fs";
import path from "node:path";
import { isWithin } from "../file-access/requirements.ts";
import type { Overflow, OverflowFile } from "../host.ts";

/** Keeps an endless output from filling the disk. */
const maxFileCharacters = 256_000_000;

/** `folder` is created on first use. */
export function nodeOverflow(folder: string): Overflow {
  return {
    async keep(callID, text) {
      const file = new KeptFile(folder, callID);
      file.append(text);
      file.close();
      return file.path;
    },
    open: (callID) => new KeptFile(folder, callID),
    pathOf: (callID) => pathIn(folder, callID),
    holds(name) {
      try {
        return isWithin(name, realpathSync(folder));
      } catch {
        return false;
      }
    },
  };
}

const pathIn = (folder: string, callID: string): string =>
  path.join(folder, `${callID.replace(/[^\w-]/g, "_").slice(0, 100)}.txt`);

/** Writes synchronously, so that output cannot pile up in memory if the disk is slow. */
class KeptFile implements OverflowFile {
  readonly path: string;
  #file: number | undefined;
  #characters = 0;
  #isWhole = true;

  constructor(folder: string, callID: string) {
    this.path = pathIn(folder, callID);
    try {
      mkdirSync(folder, { recursive: true });
      this.#file = openSync(this.path, "w", 0o600);
    } catch {
      this.#isWhole = false;
    }
  }

  append(text: string): void {
    this.#characters += text.length;
    if (this.#characters > maxFileCharacters) this.#isWhole = false;
    if (!this.#isWhole || this.#file === undefined) return;
    try {
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
    } catch {
      this.#isWhole = false;
    }
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
