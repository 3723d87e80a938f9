/** The suites of `npm test`: which files belong to each, and how Node is started to run them. */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { root, vsixFile } from "./version.mjs";

/**
 * @typedef {object} Start
 * @property {string[]} args arguments for Node
 * @property {Record<string, string>} [env] added to the environment
 * @property {number} timeoutMinutes
 *
 * @typedef {object} Choice
 * @property {string[]} files relative to the root
 * @property {boolean} all whether these are all files of the suite
 * @property {string | undefined} grep picks tests by title
 * @property {boolean} write whether the suite `pictures` writes its pictures instead of comparing them
 *
 * @typedef {(choice: Choice) => Start} Suite
 */

/**
 * The order in which suites run: rounds, each with rows of suites that run side by side. Those in the rows of one round
 * use one core each; the others use all cores, or must not be disturbed. "e2e 1/2" is every other file of that suite: a
 * window that starts or waits leaves its core to another one.
 * @type {readonly (readonly (readonly string[])[])[]}
 */
export const rounds = [
  [["fast", "commands", "conformance", "strict", "processes"]],
  [
    ["headless", "pictures", "fuzz", "e2e 1/2"],
    ["host", "panel", "e2e 2/2"],
  ],
];

/**
 * Longest time of a run of tests, whatever suites it has: what is left of it limits each suite, too. A run takes half an
 * hour on two cores, and more than twice as long where others use them. The workflows leave it this time
 * (`scripts/check-workflows.mjs`), and `.ci/run` is ended after 90 minutes.
 */
export const runLimitMinutes = 82;

/** @type {Record<string, Suite>} */
export const suites = {
  fast: (choice) => ({ args: parallelMocha(choice), timeoutMinutes: 20 }),
  commands: (choice) => ({ args: parallelMocha(choice), timeoutMinutes: 20 }),
  conformance: (choice) => ({ args: parallelMocha(choice), timeoutMinutes: 20 }),
  strict: (choice) => ({ args: parallelMocha(choice), timeoutMinutes: 20 }),
  processes: (choice) => ({ args: parallelMocha(choice), timeoutMinutes: 20 }),
  headless: (choice) => ({ args: mocha(choice), timeoutMinutes: 45 }),
  fuzz: (choice) => ({ args: mocha(choice), timeoutMinutes: 30 }),
  panel: (choice) => ({ args: mocha(choice), timeoutMinutes: 30 }),
  // Its fixtures have a time of their own, which the pictures show.
  pictures: (choice) => ({
    args: mocha(choice),
    env: { RONDO_FIXTURE_TIME: "2026-01-15T14:30:00Z", ...(choice.write && { RONDO_WRITE_PICTURES: "1" }) },
    timeoutMinutes: 30,
  }),
  host: ({ files, grep }) => ({
    args: ["test/extension/runner/run.mjs", ...files],
    ...(grep && { env: { RONDO_GREP: grep } }),
    timeoutMinutes: 30,
  }),
  e2e: (choice) => ({ args: mocha(choice, 240_000), env: { RONDO_VSIX: vsixFile }, timeoutMinutes: 60 }),
};

/**
 * Suites of files and folders whose tests are thousands, play whole sessions, start processes or need VS Code. The first
 * that matches counts.
 * @type {readonly [where: string, suite: string][]}
 */
const suiteOfPath = [
  ["conformance", "conformance"],
  ["cases", "conformance"],
  ["strict", "strict"],
  ["wire/streams.test.ts", "strict"],
  ["base/node", "processes"],
  ["project/git-state.test.ts", "processes"],
  ["project/hooks.test.ts", "processes"],
  ["record/lock.test.ts", "processes"],
  ["record/lock-claims.test.ts", "processes"],
  ["tools/bash.test.ts", "processes"],
  ["tools/run-command", "processes"],
  ["tools/sandbox/bubblewrap.test.ts", "processes"],
  ["tools/sandbox/bubblewrap-ends.test.ts", "processes"],
  ["tools/sandbox/git-places.test.ts", "processes"],
  ["tools/command/bounded.test.ts", "processes"],
  ["tools/command/git-ignored.test.ts", "processes"],
  ["tools/command/traced.test.ts", "processes"],
  ["tools/command", "commands"],
  ["tools/change-rules.test.ts", "commands"],
  ["sources/commit-message.test.ts", "processes"],
  ["sources", "commands"],
  ["tools/search.test.ts", "processes"],
  ["tour", "processes"],
  ["worktrees", "processes"],
  ["pictures", "pictures"],
  ["query", "headless"],
  ["headless", "headless"],
  ["mcp", "headless"],
  ["checkpoints", "headless"],
  ["fuzz", "fuzz"],
  ["extension", "host"],
  ["e2e", "e2e"],
];

/** Returns the suite that runs a test file, given relative to the root. */
export function suiteOf(/** @type {string} */ file) {
  if (file.endsWith(".browser.test.ts")) return "panel";
  const name = file.split(path.sep).slice(1).join("/");
  return suiteOfPath.find(([where]) => `${name}/`.startsWith(`${where}/`))?.[1] ?? "fast";
}

/** Returns all test files, relative to the root. */
export async function testFiles() {
  const entries = await readdir(path.join(root, "test"), { recursive: true });
  const files = entries.filter((file) => file.endsWith(".test.ts")).sort();
  return files.map((file) => path.join("test", file));
}

/** Runs several files at a time. @param {Choice} choice */
function parallelMocha(choice) {
  // Many tests wait for servers, timers and processes, so there is one more than a small machine has cores.
  return [...mocha(choice), ...(choice.all ? ["--parallel", "--jobs", "3"] : [])];
}

/**
 * The limit only ends tests that hang, so it leaves a busy machine its time.
 * @param {Pick<Choice, "files" | "grep">} choice @param {number} timeoutMs limit of one test
 */
function mocha({ files, grep }, timeoutMs = 180_000) {
  return [
    "node_modules/mocha/bin/mocha.js",
    ...["--require", "./test/random.ts", "--reporter", "test/reporter.mjs", "--timeout", String(timeoutMs)],
    ...(grep ? ["--grep", grep] : []),
    ...files,
  ];
}
