/** A server as a child process, with one message per line on its standard input and output. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { parseJson } from "../../base/json.ts";
import { untilAborted } from "../../base/node/until-aborted.ts";
import { withoutKeys } from "../../base/node/without-keys.ts";
import { msg } from "../../l10n/l10n.ts";
import { endTree, markVariable, type ProcessTree, treeOf } from "../../tools/run-command/process-tree.ts";
import type { ServerLaunch } from "../config/server-config.ts";
import { FloodLimit } from "./flood-limit.ts";
import { ServerFailure } from "./server-failure.ts";

/** Maximum size of one message. */
export const maxMessageBytes = 16 * 1024 * 1024;
/** Time that a server has to exit after its input was closed. */
const closeTimeoutMs = 1000;
/** Maximum number of characters that go to the log: in total and per line. */
const maxLogLength = 256 * 1024;
const maxLogLineLength = 1000;

type StdioLaunch = Extract<ServerLaunch, { type: "stdio" }>;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  readonly #launch: StdioLaunch;
  readonly #env: NodeJS.ProcessEnv;
  readonly #log: ServerLog;
  #child: ChildProcess | undefined;
  #tree: ProcessTree | undefined;
  #exited: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  /** Why the server ended on its own, or undefined. */
  ended: ServerFailure | undefined;

  /** `note` logs a line. */
  constructor(launch: StdioLaunch, env: NodeJS.ProcessEnv, note: (line: string) => void) {
    this.#launch = launch;
    this.#env = env;
    this.#log = new ServerLog(note);
  }

  /** @throws ServerFailure when the command cannot be started */
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
      const how = code === null ? msg("It was ended by {0}.", signal ?? "") : msg("It ended with exit code {0}.", code);
      this.#end(new ServerFailure("passing", how + this.#log.lastLine));
    });
    // The exit event reports a server that has ended.
    child.stdin?.on("error", () => {});
    const lines = new MessageLines((line) => this.#take(line));
    child.stdout?.on("data", (chunk: Buffer) => {
      const problem = lines.push(chunk);
      if (problem !== undefined) this.#end(new ServerFailure("final", problem));
    });
    child.stdout?.on("error", () => {});
    child.stderr?.on("data", (chunk: Buffer) => this.#log.push(chunk));
    child.stderr?.on("error", () => {});
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => reject(startFailure(this.#launch, error)));
    });
  }

  #spawn(mark: string): ChildProcess {
    const { command, args, env, cwd } = this.#launch;
    const isWindows = process.platform === "win32";
    const all = { ...withoutKeys(this.#env), ...env, [markVariable]: mark };
    const options = { cwd, env: all, detached: !isWindows, windowsHide: true } as const;
    try {
      if (!isWindows) return spawn(command, args, options);
      return spawn(...windowsCommand(command, args), { ...options, windowsVerbatimArguments: true });
    } catch (error) {
      throw startFailure(this.#launch, error);
    }
  }

  #take(line: string): void {
    if (this.#closing) return;
    const message = /^\s*[{[]/.test(line) ? parseJson(line) : undefined;
    // The SDK validates the message and reports an unknown one.
    if (message !== undefined) this.onmessage?.(message as JSONRPCMessage);
    else if (line.trim() !== "") this.#log.line(`Not a message: ${line}`);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin || this.#closing || !stdin.writable) throw new ServerFailure("passing", msg("It does not run."));
    // Does not wait for the server to read, which would delay other messages.
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  #end(failure: ServerFailure): void {
    if (this.#closing) return;
    this.ended = failure;
    void this.close();
  }

  /** Resolves when all processes of its tree have ended. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { stdin, stdout, stderr } = this.#child ?? {};
    // Rejects waiting calls before the processes end.
    this.onclose?.();
    stdin?.end();
    if (!this.ended) await untilAborted(this.#exited, AbortSignal.timeout(closeTimeoutMs));
    if (this.#tree) await endTree(this.#tree);
    for (const stream of [stdin, stdout, stderr]) stream?.destroy();
  }
}

function startFailure({ command, cwd }: StdioLaunch, error: unknown): ServerFailure {
  const code = error instanceof Error && "code" in error ? String(error.code) : msg("unknown reason");
  if (code === "ENOENT") {
    const what = existsSync(cwd) ? msg("There is no command {0}.", command) : msg("There is no folder {0}.", cwd);
    return new ServerFailure("final", what, msg("Install it or correct the configuration."));
  }
  return new ServerFailure(
    "final",
    msg("{0} cannot be started ({1}).", command, code),
    msg("Correct the configuration."),
  );
}

/** Splits bytes into lines. */
class MessageLines {
  readonly #take: (line: string) => void;
  readonly #flood = new FloodLimit();
  /** Chunks of a line that is not complete yet. */
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  /** @returns the reason if a limit is exceeded */
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
    if (this.#size > maxMessageBytes)
      return msg("It sent a message of more than {0} MiB.", maxMessageBytes / 1024 / 1024);
    return this.#flood.exceeds(chunk.length, count) ? msg("It sends too much data.") : undefined;
  }
}

/** Logs what a server writes outside the protocol, up to a limit. */
class ServerLog {
  readonly #note: (line: string) => void;
  readonly #decoder = new TextDecoder();
  #rest = "";
  #left = maxLogLength;
  #last = "";

  constructor(note: (line: string) => void) {
    this.#note = note;
  }

  push(chunk: Buffer): void {
    if (this.#left <= 0) return;
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\n");
    this.#rest = (lines.pop() ?? "").slice(0, maxLogLineLength);
    for (const line of lines) this.line(line);
  }

  line(line: string): void {
    if (this.#left <= 0) return;
    const plain = stripVTControlCharacters(line.slice(0, maxLogLineLength))
      .replace(/\p{Cc}/gu, " ")
      .trimEnd();
    if (plain === "") return;
    this.#left -= plain.length;
    this.#last = plain;
    this.#note(this.#left > 0 ? plain : msg("It writes too much, so the rest is not logged."));
  }

  /** A sentence with the last line, or "". */
  get lastLine(): string {
    const last = this.#rest.trim() || this.#last;
    return last === "" ? "" : ` ${msg("Its last output: {0}", stripVTControlCharacters(last.slice(0, 200)))}`;
  }
}

// Commands on Windows, where `npx` and similar programs are scripts that only cmd.exe runs.

const special = /[()\][%!^"`<>&|;, *?]/g;

/** Returns program and arguments for `spawn` with `windowsVerbatimArguments`, escaped for cmd.exe. */
function windowsCommand(command: string, args: readonly string[]): [string, string[]] {
  const program = command.replace(special, "^$&");
  const line = [program, ...args.map(escapeArgument)].join(" ");
  return [process.env["ComSpec"] ?? "cmd.exe", ["/d", "/s", "/c", `"${line}"`]];
}

/** Quotes for the program, then escapes twice: for cmd.exe, and for the script that calls cmd.exe again. */
function escapeArgument(arg: string): string {
  const quoted = `"${arg.replace(/(?<!\\)(\\*)"/g, '$1$1\\"').replace(/(?<!\\)(\\*)$/, "$1$1")}"`;
  return quoted.replace(special, "^$&").replace(special, "^$&");
}
