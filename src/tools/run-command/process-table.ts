/** Lists processes: from `/proc` on Linux, from `ps` elsewhere; none on Windows. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { withoutKeys } from "../../base/node/without-keys.ts";

export interface ProcessInfo {
  pid: number;
  parent: number;
  group: number;
  /** 0 if unknown. */
  session: number;
  /** Its start time as the system writes it; with the pid it identifies a process. */
  born: string;
  isAsleep: boolean;
  /** The foreground process group of its terminal; -1 for none. */
  foreground: number;
  hasTerminal: boolean;
}

export async function processTable(): Promise<ProcessInfo[]> {
  if (process.platform === "linux") return readTable();
  return process.platform === "win32" ? [] : parseTable(await runPs(psArguments));
}

export async function commandLine(pid: number): Promise<string> {
  const line =
    process.platform === "linux"
      ? readProc(pid, "cmdline").replaceAll("\0", " ")
      : await runPs(["-o", "args=", "-p", String(pid)]);
  return line.trim() || `process ${pid}`;
}

/** Returns the program that a process runs, as its caller named it; empty on Windows, or if it is gone. */
export async function programOf(pid: number): Promise<string> {
  if (process.platform === "win32") return "";
  if (process.platform === "linux") return readProc(pid, "cmdline").split("\0")[0] ?? "";
  return (await runPs(["-o", "comm=", "-p", String(pid)])).trim();
}

/** Reads `/proc/<pid>/<name>`; empty if the process is gone or another user's. */
export function readProc(pid: number, name: "stat" | "environ" | "cmdline" | "syscall"): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

/** Returns the target of a file descriptor; empty if unknown. */
export function openFile(pid: number, descriptor: number): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return "";
  }
}

export function processInfo(pid: number): ProcessInfo | undefined {
  const stat = readProc(pid, "stat");
  // After the name in parentheses: state, parent, group, session, terminal, foreground, …, start.
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

/** Synchronous: reading `/proc` never blocks, and the thread pool would take many times as long. */
function readTable(): ProcessInfo[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => processInfo(Number(pid))).filter((row) => row !== undefined);
}

/** Lists all processes without a header. One option per column, because on macOS text after `=` is a header. */
export const psArguments = [
  "-ax",
  ...["pid", "ppid", "pgid", "tpgid", "stat", "tty", "lstart"].flatMap((name) => ["-o", `${name}=`]),
];

/** Parses the output of `ps` with `psArguments`. Pure. */
export function parseTable(text: string): ProcessInfo[] {
  const lines = text.matchAll(/^ *(\d+) +(\d+) +(\d+) +(-?\d+) +(\S+) +(\S+) +(\S.*)$/gm);
  return [...lines]
    .filter(([, , , , , state = ""]) => !state.startsWith("Z"))
    .map(([, pid, parent, group, foreground, state = "", terminal = "", born = ""]) => ({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: 0,
      born: born.trimEnd(),
      isAsleep: /^[SI]/.test(state),
      foreground: Number(foreground),
      hasTerminal: !/^[?-]/.test(terminal),
    }));
}

function runPs(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile("ps", args, { env: { ...withoutKeys(), LC_ALL: "C" }, maxBuffer: 32e6 }, (_error, stdout) =>
      resolve(stdout),
    );
  });
}
