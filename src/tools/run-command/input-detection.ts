/** Detects that a command waits for input. */
import { openFile, type ProcessInfo, readProc } from "./process-table.ts";

const asking = [
  /[[(]\s*y(es)?(\s*\/\s*no?\b[^\])\n]{0,40})?[\])]\s*[:?]?\s*$/i,
  /\b(password|passphrase|passcode|pin|user ?name|login)\b[^\n]{0,200}:\s*$/i,
  /\bpress\b.{0,40}\b(key|enter|return)\b/i,
  /[?:›❯]\s*$/,
];

export function looksLikePrompt(line: string): boolean {
  return asking.some((pattern) => pattern.test(line));
}

/** Whether a process reads from a terminal, or sleeps at one after a prompt. Standard input is empty. */
export function isWaiting(members: readonly ProcessInfo[], lastLine: string): boolean {
  const asks = looksLikePrompt(lastLine);
  return members.some(({ pid, isAsleep, hasTerminal }) => {
    if (!isAsleep) return false;
    if (process.platform !== "linux") return asks && hasTerminal;
    return readsTerminal(pid) || (asks && isTerminal(pid, 0));
  });
}

/** Numbers of the system call `read`, by processor architecture. */
const readCalls: Readonly<Record<string, string>> = { x64: "0", arm64: "63", arm: "3", ppc64: "3", s390x: "3" };

function readsTerminal(pid: number): boolean {
  const [call, from] = readProc(pid, "syscall").split(" ");
  return call !== undefined && call === readCalls[process.arch] && isTerminal(pid, Number(from));
}

function isTerminal(pid: number, descriptor: number): boolean {
  return /^\/dev\/(pts\/\d+|tty\w*|console)$/.test(openFile(pid, descriptor));
}
