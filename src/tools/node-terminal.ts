/** Commands as child processes with a process group of their own (T10, L11). */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, constants, existsSync, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import os from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import type { Command, CommandEnd, Terminal } from "./host.ts";
import { endTree, markVariable, treeOf } from "./node-processes.ts";

/** ms without output after which a pipe that something still holds open is given up. */
const drainTime = 300;

export function nodeTerminal(): Terminal {
  const program = findShell();
  return { shell: path.basename(program, ".exe"), run: (command) => runCommand(program, command) };
}

function findShell(): string {
  if (process.platform === "win32") return "powershell.exe";
  const own = process.env["SHELL"];
  if (own !== undefined && /\/(bash|zsh)$/.test(own) && existsSync(own)) return own;
  return ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"].find((name) => existsSync(name)) ?? "/bin/sh";
}

async function runCommand(program: string, command: Command): Promise<CommandEnd> {
  const { signal, onOutput } = command;
  if (signal.aborted) return { type: "aborted" };
  const mark = randomBytes(12).toString("hex");
  const pipe = await openPipe();
  const started = start(program, command, mark, pipe);
  const tree = started.pid === undefined ? undefined : treeOf(started.pid, mark);
  if (pipe) closeSync(pipe.write);
  const output = new Output(started, pipe, onOutput);
  const ended = new Promise<CommandEnd>((resolve) => {
    started.on("error", (error) => resolve({ type: "failed", message: error.message }));
    started.on("exit", (code, name) => {
      resolve(code === null ? { type: "signal", signal: name ?? "a signal" } : { type: "exit", code });
    });
  });
  let timer: NodeJS.Timeout | undefined;
  let abort = () => {};
  const stopped = new Promise<CommandEnd>((resolve) => {
    timer = setTimeout(() => resolve({ type: "timeout" }), command.timeout);
    abort = () => resolve({ type: "aborted" });
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
  });
  const end = await Promise.race([ended, stopped]);
  clearTimeout(timer);
  signal.removeEventListener("abort", abort);
  if (tree) await endTree(tree);
  await output.drained();
  return end;
}

interface Pipe {
  read: number;
  write: number;
}

/**
 * One pipe for both streams keeps their order, and programs can open `/dev/stderr`; Node's own are sockets, which cannot
 * be opened. Undefined where there are no such pipes.
 */
async function openPipe(): Promise<Pipe | undefined> {
  if (process.platform === "win32") return undefined;
  const name = path.join(os.tmpdir(), `rondo-${randomBytes(8).toString("hex")}`);
  try {
    await new Promise<void>((resolve, reject) => {
      execFile("mkfifo", ["-m", "600", name], (error) => (error ? reject(error) : resolve()));
    });
    const read = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
    return { read, write: openSync(name, constants.O_WRONLY) };
  } catch {
    return undefined;
  } finally {
    rmSync(name, { force: true });
  }
}

function start(program: string, { command, cwd }: Command, mark: string, pipe: Pipe | undefined): ChildProcess {
  const isWindows = process.platform === "win32";
  const stream = pipe?.write ?? "pipe";
  return spawn(program, isWindows ? ["-NoProfile", "-NonInteractive", "-Command", command] : ["-c", command], {
    cwd,
    env: environment(mark),
    stdio: ["ignore", stream, stream],
    detached: !isWindows,
    windowsHide: true,
  });
}

/** Without keys, without what belongs to the editor's own process, and so that nothing waits for a person. */
function environment(mark: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(ANTHROPIC_API_KEY|OPENAI_API_KEY|ELECTRON_.*|VSCODE_.*)$/.test(name),
  );
  return {
    ...Object.fromEntries(inherited),
    [markVariable]: mark,
    TERM: "dumb",
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_EDITOR: "true",
    GIT_TERMINAL_PROMPT: "0",
  };
}

/** Reads what a command writes, until its pipe is closed by all that hold it. */
class Output {
  readonly #streams: readonly Readable[];
  readonly #closed: Promise<unknown>;
  #lastAt = Date.now();

  constructor(child: ChildProcess, pipe: Pipe | undefined, onOutput: (text: string) => void) {
    const own: (Readable | null)[] = pipe
      ? [new Socket({ fd: pipe.read, readable: true, writable: false })]
      : [child.stdout, child.stderr];
    this.#streams = own.filter((stream) => stream !== null);
    this.#closed = Promise.all(this.#streams.map((stream) => this.#read(stream, onOutput)));
  }

  #read(stream: Readable, onOutput: (text: string) => void): Promise<void> {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return new Promise((resolve) => {
      stream.on("data", (chunk: Buffer) => {
        this.#lastAt = Date.now();
        const text = decoder.decode(chunk, { stream: true });
        if (text !== "") onOutput(text);
      });
      stream.on("error", () => resolve());
      stream.on("close", () => {
        const rest = decoder.decode();
        if (rest !== "") onOutput(rest);
        resolve();
      });
    });
  }

  /** Resolves when all has been read, or when nothing has come for a while from what could not be ended. */
  async drained(): Promise<void> {
    this.#lastAt = Date.now();
    const timer = setInterval(() => {
      if (Date.now() - this.#lastAt < drainTime) return;
      for (const stream of this.#streams) stream.destroy();
    }, drainTime / 6);
    await this.#closed;
    clearInterval(timer);
  }
}
