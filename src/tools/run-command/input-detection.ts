/** Detects that a command waits for input. */
import { execFile } from "node:child_process";
import { withoutKeys } from "../../base/node/without-keys.ts";
import { openFile, type ProcessInfo, readProc } from "./process-table.ts";

const asking = [
  /[[(]\s*y(es)?(\s*\/\s*no?\b[^\])\n]{0,40})?[\])]\s*(?:[:?]\s*)?$/i,
  /\b(password|passphrase|passcode|pin|user ?name|login)\b[^\n]{0,200}:\s*$/i,
  /\bpress\b.{0,40}\b(key|enter|return)\b/i,
  /[?:\u203a\u276f]\s*$/,
];

/** As `sudo`, `ssh`, `git`, `gpg` and others ask: "[sudo] password for ada: ", "Enter passphrase for key '…': ". */
const password = /\b(?:password|passphrase|passcode|pin|verification code|one-time code|otp)\b[^\n:]{0,200}:\s*$/i;

export function asksForPassword(line: string): boolean {
  return password.test(line);
}

/** Whether the terminal in which a process runs takes a line without showing it, as for a password in any language. */
export async function takesHiddenLine(pid: number): Promise<boolean> {
  const settings = await terminalSettings(pid);
  // A shell that edits its line itself has switched off both.
  return /(?:^|\s)-echo[\s;]/.test(settings) && /(?:^|\s)icanon[\s;]/.test(settings);
}

/** Whether a shell edits its line in its terminal, as it does only at its prompt. True if that cannot be known. */
export async function isEditingLine(shell: number): Promise<boolean> {
  const settings = await terminalSettings(shell);
  return settings === "" || /(?:^|\s)-icanon[\s;]/.test(settings);
}

/** Returns the settings of the terminal in which a process runs, as `stty` shows them; empty if unknown. */
async function terminalSettings(pid: number): Promise<string> {
  if (process.platform === "win32") return "";
  const terminal = process.platform === "linux" ? openFile(pid, 0) : `/dev/${await terminalOf(pid)}`;
  if (!/^\/dev\/(?:pts\/)?\w+$/.test(terminal)) return "";
  return await run("stty", [process.platform === "linux" ? "-F" : "-f", terminal, "-a"]);
}

const terminalOf = async (pid: number): Promise<string> => (await run("ps", ["-o", "tty=", "-p", String(pid)])).trim();

function run(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, { env: { ...withoutKeys(), LC_ALL: "C" }, timeout: 2_000 }, (_error, stdout) =>
      resolve(stdout),
    );
  });
}

export function looksLikePrompt(line: string): boolean {
  return asking.some((pattern) => pattern.test(line));
}

/** Whether a process reads from a terminal, or sleeps at one after a prompt. Standard input is empty. */
export function isWaiting(members: readonly ProcessInfo[], lastLine: string): boolean {
  const asks = looksLikePrompt(lastLine);
  return members.some(({ pid, isAsleep, hasTerminal }) => {
    if (!isAsleep) return false;
    if (process.platform !== "linux") return asks && hasTerminal;
    // Programs with other rights, such as sudo, and those that hide their memory, such as ssh, cannot be looked at.
    const isHidden = readProc(pid, "syscall") === "";
    return readsTerminal(pid) || (asks && (isTerminal(pid, 0) || (isHidden && hasTerminal)));
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
