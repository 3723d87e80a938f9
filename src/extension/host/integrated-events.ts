/** What VS Code tells of a command in a terminal, and what it fails to tell. */
import * as vscode from "vscode";
import type { CommandEnd } from "../../tools/host.ts";

/** ms between two looks whether a command has ended without a word. */
const lookEvery = 1_000;
/** Looks in a row that must find nothing. */
const looks = 3;
/** ms that output may come behind the end. */
const drainTime = 300;

interface Told {
  end: CommandEnd;
  /** Whether the terminal can run another command. */
  isUsable: boolean;
}

/**
 * How a command ended: by the shell's word, by the terminal's closing, or since nothing runs there any more (`isIdle`) and
 * the shell has not said so, as happens.
 */
export function ended(
  execution: vscode.TerminalShellExecution,
  terminal: vscode.Terminal,
  isIdle: (() => Promise<boolean>) | undefined,
): { promise: Promise<Told>; dispose(): void } {
  const disposables: vscode.Disposable[] = [];
  let idle = 0;
  const promise = new Promise<Told>((resolve) => {
    const timer = setInterval(async () => {
      idle = (await isIdle?.()) ? idle + 1 : 0;
      if (idle >= looks) resolve({ end: { type: "signal", signal: "its shell, which lost it" }, isUsable: false });
    }, lookEvery);
    disposables.push(
      { dispose: () => clearInterval(timer) },
      vscode.window.onDidEndTerminalShellExecution((event) => {
        if (event.execution !== execution) return;
        resolve({ end: endOf(event.exitCode), isUsable: true });
      }),
      vscode.window.onDidCloseTerminal((closed) => {
        if (closed !== terminal) return;
        const code = closed.exitStatus?.code;
        // A shell that was killed has the code 0, too.
        const end: CommandEnd = code
          ? { type: "exit", code, left: [] }
          : { type: "signal", signal: "the end of its shell" };
        resolve({ end, isUsable: false });
      }),
    );
  });
  return {
    promise,
    dispose() {
      for (const disposable of disposables) disposable.dispose();
    },
  };
}

function endOf(exitCode: number | undefined): CommandEnd {
  // The shell says none after Ctrl+C at times.
  if (exitCode === undefined) return { type: "signal", signal: "Ctrl+C" };
  return { type: "exit", code: exitCode, left: [] };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the shell's own marks
const begin = /^.*?\x1b\]633;C\x07/s;

/**
 * Reads what the command writes; to be called in the turn of the event loop in which it was started. The answer, called
 * when the command is over, resolves when no more comes.
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
    // Of a command that VS Code lost sight of the stream does not end.
    await Promise.race([all, pause(drainTime)]);
    isOpen = false;
  };
}

export function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined));
}

/** What `listen` gives to its function; undefined after `limit` ms, and on abort. */
export function within<Value>(
  limit: number,
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
    const timer = setTimeout(settle, limit, undefined);
    signal.addEventListener("abort", abort, { once: true });
    const listening = listen(settle);
    if (signal.aborted) abort();
  });
}
