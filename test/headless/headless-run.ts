/** Runs the built command line as a script would, and gives its output and exit status. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { replay } from "../../src/record/replay.ts";
import { build } from "../build.ts";
import { anthropicEvents } from "../model-server/encode.ts";
import { type Answer, type ModelServer, type Script, startModelServer } from "../model-server.ts";

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "../..");
export const program = path.join(root, "dist/headless.js");

/** Shared by all runs, which find compiled code there. */
const state = path.join(os.tmpdir(), `rondo-state-${process.pid}`);

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Started {
  child: ChildProcess;
  ended: Promise<Ended>;
}

interface StartOptions {
  /** Text for standard input; `open` keeps it open without text. */
  input?: string | "open";
  env?: Record<string, string>;
}

/** A folder to work in, a place for sessions, and a model server. */
export class Place {
  /** Holds the working folder, the sessions and everything else that a run may leave on disk. */
  readonly home = realpathSync(mkdtempSync(path.join(os.tmpdir(), "rondo-home-")));
  readonly folder = path.join(this.home, "work");
  readonly sessions = path.join(this.home, "sessions");
  readonly server: ModelServer;
  readonly #children: ChildProcess[] = [];

  constructor(server: ModelServer) {
    this.server = server;
    mkdirSync(this.folder);
  }

  write(name: string, text: string): string {
    const file = path.join(this.folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  read(name: string): string {
    return readFileSync(path.join(this.folder, name), "utf8");
  }

  /** Starts a run with the folder, the server and a key; `args` come last, so they win. */
  start(args: string[], options: StartOptions = {}): Started {
    const usual = ["--cwd", this.folder, "--base-url", this.server.url, "--session-dir", this.sessions, "--no-title"];
    return this.startBare([...usual, ...args], { ...options, env: { ANTHROPIC_API_KEY: "test-key", ...options.env } });
  }

  startBare(args: string[], { input = "", env = {} }: StartOptions = {}): Started {
    const variables = { PATH: process.env["PATH"], HOME: this.home, XDG_STATE_HOME: state };
    const child = spawn(process.execPath, [program, ...args], {
      cwd: this.folder,
      env: { ...variables, TMPDIR: os.tmpdir(), ...env },
    });
    this.#children.push(child);
    if (input !== "open") child.stdin.end(input);
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const ended = new Promise<Ended>((resolve) => {
      child.on("close", (code) => resolve({ code, stdout, stderr }));
    });
    return { child, ended };
  }

  run(args: string[], options: StartOptions = {}): Promise<Ended> {
    return this.start(args, options).ended;
  }

  /** Replays the record of the only session; `broken` lists its damaged lines. */
  replay() {
    const [name = ""] = readdirSync(this.sessions).filter((one) => one.endsWith(".jsonl"));
    return replay(path.join(this.sessions, name));
  }

  async close(): Promise<void> {
    for (const child of this.#children) if (child.exitCode === null) child.kill("SIGKILL");
    await this.server.stop();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** Builds the command line if needed. The returned function makes places that are removed after each test. */
export function places(): (script: Script) => Promise<Place> {
  const open: Place[] = [];
  before(build);
  after(() => rmSync(state, { recursive: true, force: true }));
  afterEach(async () => {
    for (const place of open.splice(0)) await place.close();
  });
  return async (script) => {
    const place = new Place(await startModelServer(script));
    open.push(place);
    return place;
  };
}

export const says = (text: string): Answer => [{ text }];

export const calls = (name: string, input: Record<string, unknown>): Answer => [{ call: { name, input } }];

/** Makes an answer that stalls after this text. */
export const begins = (text: string): Answer => ({
  bytes: anthropicEvents({ blocks: [{ text }] })
    .slice(0, 3)
    .join(""),
  hang: true,
});

/** Parses the lines of `stream-json` output. */
export function messages(stdout: string): Record<string, unknown>[] {
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
