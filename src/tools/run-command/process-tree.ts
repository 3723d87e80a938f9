/** What a command started, all of it, and ending it. */
import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { commandLine, openFile, type ProcessInfo, processInfo, processTable, readProc } from "./process-table.ts";

/** A variable in the environment of all that a command starts, by which it is found even outside of its process group. */
export const markVariable = "RONDO_COMMAND";

/** ms that processes have to end by themselves. */
const graceMs = 200;
/** ms between two looks at what is left. */
const pollIntervalMs = 20;
/** ms after which what will not die is given up. */
const killTimeoutMs = 3_000;

export interface ProcessTree {
  /** The first process; its group and its session have the same number. */
  pid: number;
  /** Whether the first process belongs to it, or, as a shell of the user's, is spared. */
  root: "ended" | "spared";
  /** Value of the marking variable. */
  mark: string;
  /** When it began, in the system's clock ticks; nothing older belongs to it. 0 where that is not known. */
  startedAt: number;
  /** Where its output goes, as the system names it; empty where that is not known. */
  output: string;
  /** When the processes began that were there before it, by their numbers: they do not belong to it. */
  older: Map<number, string>;
  /** When the processes began that have been seen in it, by their numbers: where their parents are gone, too, they are known again. */
  seen: Map<number, string>;
}

/** To be called as soon as the process has been started. */
export function treeOf(pid: number, mark: string, output = ""): ProcessTree {
  const born = process.platform === "linux" ? processInfo(pid)?.born : undefined;
  return { pid, root: "ended", mark, startedAt: Number(born ?? 0), output, older: new Map(), seen: new Map() };
}

/** What runs from now on in a shell that lives on: what is marked, and all that is new in its session. */
export async function treeIn(shell: number, mark: string): Promise<ProcessTree> {
  const tree: ProcessTree = {
    pid: shell,
    root: "spared",
    mark,
    startedAt: 0,
    output: "",
    older: new Map(),
    seen: new Map(),
  };
  for (const { pid, born } of await membersOf(tree)) tree.older.set(pid, born);
  tree.seen.clear();
  return tree;
}

/** Whether a shell waits for its next command. */
export async function isAtPrompt(shell: number): Promise<boolean> {
  const row = (await processTable()).find(({ pid }) => pid === shell);
  return row ? row.foreground === row.group : process.platform === "win32";
}

/** Those that live, by group, session, descent or mark. */
export async function membersOf(tree: ProcessTree): Promise<ProcessInfo[]> {
  const rows = (await processTable()).filter(({ pid, born }) => {
    if (pid === tree.pid) return tree.root === "ended";
    return tree.older.get(pid) !== born && (tree.startedAt === 0 || Number(born) >= tree.startedAt);
  });
  const found = new Set(rows.filter((row) => belongsTo(row, tree)));
  // Children are added behind their parents, and so get their turn.
  for (const { pid } of found) for (const row of rows) if (row.parent === pid) found.add(row);
  for (const { pid, born } of found) tree.seen.set(pid, born);
  return [...found];
}

function belongsTo({ pid, parent, group, session, born }: ProcessInfo, tree: ProcessTree): boolean {
  if ([pid, parent, group, session].includes(tree.pid)) return true;
  if (tree.seen.get(pid) === born) return true;
  if (process.platform !== "linux") return false;
  // Who has left the group and emptied the environment mostly still holds the output.
  const holdsOutput = tree.output !== "" && [1, 2].some((number) => openFile(pid, number) === tree.output);
  return holdsOutput || readProc(pid, "environ").includes(`${markVariable}=${tree.mark}`);
}

/**
 * What its first process has left running when it ended, as command lines; what is just about to end is waited for. Where
 * there is nothing, there is nothing to be ended.
 */
export async function leftBehind(tree: ProcessTree): Promise<string[]> {
  const deadline = Date.now() + graceMs;
  let members = await membersOf(tree);
  while (members.length > 0 && Date.now() < deadline) {
    await sleep(pollIntervalMs);
    members = await membersOf(tree);
  }
  const lines = await Promise.all(members.map(({ pid }) => commandLine(pid)));
  return [...new Set(lines)];
}

/** Ends all processes of the tree: politely, then for good. Resolves when none is left, or cannot be ended. */
export async function endTree(tree: ProcessTree): Promise<void> {
  if (process.platform === "win32") {
    if (tree.root === "ended") await endOnWindows(tree.pid);
    return;
  }
  // Once parents are gone, their children are only known if they have been seen.
  await membersOf(tree);
  if ((await signalAll(tree, "SIGTERM")).length === 0) return;
  const deadline = Date.now() + graceMs;
  while (Date.now() < deadline) {
    await sleep(pollIntervalMs);
    if ((await signalAll(tree, 0)).length === 0) return;
  }
  await killAll(tree);
}

/** What is being killed may start more meanwhile, so it looks again until nothing is found, at once while there are new ones. */
async function killAll(tree: ProcessTree): Promise<void> {
  const deadline = Date.now() + killTimeoutMs;
  const killed = new Set<number>();
  while (Date.now() < deadline) {
    const found = await signalAll(tree, "SIGKILL");
    if (found.length === 0) return;
    const isNew = found.some(({ pid }) => !killed.has(pid));
    for (const { pid } of found) killed.add(pid);
    await sleep(isNew ? 0 : pollIntervalMs);
  }
}

/** First the group: what leaves it meanwhile is then found outside of it. @returns those alive that may be signalled */
async function signalAll(tree: ProcessTree, signal: NodeJS.Signals | 0): Promise<ProcessInfo[]> {
  const hasGroup = tree.root === "ended";
  if (hasGroup) sendSignal(-tree.pid, signal);
  const members = await membersOf(tree);
  return members.filter(({ pid, group }) => sendSignal(pid, hasGroup && group === tree.pid ? 0 : signal));
}

/** @returns false for what is gone, and for what another user runs */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function endOnWindows(pid: number): Promise<void> {
  return new Promise((resolve) => {
    execFile("taskkill", ["/pid", String(pid), "/T", "/F"], { windowsHide: true }, () => resolve());
  });
}
