/**
 * Checks that each text for people can be read in each language: texts of the sources (`l10n/bundle.l10n.*.json`) and of the
 * manifest (`package.nls.*.json`). It fails for a text without a translation, a translation without a text, other
 * placeholders than in English, a text that is not a literal, a literal for people that does not go through
 * `src/l10n/l10n.ts` (`l10n/audience.mjs` says which are), and a name of a button or command that has another one.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { withoutLanguage } from "./l10n/audience.mjs";
import { languages, readManifestTexts, textProblems } from "./l10n/bundles.mjs";
import { nameProblems } from "./l10n/names.mjs";
import { textsOf } from "./l10n/source-texts.mjs";
import { root } from "./version.mjs";

const files = ["src", "webview"].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(ts|svelte)$/.test(file) && !file.endsWith(".d.ts"))
    .map((file) => path.posix.join(folder, file.replaceAll("\\", "/")))
    .sort(),
);
/** @type {string[]} */
const problems = [];
/** @type {Set<string>} */
const keys = new Set();

for (const file of files.filter((file) => file !== "src/l10n/l10n.ts")) {
  const { calls, literals } = textsOf(path.join(root, file));
  for (const call of calls) {
    for (const key of call.keys) {
      if (key === undefined) problems.push(`${file}:${call.line}: the text of ${call.name}() is not a literal`);
      else keys.add(key);
    }
    const missing = call.keys.flatMap((key) => [...(key ?? "").matchAll(/\{(\d+)\}/g)].map(([, at]) => Number(at)));
    if (missing.some((at) => at >= call.values)) {
      problems.push(`${file}:${call.line}: ${call.name}() has fewer values than placeholders`);
    }
  }
  for (const literal of withoutLanguage(root, file, literals)) {
    problems.push(`${file}:${literal.line}: this text has no language: ${literal.text.slice(0, 80)}`);
  }
}

for (const language of languages) {
  const bundle = JSON.parse(readFileSync(path.join(root, `l10n/bundle.l10n.${language}.json`), "utf8"));
  const english = Object.fromEntries([...keys].map((key) => [key, key]));
  problems.push(...textProblems(`bundle.l10n.${language}.json`, english, bundle));
  const manifest = { english: readManifestTexts(""), translated: readManifestTexts(language) };
  problems.push(...textProblems(`package.nls.${language}.json`, manifest.english, manifest.translated));
  problems.push(...nameProblems(`bundle.l10n.${language}.json`, keys, bundle, manifest));
}
const manifest = readFileSync(path.join(root, "package.json"), "utf8");
const used = new Set([...manifest.matchAll(/"%([\w.-]+)%"/g)].map(([, key = ""]) => key));
const known = new Set(Object.keys(readManifestTexts("")));
for (const key of used) if (!known.has(key)) problems.push(`package.json: %${key}% is not in package.nls.json`);
for (const key of known) if (!used.has(key)) problems.push(`package.nls.json: nobody uses ${key}`);

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${keys.size + known.size} texts in ${languages.join(", ")}.`);
