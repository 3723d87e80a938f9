/**
 * `npm run shape [-- FOLDER] [--files]`: counts what shows where the code grows, in this checkout or another one that has
 * its packages installed. `--files` lists what was counted in the sources; the comments of `shape-counts.mjs` and
 * `shape-kinds.mjs` say what counts there.
 *
 * Then it counts the functions and files that a text prompt, an edit and a bash command pass: "in a session", from a prompt
 * given to `query()` to the end of its turn, after an earlier turn, with a question that is answered for each call that
 * asks; and "as a process", of the command line from its start to its end, where nobody is asked (Bypass). A function
 * counts if it has a name and was called; a file, if one of its functions was. All of src counts, so that it makes no
 * difference in which folder code stands. V8 itself counts the calls.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { startModelServer } from "../test/model-server.ts";
import { countsOf, sourcesOf } from "./shape-counts.mjs";
import { filesByKind } from "./shape-kinds.mjs";
import { root } from "./version.mjs";

/**
 * @typedef {import("node:inspector").Profiler.ScriptCoverage} ScriptCoverage
 * @typedef {import("../test/model-server.ts").Block} Block
 * @typedef {{functions: number, files: number}} Count
 */

const {
  positionals: [folder = root],
  values: { files: listsFiles },
} = parseArgs({ allowPositionals: true, options: { files: { type: "boolean", default: false } } });
const checkout = path.resolve(folder);
const source = pathToFileURL(`${path.join(checkout, "src")}${path.sep}`).href;

/** What the model answers to a prompt, reply by reply. @type {Record<string, Block[][]>} */
const ways = {
  "text prompt": [[{ text: "Hello." }]],
  edit: [
    [{ call: { name: "read", input: { file_path: "a.txt" } } }],
    [{ call: { name: "edit", input: { file_path: "a.txt", old_string: "one", new_string: "two" } } }],
    [{ text: "Done." }],
  ],
  "bash command": [
    [{ call: { name: "bash", input: { command: "echo one > b.txt", description: "Writes a file" } } }],
    [{ text: "Done." }],
  ],
};

for (const { what, count, of, places } of countsOf(sourcesOf(checkout))) {
  console.log(`${String(count).padStart(4)} ${what}${of ? ` (${of})` : ""}`);
  list(places);
}
console.log("\nFiles that name one of a kind, and its own:");
for (const { what, example, own, others } of filesByKind(checkout)) {
  console.log(`${String(others.length).padStart(4)} + ${own.length}  ${what} (${example})`);
  list(others);
}
console.log("\nOn the way of …");

/** @type {Block[][]} */
let answers = [];
const server = await startModelServer(({ body }) => {
  // A request without tools is for a title.
  return Array.isArray(body["tools"]) ? (answers.shift() ?? []) : [{ text: "A title" }];
});
process.env["ANTHROPIC_API_KEY"] = "none";
try {
  for (const [way, replies] of Object.entries(ways)) {
    print(`${way}, in a session`, await inSession(replies));
    print(`${way}, as a process`, await inProcess(replies));
  }
} finally {
  await server.stop();
}

/** Counts a turn of a session that has had one before. @param {Block[][]} replies @returns {Promise<Count>} */
async function inSession(replies) {
  const { query } = await import(new URL("query/query.ts", source).href);
  const cwd = workspace();
  const inspector = new Session();
  inspector.connect();
  await inspector.post("Profiler.enable");
  /** Ends the wait for the second prompt. */
  const { promise: isReady, resolve: goOn } = Promise.withResolvers();
  async function* prompts() {
    yield { type: "user", message: { role: "user", content: "Hello" } };
    await isReady;
    yield { type: "user", message: { role: "user", content: "Go on" } };
  }
  const options = { cwd, provider: "anthropic", baseUrl: server.url, model: "claude-sonnet-4-5" };
  const allow = async (/** @type {string} */ _name, /** @type {object} */ input) => ({
    behavior: "allow",
    updatedInput: input,
  });
  answers = [[{ text: "Hello." }]];
  const run = query({
    prompt: prompts(),
    options: { ...options, sessionDir: path.join(cwd, ".s"), canUseTool: allow },
  });
  const results = [];
  for await (const message of run) {
    if (message.type !== "result") continue;
    results.push(message.subtype);
    if (results.length === 1) {
      answers = [...replies];
      await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
      goOn(undefined);
    }
  }
  const { result } = await inspector.post("Profiler.takePreciseCoverage");
  inspector.disconnect();
  rmSync(cwd, { recursive: true });
  if (results.join() !== "success,success") throw new Error(`The turns ended with ${results.join()}.`);
  return counted(result);
}

/** Counts a whole run of the command line. @param {Block[][]} replies @returns {Promise<Count>} */
async function inProcess(replies) {
  const cwd = workspace();
  const coverage = path.join(cwd, ".coverage");
  answers = [...replies];
  const options = ["--cwd", cwd, "--provider", "anthropic", "--base-url", server.url, "--model", "claude-sonnet-4-5"];
  const more = ["--permission-mode", "bypassPermissions", "--session-dir", path.join(cwd, ".s"), "Hello"];
  const entry = path.join(checkout, "src/headless/headless.ts");
  const child = spawn(process.execPath, ["--no-warnings", entry, ...options, ...more], {
    env: { ...process.env, NODE_V8_COVERAGE: coverage, XDG_STATE_HOME: path.join(cwd, ".state") },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  const scripts = readdirSync(coverage).flatMap((file) => {
    /** @type {ScriptCoverage[]} */
    const found = JSON.parse(readFileSync(path.join(coverage, file), "utf8")).result;
    return found;
  });
  rmSync(cwd, { recursive: true });
  if (code !== 0) throw new Error(`The command line ended with exit code ${code}.`);
  return counted(scripts);
}

function workspace() {
  const cwd = mkdtempSync(path.join(os.tmpdir(), "rondo-shape-"));
  writeFileSync(path.join(cwd, "a.txt"), "one\n");
  return cwd;
}

/** Counts what was called; threads and processes may have called the same. @param {ScriptCoverage[]} scripts @returns {Count} */
function counted(scripts) {
  const called = new Set();
  const files = new Set();
  for (const { url, functions } of scripts) {
    if (!url.startsWith(source)) continue;
    for (const { functionName, ranges } of functions) {
      const [whole] = ranges;
      if (functionName === "" || !whole?.count) continue;
      called.add(`${url} ${functionName} ${whole.startOffset}`);
      files.add(url);
    }
  }
  return { functions: called.size, files: files.size };
}

function print(/** @type {string} */ way, /** @type {Count} */ { functions, files }) {
  console.log(`${way.padEnd(26)} ${String(functions).padStart(5)} functions ${String(files).padStart(4)} files`);
}

function list(/** @type {string[]} */ places) {
  if (listsFiles) for (const place of places) console.log(`         ${place}`);
}
