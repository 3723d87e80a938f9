/** A real folder with the real tools on it. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { ruledHost } from "../../src/loop/permissions/ruled-host.ts";
import type { RuleBook } from "../../src/loop/permissions/rules.ts";
import { builtInTools } from "../../src/tools/built-in/all.ts";
import type { Host, SandboxMode } from "../../src/tools/host.ts";
import { nodeHost } from "../../src/tools/node-host/node-host.ts";
import { registryOf } from "../../src/tools/registry.ts";
import {
  nobodyToAsk,
  noDelegate,
  type PermissionRequirement,
  type ProgressReporter,
  type ToolPlan,
  type ToolResult,
} from "../../src/tools/tool.ts";

export class TestWorkspace {
  /** Holds the workspace and outside files. */
  readonly root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "tools-test-")));
  readonly folder: string;
  readonly seen = new Map<string, string>();
  readonly host: Host;
  readonly #registry = registryOf(builtInTools({ editor: true }));

  constructor({ trusted = true, name = "work", secrets = [] as string[], sandbox = "off" as SandboxMode } = {}) {
    this.folder = path.join(this.root, name);
    mkdirSync(this.folder);
    const overflowDir = path.join(this.root, "overflow");
    this.host = nodeHost({ folders: [this.folder], trusted, overflowDir, secrets, sandbox });
  }

  /** Relative to the folder. */
  path(name: string): string {
    return path.join(this.folder, name);
  }

  put(name: string, content: string | Uint8Array, mode = 0o644): string {
    const file = this.path(name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    chmodSync(file, mode);
    return file;
  }

  text(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  bytes(name: string): Buffer {
    return readFileSync(this.path(name));
  }

  /** `book`: the rules by which the tool sees the workspace. */
  async plan(
    tool: string,
    input: Record<string, unknown>,
    signal = new AbortController().signal,
    book: RuleBook = { mode: "default", user: [], workspace: [] },
  ): Promise<ToolPlan> {
    const found = this.#registry.get(tool);
    if (!found) throw new Error(`no tool ${tool}`);
    return await found.prepare(found.input.parse(input), {
      host: ruledHost(this.host, { tool, book, lineage: [] }),
      callID: "call-1",
      seen: this.seen,
      signal,
      delegate: noDelegate,
      askUser: nobodyToAsk,
    });
  }

  async run(
    tool: string,
    input: Record<string, unknown>,
    signal = new AbortController().signal,
    progress: ProgressReporter = () => {},
  ): Promise<ToolResult> {
    const plan = await this.plan(tool, input, signal);
    return await plan.run(progress);
  }

  /** Returns the message of the ToolError that the call throws. */
  async refusal(tool: string, input: Record<string, unknown>): Promise<string> {
    try {
      const result = await this.run(tool, input);
      throw new Error(`not refused: ${result.output}`);
    } catch (error) {
      if (error instanceof Error && error.name === "ToolError") return error.message;
      throw error;
    }
  }

  async needs(tool: string, input: Record<string, unknown>): Promise<PermissionRequirement[]> {
    return (await this.plan(tool, input)).requires;
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
