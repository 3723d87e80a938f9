/** Takes the keys out of this process's environment, where every program of the same user could read them. */

import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { isRecord, parseJson } from "../base/json.ts";
import { keysIn } from "../base/key-names.ts";
import { english, msg } from "../l10n/l10n.ts";

export interface TakenKeys {
  /** The environment with the keys, which is to be passed on as a value. */
  env: NodeJS.ProcessEnv;
  /** A sentence for the user where commands can still read the keys. */
  problem: string | undefined;
}

/** Tells a process that was started anew that its keys come through descriptor 3. */
const handedOver = "RONDO_KEYS_HANDED_OVER";

/**
 * Deleting a variable is not enough: the system shows the environment with which a process was started
 * (`/proc/<pid>/environ`, `ps e`). Linux lets a process overwrite it. Elsewhere the program is started anew in its place,
 * with the same id and terminal, so that signals and the exit code are its own.
 */
export async function takeKeys(): Promise<TakenKeys> {
  const env = { ...process.env, ...receiveKeys() };
  delete env[handedOver];
  const names = keysIn(env);
  const inherited = names.filter((name) => process.env[name] !== undefined);
  for (const name of names) delete process.env[name];
  // Windows shows nobody the environment of a process without reading its memory.
  if (inherited.length === 0 || process.platform === "win32" || overwrite(inherited))
    return { env, problem: undefined };
  const why = await startAnew(Object.fromEntries(names.map((name) => [name, env[name]])));
  return {
    env,
    problem: msg("Commands can read {0} in the environment of this process: {1}.", inherited.join(", "), why),
  };
}

/** Returns false where the system does not allow it. */
function overwrite(names: readonly string[]): boolean {
  if (process.platform !== "linux") return false;
  try {
    const block = readFileSync("/proc/self/environ", "latin1");
    const stat = readFileSync("/proc/self/stat", "latin1");
    // Field 50, env_start; the second field, the name, may contain spaces and parentheses (man 5 proc).
    const start = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[47]);
    const memory = openSync("/proc/self/mem", "r+");
    try {
      for (const { index, length } of entriesOf(block, names)) {
        writeSync(memory, Buffer.alloc(length), 0, length, start + index);
      }
    } finally {
      closeSync(memory);
    }
    return entriesOf(readFileSync("/proc/self/environ", "latin1"), names).length === 0;
  } catch {
    return false;
  }
}

/** Returns the places of `NAME=value` in a block of entries that end with NUL. */
function entriesOf(block: string, names: readonly string[]): { index: number; length: number }[] {
  let index = 0;
  return block.split("\0").flatMap((entry) => {
    const place = { index, length: entry.length };
    index += entry.length + 1;
    return names.some((name) => entry.startsWith(`${name}=`)) ? [place] : [];
  });
}

/** Replaces this process; returns only if that fails, with the reason. */
async function startAnew(keys: NodeJS.ProcessEnv): Promise<string> {
  if (!process.execve) return msg("Node {0} cannot replace a process, 22.15 can", process.version);
  const { spawnSync } = await import("node:child_process");
  const folder = mkdtempSync(path.join(os.tmpdir(), "rondo-"));
  const pipe = path.join(folder, "keys");
  try {
    const made = spawnSync("mkfifo", ["-m", "600", pipe]);
    if (made.status !== 0) return msg("there are no named pipes");
    // It waits for the reader in the background. Descriptor 0 would be /dev/null there.
    const write = english('exec 3<&0; cat <&3 >"$0" &');
    const writer = spawnSync("/bin/sh", ["-c", write, pipe], {
      input: JSON.stringify(keys),
      stdio: ["pipe", "ignore", "ignore"],
    });
    if (writer.status !== 0) return msg("the keys could not be written to a pipe");
    const read = english('exec 3<"$0"; rm -r "$1"; shift; exec "$@"');
    const program = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
    return process.execve("/bin/sh", ["sh", "-c", read, pipe, folder, ...program], {
      ...process.env,
      [handedOver]: "1",
    });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    return error instanceof Error ? error.message : String(error);
  }
}

function receiveKeys(): NodeJS.ProcessEnv {
  if (process.env[handedOver] !== "1") return {};
  delete process.env[handedOver];
  try {
    const keys = parseJson(readFileSync(3, "utf8"));
    closeSync(3);
    const texts = Object.entries(isRecord(keys) ? keys : {});
    return Object.fromEntries(texts.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));
  } catch {
    // Somebody else has set the variable.
    return {};
  }
}
