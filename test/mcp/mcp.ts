/** Servers as the tests run them: real processes, short timeouts, and a count of leftover processes. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerView } from "../../src/chat/server-views.ts";
import { loadServers } from "../../src/mcp/config/server-config.ts";
import type { McpOptions } from "../../src/mcp/mcp-servers.ts";
import { McpServers } from "../../src/mcp/mcp-servers.ts";
import type { ProgressReporter, Tool, ToolPlan, ToolResult } from "../../src/tools/tool.ts";
import { usualBoundary } from "../read-boundary.ts";

const here = path.dirname(fileURLToPath(import.meta.url));
const everythingFile = path.resolve(here, "../../node_modules/@modelcontextprotocol/server-everything/dist/index.js");

/** The reference server with every feature. */
export const everything = { command: process.execPath, args: [everythingFile, "stdio"] };

/** A server that misbehaves; `file` counts its starts. */
export function hostile(way: string, file = ""): { command: string; args: string[]; timeout?: number } {
  return { command: process.execPath, args: [path.join(here, "servers/hostile.ts"), way, file] };
}

export interface Running {
  servers: McpServers;
  log: string[];
  problems: string[];
  folder: string;
  /** The configuration from the next `ready` on. */
  configure(caller: unknown): void;
}

const open: Running[] = [];
const nobody = new AbortController().signal;

export function run(caller: unknown, options: Partial<McpOptions> = {}): Running {
  const folder = mkdtempSync(path.join(os.tmpdir(), "rondo-mcp-"));
  let configured = caller;
  const log: string[] = [];
  const problems: string[] = [];
  const env = { ...process.env, RONDO_MCP_TEST: folder, OPENAI_API_KEY: "sk-secret", ANTHROPIC_API_KEY: "sk-secret" };
  const servers = new McpServers({
    load: () =>
      loadServers({
        caller: configured,
        settings: undefined,
        folders: [folder],
        trusted: true,
        boundary: usualBoundary,
        env,
      }),
    consent: { has: () => false, give() {} },
    folders: () => [folder],
    env,
    version: "0",
    loginHost: undefined,
    log: (server, line) => log.push(`${server}: ${line}`),
    onProblem: (sentence) => problems.push(sentence),
    times: { promptWait: 15_000, start: 15_000, backoff: 20, ping: 300, refreshDelay: 20 },
    ...options,
  });
  const running = {
    servers,
    log,
    problems,
    folder,
    configure: (now: unknown) => {
      configured = now;
    },
  };
  open.push(running);
  return running;
}

/** Ends everything that `run` started. @throws when a process is left */
export async function endAll(): Promise<void> {
  for (const { servers, folder } of open.splice(0)) {
    await servers.dispose();
    const left = processesOf(folder);
    rmSync(folder, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`These processes are left: ${left.join("; ")}`);
  }
}

/** Command lines of the processes with this folder in their environment, on systems that show it. */
function processesOf(folder: string): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && readProc(name, "environ").includes(`RONDO_MCP_TEST=${folder}\0`))
    .map((name) => readProc(name, "cmdline").replaceAll("\0", " "))
    .filter((line) => line !== "");
}

function readProc(pid: string, name: "environ" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}

export async function ready(caller: unknown, options: Partial<McpOptions> = {}): Promise<Running> {
  const running = run(caller, options);
  await running.servers.ready(nobody);
  return running;
}

export function stateOf({ servers }: Running, name: string): ServerView["state"] {
  const view = servers.views().find((one) => one.name === name);
  if (!view) throw new Error(`There is no server ${name}`);
  return view.state;
}

export function toolOf({ servers }: Running, name: string): Tool {
  const tool = servers.tools().find((one) => one.name === name);
  if (!tool) throw new Error(`There is no tool ${name}, only ${servers.tools().map((one) => one.name)}`);
  return tool;
}

/** The parts of the context that a tool needs. */
export function planOf(tool: Tool, input: Record<string, unknown>, signal = nobody): Promise<ToolPlan> {
  // Tools of servers use only the signal.
  return tool.prepare(input, { signal } as Parameters<Tool["prepare"]>[1]);
}

export async function call(
  running: Running,
  name: string,
  input: Record<string, unknown> = {},
  { signal = nobody, progress = () => {} }: { signal?: AbortSignal; progress?: ProgressReporter } = {},
): Promise<ToolResult> {
  return (await planOf(toolOf(running, name), input, signal)).run(progress);
}

/** Waits until `holds`. @throws after ten seconds */
export async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`It did not come to hold: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
