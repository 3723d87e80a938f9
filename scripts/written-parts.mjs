/**
 * What scripts write from the code: whole files, or parts of documents between `<!-- Written: NAME -->` and
 * `<!-- End -->`. With `--check` nothing is written, and a file that is out of date fails.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { root } from "./version.mjs";

const parts = /<!-- Written: (.*?) -->[\s\S]*?<!-- End -->/g;

/** @param {string} file from the root @param {(before: string) => string} write returns the text that it has to have */
export function rewrite(file, write) {
  const place = path.join(root, file);
  const before = readFileSync(place, "utf8");
  const after = write(before);
  if (after === before) return;
  if (!process.argv.includes("--check")) return writeFileSync(place, after);
  console.error(`${file} is out of date. Run \`npm run docs\`.`);
  process.exitCode = 1;
}

/** Returns a document with these texts in its parts. @param {string} document @param {Record<string, string>} texts by name */
export function withParts(document, texts) {
  return document.replace(parts, (_, name) => {
    const text = texts[name];
    if (text === undefined) throw new Error(`Nothing is written as “${name}”.`);
    return `<!-- Written: ${name} -->${text}<!-- End -->`;
  });
}

/** Returns a document without the parts that scripts write. @param {string} document */
export const withoutParts = (document) => document.replace(parts, "");

/** Returns a table of Markdown. @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
export function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  return `\n${line(head)}${line(head.map(() => "---"))}${rows.map(line).join("")}`;
}
