/** A server as a child process that is spoken to over its standard input and output, a line a message. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { endTree, markVariable, type ProcessTree, treeOf } from "../../tools/run-command/process-tree.ts";
import type { Launch } from "../config/server-config.ts";
import { serverEnvironment } from "../config/server-environment.ts";
import { Flood } from "./flood-limit.ts";
import { ServerFailure } from "./server-failure.ts";
import { windowsCommand } from "./windows-command.ts";

/** Bytes of one message. */
export const messageLimit = 16 * 1024 * 1024;
/** ms that a server has to end by itself once its input is closed. */
const closeGrace = 1000;
/** Characters of what it writes beside the protocol that go to the log, in all and a line. */
const logLimit = 256 * 1024;
const logLine = 1000;

type StdioLaunch = Extract<Launch, { type: "stdio" }>;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  readonly #launch: StdioLaunch;
  readonly #env: NodeJS.ProcessEnv;
  readonly #log: Log;
  #child: ChildProcess | undefined;
  #tree: ProcessTree | undefined;
  #exited: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #ended: ServerFailure | undefined;

  /** `note` takes a line for the log. */
  constructor(launch: StdioLaunch, env: NodeJS.ProcessEnv, note: (line: string) => void) {
    this.#launch = launch;
    this.#env = env;
    this.#log = new Log(note);
  }

  /** Why it ended by itself; undefined as long as it has not. */
  get ended(): ServerFailure | undefined {
    return this.#ended;
  }

  /** @throws ServerFailure when there is no such command */
  async start(): Promise<void> {
    const mark = randomBytes(12).toString("hex");
    const child = this.#spawn(mark);
    this.#child = child;
    if (child.pid !== undefined) this.#tree = treeOf(child.pid, mark);
    this.#exited = new Promise((resolve) => {
      child.once("exit", () => resolve());
      child.once("error", () => resolve());
    });
    child.once("exit", (code, signal) => {
      const how = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
      this.#end(new ServerFailure("passing", `It ${how}.${this.#log.lastWords}`));
    });
    // A server that is gone is noticed by its end, not by the pipe.
    child.stdin?.on("error", () => {});
    const lines = new Lines((line) => this.#take(line));
    child.stdout?.on("data", (chunk: Buffer) => {
      const trouble = lines.push(chunk);
      if (trouble !== undefined) this.#end(new ServerFailure("final", trouble));
    });
    child.stdout?.on("error", () => {});
    child.stderr?.on("data", (chunk: Buffer) => this.#log.push(chunk));
    child.stderr?.on("error", () => {});
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => reject(notStarted(this.#launch, error)));
    });
  }

  #spawn(mark: string): ChildProcess {
    const { command, args, env, cwd } = this.#launch;
    const isWindows = process.platform === "win32";
    const all = { ...serverEnvironment(this.#env, env), [markVariable]: mark };
    const options = { cwd, env: all, detached: !isWindows, windowsHide: true } as const;
    try {
      if (!isWindows) return spawn(command, args, options);
      return spawn(...windowsCommand(command, args), { ...options, windowsVerbatimArguments: true });
    } catch (error) {
      throw notStarted(this.#launch, error);
    }
  }

  #take(line: string): void {
    if (this.#closing) return;
    if (!/^\s*[{[]/.test(line)) {
      if (line.trim() !== "") this.#log.line(`Not a message: ${line}`);
      return;
    }
    let message: JSONRPCMessage;
    try {
      // Checked by the SDK, which takes it apart; what it does not know it reports.
      message = JSON.parse(line) as JSONRPCMessage;
    } catch {
      this.#log.line(`Not a message: ${line}`);
      return;
    }
    this.onmessage?.(message);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin || this.#closing || !stdin.writable) throw new ServerFailure("passing", "It does not run.");
    // What it does not read is kept: waiting for it would hold up what else is to be sent.
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  #end(failure: ServerFailure): void {
    if (this.#closing) return;
    this.#ended = failure;
    void this.close();
  }

  /** Resolves when no process of its tree is left. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { stdin, stdout, stderr } = this.#child ?? {};
    // Those that wait for an answer are told before the processes are gone.
    this.onclose?.();
    stdin?.end();
    if (!this.#ended) {
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([
        this.#exited,
        new Promise((resolve) => {
          timer = setTimeout(resolve, closeGrace);
        }),
      ]);
      clearTimeout(timer);
    }
    if (this.#tree) await endTree(this.#tree);
    for (const stream of [stdin, stdout, stderr]) stream?.destroy();
  }
}

function notStarted({ command, cwd }: StdioLaunch, error: unknown): ServerFailure {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
  if (code === "ENOENT") {
    const what = existsSync(cwd) ? `command ${command}` : `folder ${cwd}`;
    return new ServerFailure("final", `There is no ${what}.`, "Install it, or correct its configuration.");
  }
  return new ServerFailure("final", `${command} cannot be started (${code}).`, "Correct its configuration.");
}

/** Takes bytes apart into lines. */
class Lines {
  readonly #take: (line: string) => void;
  readonly #flood = new Flood();
  /** Of a line that is not complete yet. */
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  /** @returns why no more can be taken */
  push(chunk: Buffer): string | undefined {
    let from = 0;
    let count = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#chunks.push(chunk.subarray(from, end));
      const line = Buffer.concat(this.#chunks).toString("utf8");
      this.#chunks = [];
      this.#size = 0;
      from = end + 1;
      count++;
      this.#take(line);
    }
    if (from < chunk.length) {
      this.#chunks.push(chunk.subarray(from));
      this.#size += chunk.length - from;
    }
    if (this.#size > messageLimit) return `It sent a message of more than ${messageLimit / 1024 / 1024} MiB.`;
    return this.#flood.take(chunk.length, count) ? "It sends more than can be read." : undefined;
  }
}

/** What a server says beside the protocol: as much as anybody would read. */
class Log {
  readonly #note: (line: string) => void;
  readonly #decoder = new TextDecoder();
  #rest = "";
  #left = logLimit;
  #last = "";

  constructor(note: (line: string) => void) {
    this.#note = note;
  }

  push(chunk: Buffer): void {
    if (this.#left <= 0) return;
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\n");
    this.#rest = (lines.pop() ?? "").slice(0, logLine);
    for (const line of lines) this.line(line);
  }

  line(line: string): void {
    if (this.#left <= 0) return;
    const plain = stripVTControlCharacters(line.slice(0, logLine))
      .replace(/\p{Cc}/gu, " ")
      .trimEnd();
    if (plain === "") return;
    this.#left -= plain.length;
    this.#last = plain;
    this.#note(this.#left > 0 ? plain : "It writes a great deal; the rest is not kept.");
  }

  /** A sentence with the last line, or nothing. */
  get lastWords(): string {
    const last = this.#rest.trim() || this.#last;
    return last === "" ? "" : ` Its last words: ${stripVTControlCharacters(last.slice(0, 200))}`;
  }
}
