/**
 * Checks that what the project's documents name is there: files and headings that a link leads to, and paths between
 * backticks, which end in a file or a folder. The change log tells of files that were.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { root } from "./version.mjs";

const [folder = root] = process.argv.slice(2);

const documents = [".", ".github", "docs"].flatMap((place) =>
  readdirSync(path.join(folder, place), { recursive: place !== ".", encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => path.join(place, name).replaceAll("\\", "/")),
);
const problems = documents.flatMap((file) => {
  const text = withoutBlocks(readFileSync(path.join(folder, file), "utf8"));
  const links = [...text.replace(/`[^`\n]*`/g, "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  const paths = [...text.matchAll(/`((?:src|webview|test|scripts|docs)\/[\w./-]+)`/g)].map(([, name = ""]) => name);
  const isPlaceholder = (/** @type {string} */ name) => /\b(NAME|DIR|FILE)\b/.test(name);
  return [
    ...links.filter((link) => !leadsSomewhere(file, link)).map((link) => `${file}: ${link} leads nowhere`),
    ...(file === "CHANGELOG.md" ? [] : paths)
      .filter((name) => !isPlaceholder(name) && !existsSync(path.join(folder, name)))
      .map((name) => `${file}: there is no ${name}`),
  ];
});
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`The links of ${documents.length} documents lead somewhere.`);

/** Whether a link leads to a file, and to a heading of it if it names one. Addresses of the web are not asked. @param {string} file @param {string} link */
function leadsSomewhere(file, link) {
  if (/^[a-z]+:/.test(link)) return true;
  const [name = "", heading] = link.split("#");
  const target = name === "" ? file : path.join(path.dirname(file), decodeURI(name));
  if (!existsSync(path.join(folder, target))) return false;
  return heading === undefined || headingsOf(target).has(heading);
}

/** Returns the names that GitHub gives the headings of a document. @param {string} file */
function headingsOf(file) {
  const headings = withoutBlocks(readFileSync(path.join(folder, file), "utf8")).matchAll(/^#+ +(.+?) *$/gm);
  const names = [...headings].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
  return new Set(names);
}

/** Takes out blocks of code. @param {string} text */
function withoutBlocks(text) {
  return text.replace(/^ *(```+)[^\n]*\n.*?^ *\1 *$/gms, "");
}
