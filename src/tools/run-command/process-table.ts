/** The processes there are: from `/proc` on Linux, from `ps` elsewhere. On Windows none are seen. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface ProcessInfo {
  pid: number;
  parent: number;
  group: number;
  /** 0 where it is not known. */
  session: number;
  /** When it began, in a form of the system's: with the number it tells two processes apart. */
  born: string;
  isAsleep: boolean;
  /** The group that its terminal listens to; -1 where there is none. */
  foreground: number;
  /** Whether a terminal controls it. */
  hasTerminal: boolean;
}

/** All that live, zombies left out. */
export async function processTable(): Promise<ProcessInfo[]> {
  switch (process.platform) {
    case "linux":
      return readTable();
    case "win32":
      return [];
    default:
      return parseTable(await runPs(psArguments));
  }
}

/** Its command line. */
export async function commandLine(pid: number): Promise<string> {
  const line =
    process.platform === "linux"
      ? readProc(pid, "cmdline").replaceAll("\0", " ")
      : await runPs(["-o", "args=", "-p", String(pid)]);
  return line.trim() || `process ${pid}`;
}

/** `/proc/<pid>/<name>`; empty for a process that is gone, or another user's. */
export function readProc(pid: number, name: "stat" | "environ" | "cmdline" | "syscall"): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

/** What the process has open under this number; empty where that cannot be known. */
export function openFile(pid: number, descriptor: number): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return "";
  }
}

/** Undefined for one that is gone, or a zombie. */
export function processInfo(pid: number): ProcessInfo | undefined {
  const stat = readProc(pid, "stat");
  // The name, in parentheses, may hold any character. Behind it: state, parent, group, session, terminal, its foreground, …, start.
  const [state, parent, group, session, terminal, foreground, ...rest] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ");
  if (state === undefined || rest.length < 14 || /[ZXx]/.test(state)) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    born: rest[13] ?? "",
    isAsleep: state === "S",
    foreground: Number(foreground),
    hasTerminal: terminal !== "0",
  };
}

/** Synchronous, for reading `/proc` never waits, and in the thread pool takes many times as long. */
function readTable(): ProcessInfo[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => processInfo(Number(pid))).filter((row) => row !== undefined);
}

/** All processes, without a headline. An option each: on macOS, what follows a `=` is a headline up to the argument's end. */
export const psArguments = [
  "-ax",
  ...["pid", "ppid", "pgid", "tpgid", "stat", "tty", "lstart"].flatMap((name) => ["-o", `${name}=`]),
];

/** The answer of `ps` when asked with `psArguments`. Pure. */
export function parseTable(text: string): ProcessInfo[] {
  const lines = text.matchAll(/^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(\S+)\s+(\S+)\s+(\S.*\S)\s*$/gm);
  return [...lines]
    .map(([, pid, parent, group, foreground, state = "", terminal = "", born = ""]) => ({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: 0,
      born,
      isAsleep: /^[SI]/.test(state),
      foreground: Number(foreground),
      hasTerminal: !/^[?-]/.test(terminal),
      isZombie: state.startsWith("Z"),
    }))
    .filter(({ isZombie }) => !isZombie)
    .map(({ isZombie: _, ...row }) => row);
}

function runPs(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile("ps", args, { env: { ...process.env, LC_ALL: "C" }, maxBuffer: 32e6 }, (_error, stdout) =>
      resolve(stdout),
    );
  });
}
