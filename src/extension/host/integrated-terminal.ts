/** Runs the agent's commands in terminals of the user's own shell, through VS Code's shell integration. */

import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { withheldNames } from "../../base/node/without-keys.ts";
import { t } from "../../l10n/l10n.ts";
import type { CommandEnd, ShellCommand } from "../../tools/host.ts";
import { nonInteractive } from "../../tools/run-command/command-environment.ts";
import type { CommandMarkers } from "../../tools/run-command/command-markers.ts";
import { asksForPassword, isEditingLine, takesHiddenLine } from "../../tools/run-command/input-detection.ts";
import { PasswordEcho } from "../../tools/run-command/password-echo.ts";
import { programOf } from "../../tools/run-command/process-table.ts";
import {
  endTree,
  isAtPrompt,
  leftBehind,
  markVariable,
  membersOf,
  type ProcessTree,
  treeIn,
} from "../../tools/run-command/process-tree.ts";
import { shellName } from "../../tools/run-command/shells.ts";
import { typedLine, withoutHistory } from "../../tools/run-command/typed-line.ts";
import { type TypedScript, typedScript, UntilMark } from "../../tools/run-command/typed-script.ts";
import { CommandWatch, defaultSilenceMs } from "../../tools/run-command/watch-command.ts";
import { ended, output, type Signs, within } from "./integrated-events.ts";
import type { VisibleTerminal } from "./mirrored-terminal.ts";
import { PasswordQuestion } from "./password-question.ts";

const defaultWaits = {
  silenceMs: defaultSilenceMs,
  /** Maximum wait for shell integration. */
  startMs: 3_000,
};
const interruptGraceMs = 1_000;
const maxPromptMs = 3_000;
const promptPollMs = 20;
const interrupt = "\x03";
const cutNote = `
${t("[VS Code took something in the output for the end of the command. The rest of the output is only in the terminal.]")}
`;

/** A terminal whose shell reports when commands begin and end. */
interface ReadyTerminal {
  terminal: vscode.Terminal;
  integration: vscode.TerminalShellIntegration;
  /** Path of the shell in the settings. */
  path: string;
  /** Variables that it was started without. */
  withheld: readonly string[];
  /** Name of the shell. */
  shell: string;
}

/**
 * `separate` runs the commands of shells that are unknown or have no shell integration. `shell` returns the path in the
 * settings, `passed` the variables that the user lets through; `silenceMs` is explained at `CommandWatch`.
 */
export function integratedTerminal(
  separate: VisibleTerminal,
  { shell, passed, markers }: { shell: () => string; passed: () => NodeJS.ProcessEnv; markers: CommandMarkers },
  { silenceMs, startMs } = defaultWaits,
): VisibleTerminal {
  const pool = new TerminalPool(shell, () => withheldNames(passed()), startMs);
  return {
    get shell() {
      return shellName(shell() || vscode.env.shell);
    },
    // Commands are typed into the user's shell, which runs outside.
    sandbox: undefined,
    async run(command) {
      const ready = await pool.take(command);
      if (command.signal.aborted) {
        pool.giveBack(ready);
        return { type: "aborted" };
      }
      if (!ready) return await separate.run(command);
      const mark = randomBytes(12).toString("hex");
      const script = typedScript(mark);
      try {
        const env = { ...nonInteractive, [markVariable]: mark };
        const line = typedLine(ready.shell, { ...command, env, withheld: ready.withheld, place: script });
        if (line === undefined) {
          pool.giveBack(ready);
          return await separate.run(command);
        }
        if (line.script !== undefined) script.write(line.script);
        const own = line.script === undefined ? undefined : script;
        const { end, state } = await execute({ ready, line: line.text, own, mark, command, silenceMs, markers });
        if (state === "free") pool.giveBack(ready);
        else if (state === "unsure") pool.retire(ready);
        else ready.terminal.dispose();
        return end;
      } catch (error) {
        // The user can close the terminal at any time.
        ready.terminal.dispose();
        return { type: "failed", message: error instanceof Error ? error.message : String(error) };
      } finally {
        script.remove();
      }
    },
    show: () => pool.show(separate),
    dispose: () => pool.dispose(),
  };
}

/** Terminals that can be used again. Each runs one command at a time; VS Code would lose track of a second one. */
class TerminalPool {
  readonly #shell: () => string;
  readonly #withheld: () => readonly string[];
  readonly #maxStartMs: number;
  readonly #idle = new Set<ReadyTerminal>();
  readonly #all = new Set<vscode.Terminal>();
  readonly #withoutIntegration = new Set<string>();
  readonly #closing: vscode.Disposable;
  #last: vscode.Terminal | undefined;
  #retired: vscode.Terminal | undefined;

