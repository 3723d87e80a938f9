/**
 * `npm run fuzz [-- FILE…]`: plays the random tests of all files, or of those named, with new seeds, which are printed.
 * A file is left after `--seeds N` seeds or `--minutes M`, whichever comes first. Failures do not end the run: they are
 * listed at its end, each with the line that repeats it.
 */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { runSuite } from "./run-suite.mjs";
import { suiteOf, suites, testFiles } from "./test-suites.mjs";
import { root } from "./version.mjs";

/** Longest time that one process is to take. */
const batchMs = 60_000;

const { values, positionals } = parseArgs({
  options: { seeds: { type: "string", default: "20" }, minutes: { type: "string", default: "1" } },
  allowPositionals: true,
});
const [seeds, limitMs] = [Number(values.seeds), Number(values.minutes) * 60_000];
if (!(seeds > 0) || !(limitMs > 0)) throw new Error("--seeds and --minutes are numbers above 0.");
process.chdir(root);
const isRandom = (/** @type {string} */ file) => readFileSync(file, "utf8").includes('/random.ts"');
const random = (await testFiles()).filter(isRandom);
const named = positionals.map((name) => path.relative(root, path.resolve(name)));
const unknown = named.find((name) => !random.includes(name));
if (unknown) throw new Error(`${unknown} is no file with random tests. These are:\n${random.join("\n")}`);

/** @type {import("../test/reporter.mjs").Failure[]} */
const failures = [];
let passed = 0;

/** Plays the random tests of a file. Returns the number of failures. @param {string} file @param {number[]} batch */
async function play(file, batch) {
  const name = suiteOf(file);
  const start = suites[name];
  if (!start) throw new Error(`There is no suite ${name}.`);
  /** @type {Buffer[]} */
  const output = [];
  const { env, ...rest } = start({ files: [file], all: false, grep: "\\(seed -?\\d+\\)$", write: false });
  const seeded = { ...rest, env: { ...env, RONDO_SEED: batch.join() } };
  const { counts, failures: found } = await runSuite(name, seeded, (chunk) => void output.push(chunk));
  if (counts.failed > 0) for (const chunk of output) process.stdout.write(chunk);
  failures.push(...found.map(({ title, error }) => ({ title: `${file}: ${title}`, error })));
  passed += counts.passed;
  return counts.failed;
}

/** Plays new seeds until there are enough, or the time is over. @param {string} file */
async function playFile(file) {
  const end = Date.now() + limitMs;
  let [played, failed, seedMs] = [0, 0, batchMs];
  while (played < seeds && Date.now() < end) {
    const time = Math.min(batchMs, end - Date.now());
    const count = Math.min(seeds - played, Math.max(1, Math.floor(time / seedMs)));
    const batch = Array.from({ length: count }, () => randomInt(2 ** 31));
    console.log(`RONDO_SEED=${batch.join()} npm run test:file -- ${file}`);
    const begun = Date.now();
    failed += await play(file, batch);
    seedMs = (Date.now() - begun) / count;
    played += count;
  }
  console.log(`${file}: ${played} seeds, ${failed} failed\n`);
}

if (spawnSync(process.execPath, ["esbuild.mjs"], { stdio: "inherit" }).status !== 0) process.exit(1);
for (const file of named.length > 0 ? named : random) await playFile(file);
for (const { title, error } of failures) console.log(`Failed: ${title}\n${error}\n`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length > 0 ? 1 : 0;
