/**
 * A process with its own steps and restores: `child.ts STORE FOLDER SESSION FILE ROUNDS [TURN]`. Processes with the same
 * file TURN take turns, as the lock of a session makes them (Q1).
 */
import { closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openCheckpoints } from "../../src/checkpoints/session-checkpoints.ts";

const [store = "", folder = "", sessionID = "", name = "", rounds = "", turn] = process.argv.slice(2);
const { signal } = new AbortController();
const file = path.join(folder, name);
const checkpoints = openCheckpoints({
  ...{ folder: store, sessionID, log: console.error },
  roots: () => [folder],
  limitBytes: () => 1e9,
});

let first = "";
for (let round = 0; round < Number(rounds); round++) {
  await takeTurn();
  await step(round);
  if (turn !== undefined) rmSync(turn);
}
await checkpoints.close();
process.exit();

async function takeTurn(): Promise<void> {
  while (turn !== undefined) {
    try {
      return closeSync(openSync(turn, "wx"));
    } catch {
      await sleep(2);
    }
  }
}

async function step(round: number): Promise<void> {
  const begun = checkpoints.begin();
  const isNamed = round % 2 === 0;
  await checkpoints.ready(isNamed ? [file] : "unknown", signal);
  if (first === "") {
    first = begun;
    writeFileSync(path.join(folder, "..", `first-${name}`), first);
    process.send?.("begun");
  }
  writeFileSync(file, `${`${round} `.repeat(1000)}\n`);
  await checkpoints.end();
  if (round % 3 !== 0) return;
  const { files } = await checkpoints.preview(first, signal);
  await checkpoints.restore(
    first,
    files.map(({ path }) => path).filter((path) => path === name),
    signal,
  );
  await checkpoints.undo(signal);
}
