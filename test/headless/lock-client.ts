/** Controls processes that compete for one session; lock-process.ts is their program. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A line from a process. */
interface Said {
  ready?: boolean;
  taken?: boolean;
  caughtUp?: number;
  error?: string;
  lost?: boolean;
  raced?: boolean;
  written?: boolean;
  holder?: number;
}

export class Runner {
  readonly child: ChildProcess;
  readonly #said: Said[] = [];
  #wake: () => void = () => {};

  /** `alive`: whether a window shows the run. */
  constructor(record: string, alive = true, env: Record<string, string> = {}) {
    const script = fileURLToPath(import.meta.resolve("./lock-process.ts"));
    this.child = spawn(process.execPath, [script, record, alive ? "alive" : "dead"], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ...env },
    });
    if (!this.child.stdout) throw new Error("no output");
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      this.#said.push(JSON.parse(line));
      this.#wake();
    });
  }

  tell(order: string): void {
    this.child.stdin?.write(`${order}\n`);
  }

  /** Waits for the next line. */
  async hears(): Promise<Said> {
    for (;;) {
      const said = this.#said.shift();
      if (said) return said;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async ask(order: string): Promise<Said> {
    this.tell(order);
    return await this.hears();
  }

  async end(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill(signal);
    await once(this.child, "exit");
  }
}
