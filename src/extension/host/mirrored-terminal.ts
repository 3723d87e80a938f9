/** Mirrors the agent's commands into terminals of VS Code, where the user can watch and end them. */

import * as vscode from "vscode";
import { never } from "../../base/never.ts";
import { t } from "../../l10n/l10n.ts";
import type { CommandEnd, ShellCommand, Terminal } from "../../tools/host.ts";
import { DisplaySanitizer } from "../../tools/run-command/plain-text.ts";

/** Time between two writes to the terminal, so that much output arrives in few pieces. */
const flushMs = 30;
/** Maximum number of characters per write. Longer output is cut at its start; the tool's result has all of it. */
const maxFlushChars = 200_000;
const interrupt = "\x03";

export interface VisibleTerminal extends Terminal, vscode.Disposable {
  /** Shows the terminal that was used last, without taking the focus. */
  show(): void;
}

/**
 * `inner` runs the commands. Commands that run at the same time have separate terminals. Ctrl+C in a terminal, or
 * closing it, ends its command; the turn continues.
 */
export function mirrored(inner: Terminal): VisibleTerminal {
  const mirrors: Mirror[] = [];
  let last: Mirror | undefined;
  function idle(): Mirror {
    const free = mirrors.find(({ isBusy }) => !isBusy);
    if (free) return free;
    const mirror = new Mirror(mirrors.length === 0 ? "Rondo" : t("Rondo ({0})", mirrors.length + 1));
    mirrors.push(mirror);
    return mirror;
  }
  return {
    get shell() {
      return inner.shell;
    },
    get sandbox() {
      return inner.sandbox;
    },
    async run(command) {
      const mirror = idle();
      last = mirror;
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
      mirror.end(told, command.signal);
      return told;
    },
    show: () => last?.show(),
    dispose() {
      for (const mirror of mirrors) mirror.dispose();
    },
  };
}

class Mirror implements vscode.Pseudoterminal {
  readonly #name: string;
  readonly #written = new vscode.EventEmitter<string>();
  readonly onDidWrite = this.#written.event;
  #running: AbortController | undefined;
  #terminal: vscode.Terminal | undefined;
  /** VS Code drops text that is written before it has called `open`. */
  #opened = false;
  #eye = new DisplaySanitizer();
  #waiting = "";
  #timer: NodeJS.Timeout | undefined;
  #atLineStart = true;

  constructor(name: string) {
    this.#name = name;
  }

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  begin({ command }: ShellCommand): AbortController {
    this.#terminal ??= vscode.window.createTerminal({
      name: this.#name,
      pty: this,
      iconPath: new vscode.ThemeIcon("comment-discussion"),
      isTransient: true,
    });
    const stop = new AbortController();
    this.#running = stop;
    this.#eye = new DisplaySanitizer();
    const shown = new DisplaySanitizer().push(command.trim()).replaceAll("\n", "\n  ");
    this.#line(`\x1b[1m$ ${shown}\x1b[0m`);
    return stop;
  }

  write(output: string): void {
    this.#show(this.#eye.push(output));
  }

  /** `signal` is the signal of the command; its reason says why the command was aborted. */
  end(end: CommandEnd, signal: AbortSignal): void {
    this.#running = undefined;
    // Resets what the command left switched on, such as a colour.
    this.#line(`\x1b[0m\x1b[2m[${inWords(end, signal)}]\x1b[0m\n`);
  }

  show(): void {
    this.#terminal?.show(true);
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
    this.#running?.abort();
  }

  handleInput(data: string): void {
    if (data.includes(interrupt)) this.#running?.abort();
  }

  dispose(): void {
    this.#running?.abort();
    clearTimeout(this.#timer);
    this.#terminal?.dispose();
    this.#written.dispose();
  }

  #line(text: string): void {
    this.#show(`${this.#atLineStart ? "" : "\n"}${text}\n`);
  }

  #show(text: string): void {
    if (!this.#terminal || text === "") return;
    this.#atLineStart = text.endsWith("\n");
    this.#waiting += text;
    if (this.#waiting.length > 2 * maxFlushChars) this.#waiting = this.#waiting.slice(-maxFlushChars);
    if (this.#opened) this.#timer ??= setTimeout(() => this.#flush(), flushMs);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#waiting;
    this.#waiting = "";
    const shown = text.length > maxFlushChars ? `\x1b[0m\n[…]\n${text.slice(-maxFlushChars)}` : text;
    if (shown !== "") this.#written.fire(shown.replaceAll(/\r?\n/g, "\r\n"));
  }
}

function inWords(end: CommandEnd, { reason }: AbortSignal): string {
  switch (end.type) {
    case "exit":
      return t("exit code {0}", end.code);
    case "signal":
      return t("ended by {0}", end.signal);
    case "aborted":
      return reason instanceof DOMException && reason.name === "TimeoutError"
        ? t("ended: it took too long")
        : t("stopped");
    case "failed":
      return end.message;
    default:
      return never(end);
  }
}
