/**
 * Checks that each clause of docs/develop/spec.md has a test whose title begins with its id, as in `it("L4 a reply that …")`,
 * and that titles name no other clauses. Prints the number of tests by clause.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { root } from "./version.mjs";

const specification = readFileSync(path.join(root, "docs/develop/spec.md"), "utf8");
/** A clause is a list item that begins with its id in bold: `- **L4** …` or `- **D1 ids.** …`. */
const clauses = [...specification.matchAll(/^- \*\*([A-Z]\d{0,2})\b/gm)].map(([, id = ""]) => id);

const titles = readdirSync(path.join(root, "test"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .flatMap(titlesIn);
const problems = [];
for (const clause of clauses) {
  const count = titles.filter(({ title }) => clausesOf(title).includes(clause)).length;
  console.log(`${clause.padEnd(4)}${String(count).padStart(4)}`);
  if (count === 0) problems.push(`No test names the clause ${clause}.`);
}
for (const { file, title } of titles) {
  const unknown = clausesOf(title).filter((id) => !clauses.includes(id));
  if (unknown.length > 0)
    problems.push(`${file}: docs/develop/spec.md has no clause ${unknown.join(", ")}: "${title}"`);
}

if (clauses.length === 0) problems.push("docs/develop/spec.md has no clauses.");
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`Each of the ${clauses.length} clauses has a test.`);

/** Returns the titles of tests that run, so not those of `it.skip`. @param {string} file */
function titlesIn(file) {
  const text = readFileSync(path.join(root, "test", file), "utf8");
  const found = text.matchAll(/\b(?:it|randomly)\(\s*(["'`])((?:\\.|(?!\1).)*)\1/gs);
  return [...found].map(([, , title = ""]) => ({ file, title }));
}

/** Returns the ids that a title begins with, for example H1 and H4 of "H1 H4 another try". @param {string} title */
function clausesOf(title) {
  return /^((?:[A-Z]\d{1,2}|O):?\s+)*/.exec(title)?.[0].trim().split(/:?\s+/).filter(Boolean) ?? [];
}
