/** Another program that imports `dist/loop.js`. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { query as declared } from "../../src/query/loop.d.ts";
import { QueryError, query } from "../../src/query/query.ts";
import { build, root } from "../build.ts";
import { calls, says, worlds } from "./world.ts";

const loop = path.join(root, "dist/loop.js");

describe("dist/loop.js", () => {
  const open = worlds();
  let folder: string;
  before(build);
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-consumer-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("K2 a program in another folder imports it, runs a query, and exits normally", async () => {
    const world = await open([calls(["read", { file_path: "a.txt" }]), says("It says x.")]);
    world.write("a.txt", "x");
    const program = path.join(folder, "consumer.mjs");
    const options = {
      cwd: world.folder,
      baseUrl: world.server.url,
      sessionDir: world.sessions,
      settingSources: [],
      titles: false,
    };
    writeFileSync(
      program,
      `import { query, QueryError } from ${JSON.stringify(loop)};
       const kinds = [];
       const run = query({ prompt: "Go", options: ${JSON.stringify(options)} });
       for await (const message of run) kinds.push(message.subtype ?? message.type);
       let code;
       try { query({ prompt: "Go", options: { plugins: [{}] } }); }
       catch (error) { code = error instanceof QueryError && error.code; }
       console.log(JSON.stringify({ kinds, turns: run.turnCount, exit: run.exitReason, code }));`,
    );
    const env = { PATH: process.env["PATH"], HOME: world.home, TMPDIR: os.tmpdir(), ANTHROPIC_API_KEY: "test-key" };
    const child = spawn(process.execPath, [program], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    const [status] = await once(child, "close");
    assert.equal(status, 0);
    assert.deepEqual(JSON.parse(stdout), {
      kinds: ["init", "assistant", "tool_progress", "tool_progress", "user", "assistant", "success"],
      turns: 2,
      exit: "end_turn",
      code: "unsupported-option",
    });
  });

  it("K2 its types are complete, including those of its exports", () => {
    const types = readFileSync(path.join(root, "dist/loop.d.ts"), "utf8");
    assert.ok(!/^\s*import\b|from "/m.test(types), "they need no other file");
    writeFileSync(
      path.join(folder, "consumer.ts"),
      `import { query, QueryError, type Options, type SDKMessage, type SDKResultMessage } from ${JSON.stringify(loop)};
       const options: Options = {
         model: "claude-sonnet-5",
         permissionMode: "plan",
         canUseTool: async (tool, input, { signal }) =>
           tool === "bash" && !signal.aborted ? { behavior: "deny", message: "no" } : { behavior: "allow", updatedInput: input },
         hooks: { PreToolUse: [{ matcher: "Bash", hooks: [async (input) => ({ decision: "block", reason: input.cwd })] }] },
         limits: { maxRetries: 1 },
       };
       export async function main(): Promise<SDKResultMessage | undefined> {
         await using run = query({ prompt: "Go", options });
         await run.setModel("claude-haiku-4-5");
         await run.setMaxThinkingTokens(null);
         const all: SDKMessage[] = [];
         for await (const message of run) {
           all.push(message);
           if (message.type === "assistant") for (const block of message.message.content) if (block.type === "text") block.text.trim();
           if (message.type === "system" && message.subtype === "compact_boundary") message.compact_metadata.pre_tokens.toFixed();
           if (message.type === "result" && run.totalCostUsd !== null) return message;
         }
         return undefined;
       }
       export const isOurs = (error: unknown): string | undefined => error instanceof QueryError ? error.code : undefined;
       // Declared here, because the types of Node or the browser would take seconds.
       declare global {
         interface AbortSignal { readonly aborted: boolean }
         interface AbortController { readonly signal: AbortSignal }
       }
       // @ts-expect-error there is no such option
       query({ prompt: "x", options: { modle: "x" } });
       // @ts-expect-error nor such a mode
       query({ prompt: "x", options: { permissionMode: "yolo" } });
`,
    );
    const args = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "consumer.ts"];
    const lib = ["--lib", "es2024,esnext.disposable"];
    const tsc = path.join(root, "node_modules/typescript/bin/tsc");
    const { status, stdout } = spawnSync(process.execPath, [tsc, ...lib, ...args], { cwd: folder, encoding: "utf8" });
    assert.equal(stdout, "");
    assert.equal(status, 0);
  });

  it("K2 its declarations match its exports", () => {
    // Checked by tsc: the declaration is written by hand.
    const same: typeof declared = query;
    assert.equal(same, query);
    assert.ok(new QueryError("no-session", "x") instanceof Error);
  });
});
