/** Finds and terminates all processes that a command started. */
import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { withoutKeys } from "../../base/node/without-keys.ts";
import { commandLine, openFile, type ProcessInfo, processInfo, processTable, readProc } from "./process-table.ts";

/** An environment variable by which a command's processes are found even outside of its process group. */
export const markVariable = "RONDO_COMMAND";

const graceMs = 200;
/** Maximum time for processes that go on to end or start after the root has ended. */
const longestGraceMs = 2000;
const pollIntervalMs = 20;
/** Time after which processes that cannot be killed are given up. */
const killTimeoutMs = 3_000;

export interface ProcessTree {
  /** The root process; its group and its session have the same id. */
  pid: number;
  /**
   * Whether the root process is terminated, too; spared because it is the user's shell; gone, so that its id may belong
   * to another process by now; or the sandbox of the command, which ends with the command, and whose early end would
   * leave the command no time to clean up.
   */
  root: "ended" | "spared" | "sandbox" | "gone";
  mark: string;
  /** Start time in clock ticks, 0 if unknown; older processes do not belong to it. */
  startedAt: number;
  /** The system's name of its output pipe; empty if unknown. */
  output: string;
  /** Start times by pid of processes that existed before and do not belong to it. */
  older: Map<number, string>;
  /** Start times by pid of members seen so far, to recognize them after their parents have ended. */
  seen: Map<number, string>;
}

/** Must be called as soon as the process has been started. */
export function treeOf(pid: number, mark: string, output = "", root: "ended" | "sandbox" = "ended"): ProcessTree {
  const born = process.platform === "linux" ? processInfo(pid)?.born : undefined;
  const seen = new Map(born === undefined ? [] : [[pid, born]]);
  return { pid, root, mark, startedAt: Number(born ?? 0), output, older: new Map(), seen };
}

export async function treeIn(shell: number, mark: string): Promise<ProcessTree> {
  const tree: ProcessTree = { ...treeOf(shell, mark), root: "spared", startedAt: 0 };
  for (const { pid, born } of await membersOf(tree)) tree.older.set(pid, born);
  tree.seen.clear();
  return tree;
}

export async function isAtPrompt(shell: number): Promise<boolean> {
  const row = (await processTable()).find(({ pid }) => pid === shell);
  return row ? row.foreground === row.group : process.platform === "win32";
}

export async function membersOf(tree: ProcessTree): Promise<ProcessInfo[]> {
  const rows = (await processTable()).filter(({ pid, born }) => {
    if (pid === tree.pid && tree.root === "spared") return false;
    return tree.older.get(pid) !== born && (tree.startedAt === 0 || Number(born) >= tree.startedAt);
  });
  const found = new Set(rows.filter((row) => belongsTo(row, tree)));
  // Children are appended during the iteration, so their children are found, too.
  for (const { pid } of found) for (const row of rows) if (row.parent === pid) found.add(row);
  for (const { pid, born } of found) tree.seen.set(pid, born);
  return [...found];
}

function belongsTo({ pid, parent, group, session, born }: ProcessInfo, tree: ProcessTree): boolean {
  // The processes of a shell's prompt stay in its group; a command has a group of its own.
  const isOfShell = tree.root === "spared" && group === tree.pid;
  if (tree.root !== "gone" && !isOfShell && [pid, parent, group, session].includes(tree.pid)) return true;
  if (tree.seen.get(pid) === born) return true;
  if (process.platform !== "linux") return false;
  // A process that left the group and cleared its environment usually still has the output open.
  const holdsOutput = tree.output !== "" && [1, 2].some((number) => openFile(pid, number) === tree.output);
  return holdsOutput || readProc(pid, "environ").includes(`${markVariable}=${tree.mark}`);
}

/**
 * Returns the command lines of processes that do not end soon after the root has. While some end or start, others are
 * about to end: on a busy machine that takes longer.
 */
export async function leftBehind(tree: ProcessTree): Promise<string[]> {
  const latest = Date.now() + longestGraceMs;
  let members = await membersOf(tree);
  let deadline = Date.now() + graceMs;
  while (members.length > 0 && Date.now() < Math.min(deadline, latest)) {
    await sleep(pollIntervalMs);
    const known = pidsOf(members);
    members = await membersOf(tree);
    if (pidsOf(members) !== known) deadline = Date.now() + graceMs;
  }
  const lines = await Promise.all(members.map(({ pid }) => commandLine(pid)));
  return [...new Set(lines)];
}

const pidsOf = (members: readonly ProcessInfo[]): string => members.map(({ pid }) => pid).join();

/** Terminates the tree, first with SIGTERM, then with SIGKILL. Resolves when no process is left, or it gives up. */
export async function endTree(tree: ProcessTree): Promise<void> {
  if (process.platform === "win32") {
    if (tree.root === "ended" || tree.root === "sandbox") await endOnWindows(tree.pid);
    return;
  }
  // Record the members, because children cannot be found once their parents have ended.
  await membersOf(tree);
  if ((await signalAll(tree, "SIGTERM")).length === 0) return;
  const deadline = Date.now() + graceMs;
  while (Date.now() < deadline) {
    await sleep(pollIntervalMs);
    if ((await signalAll(tree, 0)).length === 0) return;
  }
  await killAll(tree);
}

/** Repeats until nothing is found, because processes may start others while they are killed. */
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

/** Signals the group, then members outside of it. @returns the living members that could be signalled */
async function signalAll(tree: ProcessTree, signal: NodeJS.Signals | 0): Promise<ProcessInfo[]> {
  const hasGroup = tree.root === "ended" || (tree.root === "sandbox" && signal === "SIGKILL");
  if (hasGroup) sendSignal(-tree.pid, signal);
  const members = await membersOf(tree);
  const isSpared = ({ pid, group }: ProcessInfo) =>
    tree.root !== "gone" && (hasGroup ? group === tree.pid : pid === tree.pid);
  return members.filter((member) => sendSignal(member.pid, isSpared(member) ? 0 : signal));
}

/** @returns false if the process is gone or another user's */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function endOnWindows(pid: number): Promise<void> {
  return new Promise((resolve) => {
    execFile("taskkill", ["/pid", String(pid), "/T", "/F"], { env: withoutKeys(), windowsHide: true }, () => resolve());
  });
}
