/** Costs of all sessions, in one file per day (spec B2). Never throws: a cost that cannot be saved stops nothing. */
import { appendFileSync, closeSync, mkdirSync, openSync, readSync, statSync } from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import { parseJson } from "../base/json.ts";
import type { Ledger } from "../loop/storage.ts";

/** `at` is in milliseconds since 1970. */
const Spending = z.object({ usd: z.number().check(z.gte(0)), at: z.number() });

export class SpendingLedger implements Ledger {
  readonly #folder: string;
  readonly #onNote: (message: string) => void;
  #day = "";
  /** Sum of the first `#readBytes` bytes of the day's file. */
  #readUsd = 0;
  #readBytes = 0;
  /** Spent today, but not yet written. */
  #unwrittenUsd = 0;

  /** `onNote` receives a message when the file cannot be read or written. Then only this process knows the cost. */
  constructor(folder: string, onNote: (message: string) => void) {
    this.#folder = folder;
    this.#onNote = onNote;
  }

  today(): number {
    const file = this.#fileOfToday();
    try {
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      if (size > this.#readBytes) this.#readNewLines(file, size);
    } catch (error) {
      this.#onNote(`The cost of today's sessions could not be read: ${error}`);
    }
    return this.#readUsd + this.#unwrittenUsd;
  }

  add(usd: number): void {
    if (!(usd > 0)) return;
    const file = this.#fileOfToday();
    const line = JSON.stringify({ usd: usd + this.#unwrittenUsd, at: Date.now() });
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      // The first newline ends a line that a failed write or a crash cut off.
      appendFileSync(file, `\n${line}\n`, { mode: 0o600 });
      this.#unwrittenUsd = 0;
    } catch (error) {
      if (this.#unwrittenUsd === 0) this.#onNote(`The cost of sessions cannot be saved in ${file}: ${error}`);
      this.#unwrittenUsd += usd;
    }
  }

  #fileOfToday(): string {
    const now = new Date();
    const numbers = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
    const day = numbers.map((part) => String(part).padStart(2, "0")).join("-");
    if (this.#day !== day) {
      this.#day = day;
      this.#readUsd = 0;
      this.#readBytes = 0;
      this.#unwrittenUsd = 0;
    }
    return path.join(this.#folder, `${this.#day}.jsonl`);
  }

  /** Reads complete lines only: another process may still be writing the last one. */
  #readNewLines(path: string, size: number): void {
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(size - this.#readBytes);
      const length = readSync(file, bytes, 0, bytes.length, this.#readBytes);
      const end = bytes.subarray(0, length).lastIndexOf(10) + 1;
      for (const line of bytes.toString("utf8", 0, end).split("\n")) {
        // An incomplete line counts nothing.
        this.#readUsd += Spending.safeParse(parseJson(line)).data?.usd ?? 0;
      }
      this.#readBytes += end;
    } finally {
      closeSync(file);
    }
  }
}
