/** Runs the built headless run as a script would: a process, its output, its exit status. */
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
const program = path.join(root, "dist/headless.js");

/** One for all, so that the compiled code is found there. */
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
  /** Given on standard input; `open` keeps that open. */
  input?: string | "open";
  env?: Record<string, string>;
}

/** A folder to work in, a place for sessions, and a model server. */
export class Place {
  /** All that the run may leave on disk, apart from the folder it works in. */
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

  /** With the folder, the server and a key; `args` come last and so count for more. */
  start(args: string[], options: StartOptions = {}): Started {
    const usual = ["--cwd", this.folder, "--base-url", this.server.url, "--session-dir", this.sessions];
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

  /** The one session's record, replayed, and what of it was broken. */
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

/** Makes places that are gone after each test, and builds what is run if it is not up to date. */
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

/** The beginning of an answer, after which nothing comes any more. */
export const begins = (text: string): Answer => ({
  bytes: anthropicEvents({ blocks: [{ text }] })
    .slice(0, 3)
    .join(""),
  hang: true,
});

/** The lines of a `stream-json` output. */
export function messages(stdout: string): Record<string, unknown>[] {
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
