/** The command line in German: what people read is translated, what programs read is not. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { build, root } from "../build.ts";

function run(args: string[], input = "") {
  const env = { PATH: process.env["PATH"], HOME: os.tmpdir(), LC_ALL: "de_DE.UTF-8" };
  return spawnSync(process.execPath, [path.join(root, "dist/headless.js"), ...args], { encoding: "utf8", input, env });
}

describe("the command line in German", () => {
  before(build);

  it("says what is wrong", () => {
    const { status, stdout, stderr } = run(["--resume", "a", "--continue", "Hi"]);
    assert.deepEqual([status, stdout], [2, ""]);
    assert.equal(stderr, "rondo: Verwenden Sie entweder --resume oder --continue.\n");
  });

  it("says what an option does not do, each time with the program's name", () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "rondo-language-"));
    try {
      writeFileSync(path.join(folder, ".mcp.json"), '{"mcpServers": {}}');
      const args = ["--cwd", folder, "--no-persist", "--provider", "ollama", "--base-url", "http://127.0.0.1:9"];
      const { stderr } = run([...args, "--model", "x", "--max-retries", "0", "Hi"]);
      const [first, ...more] = stderr.trim().split("\n");
      assert.equal(
        first,
        "rondo: Die Server aus .mcp.json wurden nicht gestartet: allowProjectMcpServers (--project-mcp) lässt sie zu.",
      );
      assert.deepEqual(more, [
        "rondo: Ollama antwortet nicht. Prüfen Sie, ob der Server läuft, und seine Adresse in den Einstellungen.",
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("prints its help", () => {
    const { status, stdout } = run(["--help"]);
    assert.equal(status, 0);
    assert.match(stdout, /^Verwendung: node dist\/headless\.js \[Optionen\] PROMPT\n/);
    assert.match(stdout, /--max-budget-usd X/);
  });

  it("explains commands to programs in English", () => {
    const call = { tool: "bash", input: { command: "npm publish" } };
    const { status, stdout } = run(["--explain", "--cwd", root], `${JSON.stringify(call)}\n`);
    assert.equal(status, 0);
    assert.equal(JSON.parse(stdout).why, "Asks because no rule allows it.");
  });
});
