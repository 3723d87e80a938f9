/** Programs that Rondo starts inside a process whose environment has keys, as that of VS Code's extension host may. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { GitObjects } from "../../../src/checkpoints/steps/git-objects.ts";
import { StdioTransport } from "../../../src/mcp/connection/stdio-transport.ts";
import { commandHooks } from "../../../src/project/command-hooks.ts";
import { gitState } from "../../../src/project/git-state.ts";
import { loadHooks } from "../../../src/project/hook-settings.ts";
import { providers } from "../../../src/providers/providers.ts";
import { nodeSearch } from "../../../src/tools/node-host/ripgrep.ts";
import { nodeTerminal } from "../../../src/tools/node-host/terminal.ts";
import { usualBoundary } from "../../read-boundary.ts";

const source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../../src");
const key = "sk-never-in-a-child-process";
const names = [...Object.values(providers).map(({ keyVariable }) => keyVariable), "ANTHROPIC_AUTH_TOKEN"];

describe("the environment of programs that Rondo starts", () => {
  let root: string;
  let folder: string;
  let kept: NodeJS.ProcessEnv;
  const signal = new AbortController().signal;

  before(function () {
    if (process.platform === "win32") this.skip();
    root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "rondo-env-")));
    folder = path.join(root, "work");
    for (const name of ["work", "bin", "seen"]) mkdirSync(path.join(root, name));
    kept = { ...process.env };
    // Each writes its environment, and then is the real program.
    for (const program of ["git", "mkfifo", "rg", "server"]) {
      const file = path.join(root, "bin", program);
      const real = `PATH="${kept["PATH"]}" exec ${program} "$@"`;
      writeFileSync(file, `#!/bin/sh\nenv > "${root}/seen/${program}.$$"\n${program === "server" ? "cat" : real}\n`);
      chmodSync(file, 0o755);
    }
    execFileSync("git", ["init", "-q", folder]);
    process.env["PATH"] = `${root}/bin:${kept["PATH"]}`;
    for (const name of names) process.env[name] = `${key}-${name}`;
    process.env["ANOTHER_NAME"] = `Bearer ${key}-OPENAI_API_KEY`;
    process.env["THE_USERS_OWN"] = "yes";
  });
  after(() => {
    if (kept === undefined) return;
    for (const name of Object.keys(process.env)) if (kept[name] === undefined) delete process.env[name];
    Object.assign(process.env, kept);
    rmSync(root, { recursive: true, force: true });
  });

  /** Starts one of each kind; each leaves a file in `seen`. */
  const kinds: Record<string, () => Promise<unknown>> = {
    command: () =>
      nodeTerminal().run({ command: "env > ../seen/command", cwd: folder, signal, onOutput() {}, onWaiting() {} }),
    hook: () => {
      const own = { Stop: [{ hooks: [{ type: "command", command: "env > ../seen/hook" }] }] };
      const sources = { folders: [folder], home: os.devNull, trusted: true, boundary: usualBoundary };
      const context = { cwd: folder, sessionID: "ses_1", transcriptPath: "", env: process.env, onNote() {} };
      const hooks = commandHooks(loadHooks({ ...sources, own }), { ...context, permissionMode: () => "default" });
      return hooks.fire("Stop", undefined, {}, signal);
    },
    server: async () => {
      const launch = { type: "stdio" as const, command: "server", args: [], env: {}, cwd: folder };
      const transport = new StdioTransport(launch, process.env, () => {});
      await transport.start();
      await transport.close();
    },
    "git state": () => gitState(folder),
    "git objects": () => new GitObjects(folder).readIndex(new Map()),
    ripgrep: () => nodeSearch(path.join(root, "bin/rg")).ripgrep(["--version"], { cwd: folder, limit: 1000, signal }),
  };
  for (const [kind, start] of Object.entries(kinds)) {
    it(`${kind}: has the user's variables, and no key`, async () => {
      const seen = path.join(root, "seen");
      rmSync(seen, { recursive: true });
      mkdirSync(seen);
      await start();
      const files = readdirSync(seen);
      assert.notEqual(files.length, 0);
      for (const file of files) {
        const environment = readFileSync(path.join(seen, file), "utf8");
        assert.match(environment, /^THE_USERS_OWN=yes$/m, file);
        assert.ok(!environment.includes(key), file);
      }
    });
  }

  it("no program is started in the source without saying with which environment", () => {
    const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    const starts = files.flatMap((name) => {
      const text = readFileSync(path.join(source, name), "utf8");
      if (!text.includes('from "node:child_process"')) return [];
      return [...text.matchAll(/(?<![.#\w])(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|fork)\((?!\))/g)].map(
        ({ index }) => ({ name, call: wholeCall(text, index) }),
      );
    });
    assert.ok(starts.length > 10);
    // By then the command line has taken the keys out of its environment.
    const others = starts.filter(({ name }) => name !== path.join("headless", "take-keys.ts"));
    assert.deepEqual(
      others.filter(({ call }) => !/\benv\b|\boptions\b/.test(call)),
      [],
    );
    // Through that one place, git follows no variable and runs no program that is not the user's.
    const ofGit = starts.filter(({ call }) => /["'`]git(?:[.]exe)?\b/.test(call));
    assert.deepEqual([...new Set(ofGit.map(({ name }) => name))], [path.join("base", "node", "run-git.ts")]);
  });
});

/** Returns a call up to its closing parenthesis, as far as parentheses in strings allow. */
function wholeCall(text: string, index: number): string {
  let depth = 0;
  for (let end = text.indexOf("(", index); end < text.length; end++) {
    if (text[end] === "(") depth++;
    if (text[end] === ")" && --depth === 0) return text.slice(index, end + 1);
  }
  return text.slice(index);
}
