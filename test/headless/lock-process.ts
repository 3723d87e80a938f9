/** A process that takes and releases the lock of a record, as the lines of its standard input tell it to. */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { HeldLock } from "../../src/loop/storage.ts";
import { RecordLock } from "../../src/record/session-lock.ts";
import { Transcript } from "../../src/record/transcript.ts";

const [record = "", alive = "alive"] = process.argv.slice(2);
const transcript = new Transcript(record, (error) => say({ error: error.message }));
const lock = new RecordLock(transcript, {
  sessionID: "ses_1",
  lockTimeoutMs: Number(process.env["LOCK_TIMEOUT"] ?? 900_000),
  isAlive: async () => alive === "alive",
});
const never = new AbortController().signal;
let held: HeldLock | undefined;

function say(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

async function take(timeout: number): Promise<void> {
  try {
    held = await lock.acquire("run_1", timeout, never);
    held.lost.addEventListener("abort", () => say({ lost: true }));
    say({ taken: true, caughtUp: held.caughtUp.length });
  } catch (error) {
    say({ error: error instanceof Error ? error.message : String(error) });
  }
}

/** Takes the lock many times, and marks the beginning and the end of each time. */
async function race(times: number, marks: string): Promise<void> {
  for (let time = 0; time < times; time++) {
    const { release } = await lock.acquire(`run_${process.pid}_${time}`, 30_000, never);
    appendFileSync(marks, `begin ${process.pid}\n`);
    if (time % 3 === 0) await sleep(1);
    appendFileSync(marks, `end ${process.pid}\n`);
    release();
    await sleep(20 * Math.random());
  }
  say({ raced: true });
}

say({ ready: true });
for await (const line of createInterface({ input: process.stdin })) {
  const [order = "", ...words] = line.split(" ");
  if (order === "take") void take(Number(words[0]));
  if (order === "race") void race(Number(words[0]), words[1] ?? "");
  if (order === "release") held?.release();
  if (order === "title") {
    const session = { id: "ses_1", createdAt: 1, title: words.join(" "), cwd: "/" };
    transcript.append({ type: "session", session });
    try {
      transcript.flush();
      say({ written: true });
    } catch (error) {
      say({ error: String(error) });
    }
  }
  if (order === "block") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(words[0]));
  if (order === "exit") process.exit();
  if (order === "holder") say({ holder: lock.holder()?.pid ?? 0 });
}
