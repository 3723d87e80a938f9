/** Runs commands as child processes, each in its own process group (T10, L11). */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync } from "node:fs";
import { withoutKeys } from "../../base/node/without-keys.ts";
import type { CommandEnd, SandboxMode, ShellCommand, Terminal } from "../host.ts";
import { commandEnvironment } from "../run-command/command-environment.ts";
import { type CommandMarkers, noCommandMarkers } from "../run-command/command-markers.ts";
import { decodeConsole, decodeUtf8, type OutputDecoder } from "../run-command/decode-output.ts";
import { closePipe, type OutputPipe, openPipe, PipeReader } from "../run-command/output-pipe.ts";
import { endTree, leftBehind, treeOf } from "../run-command/process-tree.ts";
import { findShell, invocation, shellName } from "../run-command/shells.ts";
import { CommandWatch, defaultSilenceMs } from "../run-command/watch-command.ts";
import { Sandbox, SandboxError, type SandboxedInvocation } from "../sandbox/sandbox.ts";

interface TerminalOptions {
  /** The shell's path from the settings; "" for the default. */
  shell(): string;
  /** Time without output after which a command is checked for waiting for input. */
  silenceMs: number;
  /** Returns variables that the user lets through to commands. */
  passed(): NodeJS.ProcessEnv;
  sandbox(): SandboxMode;
  /** Folders in which commands in the sandbox may write. */
  folders(): readonly string[];
  /** Folders in which Rondo keeps its own state. Commands in the sandbox may not write there, either. */
  state: readonly string[];
  markers: CommandMarkers;
}

export function nodeTerminal({
  shell = () => "",
  silenceMs = defaultSilenceMs,
  passed = () => ({}),
  sandbox: mode = () => "off",
  folders = () => [],
  state = [],
  markers = noCommandMarkers,
}: Partial<TerminalOptions> = {}): Terminal {
  const usual = findShell("");
  const program = () => shell() || usual;
  const sandbox = new Sandbox(mode, folders, state);
  return {
    get shell() {
      return shellName(program());
    },
    get sandbox() {
      return sandbox.current;
    },
    async run(command) {
      const mark = randomBytes(12).toString("hex");
      let start: SandboxedInvocation;
      try {
        start = await startOf(program(), command, commandEnvironment(mark, passed()), sandbox);
      } catch (error) {
        if (error instanceof SandboxError) return { type: "failed", message: error.message };
        throw error;
      }
      try {
        return await runCommand(start, command, mark, { silenceMs, markers });
      } finally {
        start.done();
      }
    },
  };
}

/** @throws SandboxError */
async function startOf(program: string, command: ShellCommand, env: NodeJS.ProcessEnv, sandbox: Sandbox) {
  const shell = invocation(program, command.command);
  const current = command.outsideSandbox ? undefined : sandbox.current;
  return current
    ? await sandbox.wrap(current.mode, { shell, cwd: command.cwd, env })
    : { ...shell, env, root: "ended" as const, done() {} };
}

async function runCommand(
  start: SandboxedInvocation,
  command: ShellCommand,
  mark: string,
  { silenceMs, markers }: Pick<TerminalOptions, "silenceMs" | "markers">,
): Promise<CommandEnd> {
  const { signal, onOutput, onWaiting } = command;
  const decode = await chooseDecoder();
  const pipe = await openPipe();
  if (signal.aborted) {
    closePipe(pipe);
    return { type: "aborted" };
  }
  let child: ChildProcess;
  try {
    child = startShell(start, command.cwd, pipe);
  } catch (error) {
    closePipe(pipe);
    return { type: "failed", message: startError(error, command) };
  }
  const output = pipe && `${pipe.name} (deleted)`;
  const tree = child.pid === undefined ? undefined : treeOf(child.pid, mark, output, start.root);
  if (pipe) closeSync(pipe.write);
  const marker = tree && markers.add(tree, command.command);
  const isForUser = async () => false;
  const onLook = () => marker?.update();
  const watch = tree && new CommandWatch(tree, { silenceMs, onWaiting, isForUser, onLook });
  const reader = new PipeReader(child, pipe, decode, (text) => {
    watch?.wrote(text);
    onOutput(text);
  });
  const end = await waitForEnd(child, command);
  watch?.stop();
  const left = tree && end.type === "exit" ? await leftBehind(tree) : undefined;
  if (tree && left?.length !== 0) await endTree(tree);
  marker?.remove();
  await reader.drained();
  return end.type === "exit" ? { ...end, left: left ?? [] } : end;
}

function startShell({ file, args, verbatim, env }: SandboxedInvocation, cwd: string, pipe: OutputPipe | undefined) {
  const stream = pipe?.write ?? "pipe";
  return spawn(file, args, {
    cwd,
    env,
    stdio: ["ignore", stream, stream],
    detached: process.platform !== "win32",
    windowsHide: true,
    windowsVerbatimArguments: verbatim,
  });
}

function waitForEnd(child: ChildProcess, command: ShellCommand): Promise<CommandEnd> {
  const { signal } = command;
  return new Promise((resolve) => {
    const abort = () => settle({ type: "aborted" });
    const settle = (end: CommandEnd) => {
      signal.removeEventListener("abort", abort);
      resolve(end);
    };
    child.on("error", (error) => settle({ type: "failed", message: startError(error, command) }));
    child.on("exit", (code, name) => {
      settle(code === null ? { type: "signal", signal: name ?? "a signal" } : { type: "exit", code, left: [] });
    });
    signal.addEventListener("abort", abort, { once: true });
  });
}

function startError(error: unknown, { cwd }: ShellCommand): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "E2BIG") return "it is too long. Write it into a script, and run that.";
  if (code === "ENOENT") return `the shell, or the folder ${cwd}, is not there.`;
  return error instanceof Error ? error.message : String(error);
}

let decodeHere: Promise<() => OutputDecoder> | undefined;

/** Returns UTF-8 decoders, or on Windows those of the console's code page. */
function chooseDecoder(): Promise<() => OutputDecoder> {
  if (process.platform !== "win32") return Promise.resolve(decodeUtf8);
  decodeHere ??= new Promise((resolve) => {
    execFile(
      process.env["ComSpec"] ?? "cmd.exe",
      ["/d", "/c", "chcp"],
      { env: withoutKeys(), windowsHide: true },
      (_error, stdout) => {
        const codePage = Number(/\d+/.exec(stdout)?.[0] ?? 65_001);
        resolve(() => decodeConsole(codePage));
      },
    );
  });
  return decodeHere;
}
