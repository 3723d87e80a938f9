/** Runs a hook as a child process in its own process group. */

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import type { Readable } from "node:stream";
import { msg } from "../l10n/l10n.ts";
import { endTree, markVariable, treeOf } from "../tools/run-command/process-tree.ts";

interface HookProcess {
  command: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Text for its standard input. */
  input: string;
  timeoutMs: number;
  /** Aborting ends the hook and all processes that it started. */
  signal: AbortSignal;
}

type HookEnd =
  | { type: "exit"; code: number; stdout: string; stderr: string; isCut: boolean }
  | { type: "failed"; why: string }
  | { type: "timeout" }
  | { type: "aborted" };

/** Maximum number of bytes kept of each stream. The rest is read and discarded, so that the hook does not block. */
export const outputLimit = 64 * 1024;
/** Time that a stream may stay open after the hook has ended, because a process that it started holds it. */
const drainTimeoutMs = 200;

/**
 * Never rejects. Background processes of a hook that ends in time keep running: a sound, a server, a notification. At
 * the time limit and on abort, all its processes are terminated.
 */
export async function runProcess(hook: HookProcess): Promise<HookEnd> {
  const { signal } = hook;
  if (signal.aborted) return { type: "aborted" };
  const mark = randomBytes(12).toString("hex");
  let child: ChildProcess;
  try {
    child = start(hook, mark);
  } catch (error) {
    return { type: "failed", why: reasonOf(error) };
  }
  const tree = child.pid === undefined ? undefined : treeOf(child.pid, mark);
  const stdout = new Output(child.stdout);
  const stderr = new Output(child.stderr);
  // A hook may close its input without reading it.
  child.stdin?.on("error", () => {});
  child.stdin?.end(`${hook.input}\n`);
  const ended = new Promise<{ code: number } | { why: string }>((resolve) => {
    child.on("error", (error) => resolve({ why: reasonOf(error) }));
    child.on("exit", (code, name) =>
      resolve(code === null ? { why: msg("it was ended by {0}", name ?? "") } : { code }),
    );
  });
  let timer: NodeJS.Timeout | undefined;
  let abort = () => {};
  const stopped = new Promise<"timeout" | "aborted">((resolve) => {
    timer = setTimeout(() => resolve("timeout"), hook.timeoutMs);
    abort = () => resolve("aborted");
    signal.addEventListener("abort", abort, { once: true });
  });
  const end = await Promise.race([ended, stopped]);
  clearTimeout(timer);
  signal.removeEventListener("abort", abort);
  if (typeof end === "string") {
    if (tree) await endTree(tree);
    stdout.close();
    stderr.close();
    return { type: end };
  }
  await Promise.all([stdout.drained(), stderr.drained()]);
  child.stdin?.destroy();
  if ("why" in end) return { type: "failed", why: end.why };
  const isCut = stdout.isCut || stderr.isCut;
  return { type: "exit", code: end.code, stdout: stdout.text(), stderr: stderr.text(), isCut };
}

function start({ command, cwd, env }: HookProcess, mark: string): ChildProcess {
  return spawn(command, {
    // Many hooks need bash without saying so.
    shell: existsSync("/bin/bash") ? "/bin/bash" : true,
    cwd,
    env: { ...env, [markVariable]: mark },
    stdio: ["pipe", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Collects the beginning of a stream. */
class Output {
  isCut = false;
  readonly #stream: Readable | null;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  readonly #closed: Promise<void>;

  constructor(stream: Readable | null) {
    this.#stream = stream;
    stream?.on("data", (chunk: Buffer) => this.#take(chunk));
    stream?.on("error", () => {});
    this.#closed = new Promise((resolve) => (stream ? stream.on("close", resolve) : resolve()));
  }

  #take(chunk: Buffer): void {
    const kept = chunk.subarray(0, outputLimit - this.#size);
    this.#size += kept.length;
    if (kept.length > 0) this.#chunks.push(kept);
    if (kept.length < chunk.length) this.isCut = true;
  }

  close(): void {
    this.#stream?.destroy();
  }

  /** Waits shortly: what the hook wrote before it ended is already in the pipe. */
  async drained(): Promise<void> {
    // In a busy process timers are late, so data that has arrived is read first.
    const timer = setTimeout(() => setImmediate(() => this.close()), drainTimeoutMs);
    await this.#closed;
    clearTimeout(timer);
  }

  text(): string {
    return new TextDecoder().decode(Buffer.concat(this.#chunks), { stream: true });
  }
}
