/** Ending what a command started, all of it. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** ms that processes have to end by themselves. */
const grace = 200;
/** ms between two looks at what is left. */
const interval = 20;
const rounds = 20;

/** A variable in the environment of all that a command starts, by which it is found even outside of its process group. */
export const markVariable = "RONDO_COMMAND";

export interface Tree {
  /** The first process; its group has the same number. */
  pid: number;
  /** Value of the marking variable. */
  mark: string;
  /** When it began, in the system's clock ticks; nothing older belongs to it. 0 where that is not known. */
  startedAt: number;
}

/** To be called as soon as the process has been started. */
export function treeOf(pid: number, mark: string): Tree {
  return { pid, mark, startedAt: statOf(pid)?.startedAt ?? 0 };
}

/** Ends all processes of the tree: politely, then for good. Resolves when none is left, or cannot be ended. */
export async function endTree(tree: Tree): Promise<void> {
  if (process.platform === "win32") return await endOnWindows(tree.pid);
  if (!signalAll(tree, "SIGTERM")) return;
  const deadline = Date.now() + grace;
  while (Date.now() < deadline) {
    await sleep(interval);
    if (!signalAll(tree, 0)) return;
  }
  // What is being killed may start more meanwhile, so look again until nothing is found.
  for (let round = 0; round < rounds; round++) {
    if (!signalAll(tree, "SIGKILL")) return;
    await sleep(interval);
  }
}

/** First the group: what leaves it meanwhile is then found outside of it. @returns whether there was anything alive */
function signalAll(tree: Tree, signal: NodeJS.Signals | 0): boolean {
  const isGroupThere = send(-tree.pid, signal);
  // Elsewhere there is no way to find what has left the group.
  if (process.platform !== "linux") return isGroupThere;
  const left = findLiving(tree);
  for (const { pid, group } of left) if (group !== tree.pid) send(pid, signal);
  return left.length > 0;
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

interface Stat {
  pid: number;
  group: number;
  isZombie: boolean;
  startedAt: number;
}

/** By group or by mark. Synchronous, for reading `/proc` never waits, and in the thread pool takes many times as long. */
function findLiving({ pid, mark, startedAt }: Tree): Stat[] {
  const marked = `${markVariable}=${mark}`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat !== undefined)
    .filter((stat) => !stat.isZombie && stat.startedAt >= startedAt)
    .filter((stat) => stat.group === pid || readProc(stat.pid, "environ").includes(marked));
}

/** After the name, which is in parentheses and may hold any character: state, parent, group, …, the start as the 20th. */
function statOf(pid: number): Stat | undefined {
  const stat = readProc(pid, "stat");
  const [state, , group, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === undefined || group === undefined) return undefined;
  return { pid, group: Number(group), isZombie: state === "Z" || state === "X", startedAt: Number(rest[16]) };
}

/** Empty for a process that is gone, or another user's. */
function readProc(pid: number, name: "stat" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}

function endOnWindows(pid: number): Promise<void> {
  return new Promise((resolve) => {
    execFile("taskkill", ["/pid", String(pid), "/T", "/F"], { windowsHide: true }, () => resolve());
  });
}
