/**
 * Writes what repeats the list of providers (`src/providers/families/families.ts`): the names of variables with keys, the
 * settings in the manifest, and parts of documents.
 */
import { localServers, providers } from "../src/providers/families/families.ts";
import { readManifestTexts } from "./l10n/bundles.mjs";
import { rewrite, table, withParts } from "./written-parts.mjs";

/** @typedef {import("../src/providers/families/family.ts").Provider} Provider */

const all = Object.entries(providers);
const clouds = all.filter(([id]) => localServers.every(([localID]) => localID !== id));
/** @type {[string, Provider][]} */
const local = localServers;
const namesOf = (/** @type {[string, Provider][]} */ some) => some.map(([, { name }]) => name);

const parts = {
  "the table of providers": providerTable(),
  // Without what stands in parentheses: "xAI", not "xAI (Grok)".
  "providers with keys": enumeration(namesOf(clouds).map((name) => name.replace(/ \(.*\)$/, ""))),
  "servers on the machine": enumeration(namesOf(local)),
};

rewrite("src/base/key-variables.ts", keyVariables);
rewrite("package.json", manifest);
for (const file of ["docs/models.md", "README.md"]) rewrite(file, (text) => withParts(text, parts));

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

function providerTable() {
  const link = (/** @type {string} */ name, /** @type {string | undefined} */ section) =>
    section === undefined ? name : `[${name}](#${section})`;
  return table(
    ["Provider", "ID", "Variable of the key"],
    [
      ...clouds.map(([id, { name, keyVariable, documented = {} }]) => [
        link(documented.as ?? name, documented.section),
        `\`${id}\``,
        `\`${keyVariable}\``,
      ]),
      [
        link(namesOf(local).join(", "), "servers-on-your-machine"),
        local.map(([id]) => `\`${id}\``).join(", "),
        "none needed",
      ],
      [link("Models of VS Code", "models-of-vs-code"), "`vscode`", "none"],
    ],
  );
}

/** @param {string[]} names */
function enumeration(names) {
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
