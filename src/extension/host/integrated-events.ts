/** Events of a command in an integrated terminal, including those that VS Code misses. */
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import type { CommandEnd } from "../../tools/host.ts";

/**
 * A command counts as ended without an event when this many checks in a row have found no process. VS Code on a busy
 * machine needs seconds for the events of a command.
 */
const idleChecks = 15;
const idleCheckMs = 1_000;
/** Time that output may arrive after the end of a command. */
const drainMs = 300;
const falseEndPollMs = 100;
/** Shells add the signal's number to it. */
const signalCode = 128;

export interface ExecutionEnd {
  end: CommandEnd;
  /** Whether the terminal can run another command. */
  isUsable: boolean;
}

/** What is known of a command that runs in its own processes. */
export interface Signs {
  /** Whether no process of it is there. */
  isIdle(): Promise<boolean>;
  /** Whether it has the terminal. */
  isRunning(): Promise<boolean>;
  /** The exit code that it told itself; undefined if it has not. */
  told(): Promise<number | undefined>;
}

/**
 * Waits for the end of a command: the shell reports it, the terminal closes, or nothing runs in it any more although the
 * shell has not reported an end. A report in the middle of the command, which its output can hold, is no end.
 */
export function ended(
  execution: vscode.TerminalShellExecution,
  terminal: vscode.Terminal,
  signs: Signs | undefined,
): { promise: Promise<ExecutionEnd>; dispose(): void } {
  const disposables: vscode.Disposable[] = [];
  let idle = 0;
  let isReported = false;
  let isDisposed = false;
  const promise = new Promise<ExecutionEnd>((resolve) => {
    const timer = setInterval(async () => {
      if (isReported) return;
      idle = (await signs?.isIdle()) ? idle + 1 : 0;
      if (idle >= idleChecks) resolve({ end: endedBy("its shell, which lost it"), isUsable: false });
    }, idleCheckMs);
    disposables.push(
      {
        dispose() {
          isDisposed = true;
          clearInterval(timer);
        },
      },
      vscode.window.onDidEndTerminalShellExecution(async (event) => {
        if (event.execution !== execution) return;
        isReported = true;
        const isOver = async () => !signs || (await signs.told()) !== undefined || !(await signs.isRunning());
        while (!isDisposed && !(await isOver())) await wait(falseEndPollMs);
        // The reported code may be the output's. A command that told none was ended by a signal.
        const told = await signs?.told();
        const isTrusted = !signs || (event.exitCode ?? 0) > signalCode;
        const code = told ?? (isTrusted ? event.exitCode : undefined);
        resolve({ end: code === undefined ? endedBy("Ctrl+C") : exited(code), isUsable: true });
      }),
      vscode.window.onDidCloseTerminal((closed) => {
        if (closed !== terminal) return;
        const code = closed.exitStatus?.code;
        // A shell that was killed has the code 0, too.
        resolve({ end: code ? exited(code) : endedBy("the end of its shell"), isUsable: false });
      }),
    );
  });
  return { promise, dispose: () => void vscode.Disposable.from(...disposables).dispose() };
}

const exited = (code: number): CommandEnd => ({ type: "exit", code, left: [] });
const endedBy = (signal: string): CommandEnd => ({ type: "signal", signal });

// biome-ignore lint/suspicious/noControlCharactersInRegex: the shell's own marks
const begin = /^.*?\x1b\]633;C\x07/s;

/**
 * Reads the output of a command. Must be called in the same turn of the event loop as the start of the command. Returns
 * a function to call after the command's end; it resolves when the output is complete.
 */
export function output(execution: vscode.TerminalShellExecution, onText: (text: string) => void): () => Promise<void> {
  let isOpen = true;
  const read = async () => {
    let isFirst = true;
    for await (const data of execution.read()) {
      const text = isFirst ? data.replace(begin, "") : data;
      isFirst = false;
      if (isOpen && text !== "") onText(text);
    }
  };
  const all = read();
  return async () => {
    // The stream does not end if VS Code has lost track of the command.
    await Promise.race([all, wait(drainMs)]);
    isOpen = false;
  };
}

/** Returns the value that `listen` passes on; undefined after `limitMs` and on abort. */
export function within<Value>(
  limitMs: number,
  signal: AbortSignal,
  listen: (resolve: (value: Value) => void) => vscode.Disposable,
): Promise<Value | undefined> {
  return new Promise((resolve) => {
    const settle = (value: Value | undefined) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      listening.dispose();
      resolve(value);
    };
    const abort = () => settle(undefined);
    const timer = setTimeout(settle, limitMs, undefined);
    signal.addEventListener("abort", abort, { once: true });
    const listening = listen(settle);
    if (signal.aborted) abort();
  });
}
