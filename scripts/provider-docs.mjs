/**
 * Writes what repeats the list of providers (`src/providers/families/families.ts`): the names of variables with keys, the
 * settings in the manifest, and the parts of documents between `<!-- Written: … -->` and `<!-- End -->`. `--check` changes
 * nothing and fails when one of them is not current.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { localServers, providers } from "../src/providers/families/families.ts";
import { readManifestTexts } from "./l10n/bundles.mjs";
import { root } from "./version.mjs";

/** @typedef {import("../src/providers/families/family.ts").Provider} Provider */

const all = Object.entries(providers);
const clouds = all.filter(([id]) => localServers.every(([localID]) => localID !== id));
/** @type {[string, Provider][]} */
const local = localServers;
const namesOf = (/** @type {[string, Provider][]} */ some) => some.map(([, { name }]) => name);

/** What is written into each file. @type {Record<string, (text: string) => string>} */
const files = {
  "src/base/key-variables.ts": keyVariables,
  "package.json": manifest,
  "docs/models.md": document,
  "README.md": document,
};

let isOutdated = false;
for (const [name, write] of Object.entries(files)) {
  const file = path.join(root, name);
  const before = readFileSync(file, "utf8");
  const after = write(before);
  if (after === before) continue;
  if (process.argv.includes("--check")) {
    console.error(`${name} does not have the providers of src/providers/families/families.ts. Run \`npm run docs\`.`);
    isOutdated = true;
  } else writeFileSync(file, after);
}
if (isOutdated) process.exitCode = 1;

/** `src/base` cannot import the providers, and no start has to load them for these names. */
function keyVariables() {
  const list = (/** @type {string[]} */ names) => `[\n${names.map((name) => `  ${JSON.stringify(name)},\n`).join("")}]`;
  const named = all.map(([, provider]) => provider);
  return `/** Written by scripts/provider-docs.mjs from src/providers/families. Do not edit; run \`npm run docs\`. */

/** Variables from which providers read their keys. */
export const keyVariables = ${list(named.map(({ keyVariable }) => keyVariable))} as const;
export type KeyVariable = (typeof keyVariables)[number];

/** Variables in which other programs keep keys of the same providers. */
export const otherKeyVariables = ${list(named.flatMap(({ otherKeyVariables = [] }) => otherKeyVariables))};

/** Those whose value commands have under a name of their own, too. */
export const accountTokens = ${list(named.flatMap(({ hasAccountToken, keyVariable }) => (hasAccountToken ? [keyVariable] : [])))};
`;
}

/** @param {string} text */
function manifest(text) {
  const source = JSON.parse(text);
  const properties = Object.assign(
    {},
    ...source.contributes.configuration.map((/** @type {{ properties: object }} */ group) => group.properties),
  );
  const texts = readManifestTexts("");
  const nameOf = (/** @type {string} */ id, /** @type {string} */ otherwise) => {
    const key = `setting.provider.${id}`;
    return texts[key] === undefined ? otherwise : `%${key}%`;
  };
  const $comment = "Written by npm run docs";
  Object.assign(properties["rondo.provider"], {
    $comment,
    enum: ["", ...all.map(([id]) => id), "vscode"],
    enumItemLabels: ["%setting.provider.label.automatic%", ...namesOf(all), "VS Code"],
    enumDescriptions: [
      "%setting.provider.meaning.automatic%",
      ...all.map(([id, { name }]) => nameOf(`meaning.${id}`, name)),
      "%setting.provider.meaning.vscode%",
    ],
  });
  Object.assign(properties["rondo.localServers"], {
    $comment,
    default: Object.fromEntries(local.map(([id, { baseURL }]) => [id, baseURL])),
    properties: Object.fromEntries(local.map(([id]) => [id, { type: "string" }])),
  });
  return `${JSON.stringify(source, undefined, 2)}\n`;
}

/** @param {string} text */
function document(text) {
  /** @type {Record<string, () => string>} */
  const parts = {
    "the table of providers": () => `\n${table().join("\n")}\n`,
    // Without what stands in parentheses: "xAI", not "xAI (Grok)".
    "providers with keys": () => enumeration(namesOf(clouds).map((name) => name.replace(/ \(.*\)$/, ""))),
    "servers on the machine": () => enumeration(namesOf(local)),
  };
  return text.replace(/<!-- Written: (.*?) -->[\s\S]*?<!-- End -->/g, (_, name) => {
    const part = parts[name];
    if (!part) throw new Error(`Nothing is written as “${name}”.`);
    return `<!-- Written: ${name} -->${part()}<!-- End -->`;
  });
}

function table() {
  const row = (/** @type {string[]} */ cells) => `| ${cells.join(" | ")} |`;
  const link = (/** @type {string} */ name, /** @type {string | undefined} */ section) =>
    section === undefined ? name : `[${name}](#${section})`;
  return [
    row(["Provider", "ID", "Variable of the key"]),
    row(["---", "---", "---"]),
    ...clouds.map(([id, { name, keyVariable, documented = {} }]) =>
      row([link(documented.as ?? name, documented.section), `\`${id}\``, `\`${keyVariable}\``]),
    ),
    row([
      link(namesOf(local).join(", "), "servers-on-your-machine"),
      local.map(([id]) => `\`${id}\``).join(", "),
      "none needed",
    ]),
    row([link("Models of VS Code", "models-of-vs-code"), "`vscode`", "none"]),
  ];
}

/** @param {string[]} names */
function enumeration(names) {
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
