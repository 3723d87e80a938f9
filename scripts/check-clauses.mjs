/** Checks that each clause of the specification has a test: one whose title names it, as in `it("L4 a reply that …")`. */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");

/** How many clauses each letter has; `O` has no number. */
const letters = { D: 5, P: 4, L: 11, E: 6, T: 12, C: 7, M: 2, H: 6, Q: 3, B: 2, K: 4, R: 7, S: 1, I: 10 };
const clauses = [...Object.entries(letters).flatMap(([letter, count]) => numbered(letter, count)), "O"];

const titles = (await Promise.all((await testFiles()).map(titlesIn))).flat();
const problems = [];
for (const clause of clauses) {
  const count = titles.filter(({ title }) => clausesOf(title).includes(clause)).length;
  console.log(`${clause.padEnd(4)}${String(count).padStart(4)}`);
  if (count === 0) problems.push(`No test names the clause ${clause}.`);
}
for (const { file, title } of titles) {
  const unknown = clausesOf(title).filter((word) => !clauses.includes(word));
  if (unknown.length > 0) problems.push(`${file}: there is no clause ${unknown.join(", ")}: "${title}"`);
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`Each of the ${clauses.length} clauses has a test.`);

/** @param {string} letter @param {number} count */
function numbered(letter, count) {
  return Array.from({ length: count }, (_, at) => `${letter}${at + 1}`);
}

async function testFiles() {
  const names = await readdir(path.join(root, "test"), { recursive: true });
  return names.filter((name) => name.endsWith(".test.ts")).map((name) => path.join("test", name));
}

/** Titles of tests that run: `it.skip` proves nothing. @param {string} file */
async function titlesIn(file) {
  const text = await readFile(path.join(root, file), "utf8");
  const found = text.matchAll(/\bit\(\s*(["'`])((?:\\.|(?!\1).)*)\1/gs);
  return [...found].map(([, , title = ""]) => ({ file, title }));
}

/** The clauses that a title begins with: "H1 H4 another try". @param {string} title */
function clausesOf(title) {
  return /^((?:[A-Z]\d{1,2}|O):?\s+)*/.exec(title)?.[0].trim().split(/:?\s+/).filter(Boolean) ?? [];
}
