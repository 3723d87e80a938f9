/** What all sessions have cost, a file a day (spec B2). Never throws: money that cannot be noted must not stop the work. */
import { appendFileSync, closeSync, mkdirSync, openSync, readSync, statSync } from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import type { Ledger } from "../loop/storage.ts";

/** `at` is in ms since 1970. */
const Spending = z.object({ usd: z.number().check(z.gte(0)), at: z.number() });

export class SpendingLedger implements Ledger {
  readonly #folder: string;
  readonly #onNote: (message: string) => void;
  #day = "";
  /** USD of the day, up to the byte `#read` of its file. */
  #sum = 0;
  #read = 0;
  /** USD of the day that could not be written. */
  #unwritten = 0;

  /** `onNote` hears of it when spending cannot be kept; then only this process knows of it. */
  constructor(folder: string, onNote: (message: string) => void) {
    this.#folder = folder;
    this.#onNote = onNote;
  }

  today(): number {
    const file = this.#fileOfToday();
    try {
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      if (size > this.#read) this.#readOn(file, size);
    } catch (error) {
      this.#onNote(`What was spent today could not be read: ${error}`);
    }
    return this.#sum + this.#unwritten;
  }

  add(usd: number): void {
    if (!(usd > 0)) return;
    const file = this.#fileOfToday();
    // What failed may have left the beginning of a line.
    const newline = this.#unwritten > 0 ? "\n" : "";
    const line = JSON.stringify({ usd: usd + this.#unwritten, at: Date.now() });
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      appendFileSync(file, `${newline}${line}\n`, { mode: 0o600 });
      this.#unwritten = 0;
    } catch (error) {
      if (this.#unwritten === 0) this.#onNote(`What is spent cannot be kept in ${file}: ${error}`);
      this.#unwritten += usd;
    }
  }

  #fileOfToday(): string {
    const now = new Date();
    const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0"));
    if (this.#day !== day.join("-")) {
      this.#day = day.join("-");
      this.#sum = 0;
      this.#read = 0;
      this.#unwritten = 0;
    }
    return path.join(this.#folder, `${this.#day}.jsonl`);
  }

  /** Whole lines only: the last one may be being written. */
  #readOn(path: string, size: number): void {
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(size - this.#read);
      const length = readSync(file, bytes, 0, bytes.length, this.#read);
      const end = bytes.subarray(0, length).lastIndexOf(10) + 1;
      for (const line of bytes.toString("utf8", 0, end).split("\n")) this.#sum += usdOf(line);
      this.#read += end;
    } finally {
      closeSync(file);
    }
  }
}

/** 0 of a line that is torn. */
function usdOf(line: string): number {
  try {
    return Spending.safeParse(JSON.parse(line)).data?.usd ?? 0;
  } catch {
    return 0;
  }
}
