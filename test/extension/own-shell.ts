/** Runs commands as the agent does, in the integrated terminal of a shell with files of its own. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { integratedTerminal } from "../../src/extension/host/integrated-terminal.ts";
import { mirrored } from "../../src/extension/host/mirrored-terminal.ts";
import type { CommandEnd } from "../../src/tools/host.ts";
import { nodeTerminal } from "../../src/tools/node-host/terminal.ts";
import { noCommandMarkers } from "../../src/tools/run-command/command-markers.ts";
import { PlainTextRenderer } from "../../src/tools/run-command/plain-text.ts";
import { until } from "../timing.ts";

export interface Ran {
  end: CommandEnd;
  output: string;
}

export const exited = (code: number, output: string): Ran => ({ end: { type: "exit", code, left: [] }, output });

/** Path of a program; undefined if this machine has none of that name. */
export function findProgram(name: string): string | undefined {
  try {
    return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}

export class OwnShell {
  readonly folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "own-shell-")));
  /** How many commands did not run in the shell. */
  separateRuns = 0;
  readonly #separate: ReturnType<typeof mirrored>;
  readonly #terminal: ReturnType<typeof integratedTerminal>;

  /** @param files by name, in the shell's home */
  constructor(program: string, files: Readonly<Record<string, string>> = {}) {
    const home = path.join(this.folder, "home");
    mkdirSync(home);
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(home, name), text);
    // VS Code knows a shell by its name. It tells zsh where the user's files are by USER_ZDOTDIR.
    const shell = path.join(this.folder, path.basename(program));
    const own = `HOME='${home}' USER_ZDOTDIR='${home}' XDG_DATA_HOME='${home}' XDG_CONFIG_HOME='${home}'`;
    writeFileSync(shell, `#!/bin/sh\nunset HISTFILE HISTCONTROL PROMPT_COMMAND\nexport ${own}\nexec ${program} "$@"\n`);
    chmodSync(shell, 0o700);
    const separate = mirrored(nodeTerminal({ shell: () => shell }));
    const run: typeof separate.run = (command) => {
      this.separateRuns++;
      return separate.run(command);
    };
    const { sandbox } = separate;
    this.#separate = { shell, sandbox, run, show: () => separate.show(), dispose: () => separate.dispose() };
    this.#terminal = integratedTerminal(
      this.#separate,
      { shell: () => shell, passed: () => ({}), markers: noCommandMarkers },
      { silenceMs: 300, startMs: 30_000 },
    );
  }

  async run(command: string, signal = AbortSignal.timeout(100_000)): Promise<Ran> {
    let output = "";
    const lines = new PlainTextRenderer((text) => {
      output += text;
    });
    const onOutput = (text: string) => lines.push(text);
    const end = await this.#terminal.run({ command, cwd: this.folder, signal, onOutput, onWaiting() {} });
    lines.end();
    return { end, output };
  }

  /** Types a line as the user, and waits until the shell has run it. */
  async type(line: string): Promise<void> {
    const done = path.join(this.folder, "typed");
    rmSync(done, { force: true });
    for (const one of terminals()) one.sendText(`${line}; touch '${done}'`);
    await until(() => existsSync(done));
  }

  /** Text of a file in the shell's home; empty if there is none. */
  read(name: string): string {
    const file = path.join(this.folder, "home", name);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  /** Closes the terminal; a shell then saves its history. */
  async close(): Promise<void> {
    this.#terminal.dispose();
    this.#separate.dispose();
    await until(() => terminals().length === 0);
  }

  async dispose(): Promise<void> {
    await this.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The terminals of the agent. */
export const terminals = (): readonly vscode.Terminal[] =>
  vscode.window.terminals.filter(({ name }) => name.startsWith("Rondo"));