  constructor(shell: () => string, withheld: () => readonly string[], maxStartMs: number) {
    this.#shell = shell;
    this.#withheld = withheld;
    this.#maxStartMs = maxStartMs;
    this.#closing = vscode.window.onDidCloseTerminal((terminal) => {
      this.#all.delete(terminal);
      for (const ready of this.#idle) if (ready.terminal === terminal) this.#idle.delete(ready);
    });
  }

  /** Returns a terminal; undefined without shell integration, of which the user is told once. */
  async take({ cwd, signal }: ShellCommand): Promise<ReadyTerminal | undefined> {
    const shell = this.#shell();
    const withheld = this.#withheld();
    const isLike = (one: ReadyTerminal) => one.path === shell && one.withheld.join() === withheld.join();
    for (const free of [...this.#idle].filter(isLike)) {
      this.#idle.delete(free);
      if (await isUnused(free.terminal)) {
        this.#last = free.terminal;
        return free;
      }
      this.#idle.add(free);
    }
    if (this.#withoutIntegration.has(shell)) return undefined;
    const terminal = vscode.window.createTerminal({
      name: "Rondo",
      cwd,
      iconPath: new vscode.ThemeIcon("comment-discussion"),
      isTransient: true,
      // Null removes a variable that the terminal would inherit.
      env: { ...withoutHistory, ...Object.fromEntries(withheld.map((name) => [name, null])) },
      ...(shell !== "" && { shellPath: shell }),
    });
    this.#all.add(terminal);
    const integration = await integrationOf(terminal, this.#maxStartMs, signal);
    if (integration) {
      this.#last = terminal;
      return { terminal, integration, path: shell, withheld, shell: await nameOf(terminal, shell) };
    }
    terminal.dispose();
    if (!signal.aborted) this.#giveUp(shell);
    return undefined;
  }

  giveBack(ready: ReadyTerminal | undefined): void {
    if (ready && this.#all.has(ready.terminal)) this.#idle.add(ready);
  }

  /** Leaves a terminal to the user, who finds there what was not read, and closes the one before. */
  retire({ terminal }: ReadyTerminal): void {
    this.#retired?.dispose();
    this.#retired = terminal;
  }

  show(separate: VisibleTerminal): void {
    if (this.#last && this.#all.has(this.#last)) this.#last.show(true);
    else separate.show();
  }

  dispose(): void {
    this.#closing.dispose();
    for (const terminal of this.#all) terminal.dispose();
  }

  #giveUp(shell: string): void {
    this.#withoutIntegration.add(shell);
    const name = shellName(shell || vscode.env.shell);
    void vscode.window.showWarningMessage(
      t(
        "Shell integration did not start in {0} within {1} s. Rondo runs commands in separate processes until the window is reloaded.",
        name,
        this.#maxStartMs / 1000,
      ),
    );
  }
}

/** A file of the user may start another shell; VS Code's name is that of a program which such a file runs, for a moment. */
async function nameOf(terminal: vscode.Terminal, path: string): Promise<string> {
  const shellID = await terminal.processId;
  const program = shellID === undefined ? "" : await programOf(shellID);
  // That of a login shell begins with a hyphen.
  if (program !== "") return shellName(program).replace(/^-/, "");
  return terminal.state.shell ?? shellName(path || vscode.env.shell);
}

/**
 * Returns the integration of a shell that is at its first prompt: before it, VS Code might press Ctrl+C while the shell
 * still reads its files, and break them off. The shell tells its folder right before the prompt.
 */
async function integrationOf(terminal: vscode.Terminal, maxStartMs: number, signal: AbortSignal) {
  const isReady = () => terminal.shellIntegration?.cwd !== undefined;
  if (!isReady()) {
    await within<void>(maxStartMs, signal, (resolve) =>
      vscode.window.onDidChangeTerminalShellIntegration((event) => {
        if (event.terminal === terminal && isReady()) resolve();
      }),
    );
  }
  return terminal.shellIntegration;
}

interface Execution {
  ready: ReadyTerminal;
  line: string;
  /** Undefined for a shell that runs the command within itself. */
  own: TypedScript | undefined;
  mark: string;
  command: ShellCommand;
  silenceMs: number;
  markers: CommandMarkers;
}

/**
 * `unsure`: the next command could be lost. VS Code may take the end of this command for that of the next one, or, after
 * an interrupt, take what it believes to stand in the line away with a second one, which comes late on a busy machine.
 * `closed`: the terminal cannot be used any more.
 */
type TerminalState = "free" | "unsure" | "closed";

/** Exit code that a shell tells for a command which Ctrl+C has ended. */
const interruptedCode = 130;

const isInterrupted = (end: CommandEnd) =>
  end.type === "signal" || (end.type === "exit" && end.code === interruptedCode);

async function execute(execution: Execution): Promise<{ end: CommandEnd; state: TerminalState }> {
  const { ready, line, own, mark, command, silenceMs, markers } = execution;
  const { terminal, integration } = ready;
  const { onOutput, signal } = command;
  const shellID = await terminal.processId;
  const tree = shellID === undefined ? undefined : await treeIn(shellID, mark);
  const question = new PasswordQuestion(terminal, command);
  const isForUser = async (prompt: string) =>
    asksForPassword(prompt) || (tree ? await takesHiddenLine(tree.pid) : false);
  const marker = tree && markers.add(tree, command.command);
  const onLook = () => marker?.update();
  const watch = tree && new CommandWatch(tree, { silenceMs, onWaiting: question.onWaiting, isForUser, onLook });
  const echo = new PasswordEcho(onOutput);
  // Windows' terminals may pass on what they do not know before the text that it follows.
  const text = new UntilMark(process.platform === "win32" ? undefined : own?.mark, (part) => {
    watch?.wrote(part);
    echo.push(part);
  });
  if (shellID !== undefined && own) await waitForPrompt(shellID, signal);
  const started = integration.executeCommand(line);
  const end = ended(started, terminal, tree && own && signsOf(tree, own));
  const read = output(started, (part) => text.push(part));
  const allRead = async (): Promise<boolean> => {
    await read();
    text.end();
    return text.isComplete;
  };
  const told = await Promise.race([end.promise, aborted(signal)]);
  watch?.stop();
  if (told === "aborted") {
    // If Ctrl+C does not end the command, its processes are ended and the terminal is closed.
    terminal.sendText(interrupt, false);
    const heeded = await Promise.race([end.promise, wait(interruptGraceMs, undefined)]);
    end.dispose();
    if (!heeded) terminal.dispose();
    if (tree) await endTree(tree);
    marker?.remove();
    const after = (await allRead()) ? "free" : "unsure";
    return { end: { type: "aborted" }, state: heeded?.isUsable ? after : "closed" };
  }
  end.dispose();
  const isComplete = await allRead();
  if (!isComplete && told.end.type === "exit") onOutput(cutNote);
  const after = isComplete && !isInterrupted(told.end) ? "free" : "unsure";
  const state: TerminalState = told.isUsable ? after : "closed";
  if (tree) {
    // Before its prompt the shell starts processes of its own.
    if (told.isUsable && own) await waitForPrompt(tree.pid, signal);
    const left = await leftBehind(tree);
    if (left.length > 0) await endTree(tree);
    marker?.remove();
    if (told.end.type === "exit") return { end: { ...told.end, left }, state };
  }
  return { end: told.end, state };
}

/**
 * Waits until the shell edits a line. VS Code may press Ctrl+C before it types a command, and that would break off what
 * the shell runs before its prompt, among it the report of the next command's beginning.
 */
async function waitForPrompt(shell: number, signal: AbortSignal): Promise<void> {
  const until = Date.now() + maxPromptMs;
  while (Date.now() < until && !signal.aborted && !(await isEditingLine(shell))) await wait(promptPollMs);
}

/** Whether the terminal is free: VS Code would interrupt a command that the user runs there. */
async function isUnused(terminal: vscode.Terminal): Promise<boolean> {
  const shellID = await terminal.processId;
  return shellID !== undefined && (await isAtPrompt(shellID));
}

function signsOf(tree: ProcessTree, { told }: TypedScript): Signs {
  const isAlive = async () => (await membersOf(tree)).length > 0;
  return {
    told,
    isIdle: async () => process.platform !== "win32" && !(await isAlive()),
    isRunning: async () => (await isAlive()) && !(await isAtPrompt(tree.pid)),
  };
}

function aborted(signal: AbortSignal): Promise<"aborted"> {
  return new Promise((resolve) => {
    const tell = () => resolve("aborted");
    if (signal.aborted) tell();
    else signal.addEventListener("abort", tell, { once: true });
  });
}
