/** The agent's commands, mirrored as they run into a terminal of VS Code's, where the user can watch and end them. */
import * as vscode from "vscode";
import { never } from "../../loop/never.ts";
import type { Command, CommandEnd, Terminal } from "../../tools/host.ts";

/** ms between two writes to the terminal: a flood of output arrives in few pieces. */
const flushMs = 30;
/** Most characters a write shows. Of more, the end is shown: the whole is in the tool's output. */
const flushLimit = 200_000;
const interrupt = "\x03";

/** `inner` runs the commands. Ctrl+C in the terminal, or closing it, ends those that run; the turn goes on. */
export function mirrored(inner: Terminal): Terminal & vscode.Disposable {
  const mirror = new Mirror();
  return {
    shell: inner.shell,
    async run(command) {
      const stop = mirror.begin(command);
      const end = await inner.run({
        ...command,
        signal: AbortSignal.any([command.signal, stop.signal]),
        onOutput(text) {
          mirror.write(text);
          command.onOutput(text);
        },
      });
      const told: CommandEnd =
        end.type === "aborted" && !command.signal.aborted ? { type: "signal", signal: "SIGINT" } : end;
      mirror.end(stop, told);
      return told;
    },
    dispose: () => mirror.dispose(),
  };
}

class Mirror implements vscode.Pseudoterminal {
  readonly #written = new vscode.EventEmitter<string>();
  readonly onDidWrite = this.#written.event;
  readonly #running = new Set<AbortController>();
  #terminal: vscode.Terminal | undefined;
  /** VS Code drops what is written before it has called `open`. */
  #opened = false;
  #waiting = "";
  #timer: NodeJS.Timeout | undefined;
  #atLineStart = true;

  begin({ command }: Command): AbortController {
    this.#terminal ??= vscode.window.createTerminal({
      name: "Rondo",
      pty: this,
      iconPath: new vscode.ThemeIcon("comment-discussion"),
      isTransient: true,
    });
    const stop = new AbortController();
    this.#running.add(stop);
    this.#line(`\x1b[1m$ ${command.trim().replaceAll("\n", "\n  ")}\x1b[0m`);
    return stop;
  }

  write(text: string): void {
    if (!this.#terminal || text === "") return;
    this.#atLineStart = text.endsWith("\n");
    this.#waiting += text;
    if (this.#waiting.length > 2 * flushLimit) this.#waiting = this.#waiting.slice(-flushLimit);
    if (this.#opened) this.#timer ??= setTimeout(() => this.#flush(), flushMs);
  }

  end(stop: AbortController, end: CommandEnd): void {
    this.#running.delete(stop);
    // What the command left switched on, such as a colour, ends with it.
    this.#line(`\x1b[0m\x1b[2m[${inWords(end)}]\x1b[0m\n`);
  }

  open(): void {
    this.#opened = true;
    this.#flush();
  }

  /** The user closed the terminal: the next command gets a new one. */
  close(): void {
    this.#terminal = undefined;
    this.#opened = false;
    this.#waiting = "";
    this.#atLineStart = true;
    this.#stopAll();
  }

  handleInput(data: string): void {
    if (data.includes(interrupt)) this.#stopAll();
  }

  dispose(): void {
    this.#stopAll();
    clearTimeout(this.#timer);
    this.#terminal?.dispose();
    this.#written.dispose();
  }

  #line(text: string): void {
    this.write(`${this.#atLineStart ? "" : "\n"}${text}\n`);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#waiting;
    this.#waiting = "";
    const shown = text.length > flushLimit ? `\x1b[0m\n[…]\n${text.slice(-flushLimit)}` : text;
    if (shown !== "") this.#written.fire(shown.replaceAll(/\r?\n/g, "\r\n"));
  }

  #stopAll(): void {
    for (const stop of this.#running) stop.abort();
  }
}

function inWords(end: CommandEnd): string {
  switch (end.type) {
    case "exit":
      return `exit code ${end.code}`;
    case "signal":
      return `ended by ${end.signal}`;
    case "timeout":
      return "ended: it took too long";
    case "aborted":
      return "stopped";
    case "failed":
      return end.message;
    default:
      return never(end);
  }
}
