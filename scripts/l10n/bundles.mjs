/** The files of texts: those of the sources by their English text, those of the manifest by a name. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../version.mjs";

/** Languages other than English: those that have a file of texts. */
export const languages = readdirSync(path.join(root, "l10n")).flatMap(
  (name) => /^bundle\.l10n\.([\w-]+)\.json$/.exec(name)?.[1] ?? [],
);

/** Returns the texts of the manifest by name. @param {string} language empty: English @returns {Record<string, string>} */
export function readManifestTexts(language) {
  return JSON.parse(readFileSync(path.join(root, `package.nls${language && `.${language}`}.json`), "utf8"));
}

/** Returns the manifest as VS Code shows it in English. */
export function readEnglishManifest() {
  const texts = readManifestTexts("");
  const source = readFileSync(path.join(root, "package.json"), "utf8");
  return JSON.parse(source, (_, value) => {
    const name = typeof value === "string" ? /^%([\w.-]+)%$/.exec(value)?.[1] : undefined;
    return name === undefined ? value : (texts[name] ?? value);
  });
}

const placeholders = (/** @type {string} */ text) => [...new Set(text.match(/\{\d+\}/g))].sort().join(" ");
/** What must be the same in each language: names of settings, commands, links, and code. */
const fixed = (/** @type {string} */ text) => [...new Set(text.match(/`[^`]+`|\]\([^)]+\)/g))].sort().join(" ");

/**
 * Compares a language with English. @param {string} file for messages
 * @param {Record<string, string>} english @param {Record<string, unknown>} translated
 */
export function textProblems(file, english, translated) {
  /** @type {string[]} */
  const problems = [];
  for (const [name, text] of Object.entries(english)) {
    const own = Object.hasOwn(translated, name) ? translated[name] : undefined;
    if (typeof own !== "string" || own.trim() === "") problems.push(`${file}: there is no text for "${name}"`);
    else if (placeholders(own) !== placeholders(text)) problems.push(`${file}: other placeholders in "${name}"`);
    else if (fixed(own) !== fixed(text)) problems.push(`${file}: other code or links in "${name}"`);
  }
  for (const name of Object.keys(translated)) {
    if (!Object.hasOwn(english, name)) problems.push(`${file}: nobody uses "${name}"`);
  }
  return problems;
}
