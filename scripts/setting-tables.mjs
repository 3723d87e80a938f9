/**
 * Writes what follows from `src/base/settings.ts`: the entries of the manifest, the types of the options, and the tables of
 * docs/command-line.md and docs/sdk.md. Group, order and text of a setting stay as the manifest has them; a new setting comes
 * last in its group.
 */
import {
  flagOf,
  flagTexts,
  limitOption,
  loopSettings,
  optionTexts,
  settingNames,
  sharedSettings,
  windowSettings,
} from "../src/base/settings.ts";
import { extensionLimits } from "../src/loop/limits.ts";
import { rewrite, table, withParts } from "./written-parts.mjs";

/**
 * @typedef {import("../src/base/settings.ts").ValueSetting} ValueSetting
 * @typedef {import("../src/base/settings.ts").LoopSetting} LoopSetting
 * @typedef {{ order: number }} Entry and what the setting is
 * @typedef {{ id: string, properties: Record<string, Entry> }} Group
 */

/** What the manifest says of each setting, by name, and the group of a new one. @type {Map<string, [string, object]>} */
const wanted = new Map();
for (const [name, setting] of Object.entries({ ...sharedSettings, ...windowSettings })) {
  wanted.set(name, [setting.type === "boolean" ? "sessions" : "limits", entryOf(setting)]);
}
for (const setting of loopSettings) {
  const { name, oldName, limit, factor, type, minimum, maximum } = /** @type {LoopSetting} */ (setting);
  const fallback = extensionLimits[/** @type {(typeof loopSettings)[number]["limit"]} */ (limit)] / factor;
  wanted.set(`loop.${name}`, ["advanced", { type, minimum, maximum, default: fallback, scope: "machine" }]);
  if (oldName === undefined) continue;
  const bounds = { minimum: minimum * factor, maximum: maximum * factor };
  wanted.set(`loop.${oldName}`, [
    "advanced",
    { type: ["integer", "null"], ...bounds, default: null, scope: "machine" },
  ]);
}

rewrite("package.json", manifestWith);

/** @param {string} before */
function manifestWith(before) {
  const manifest = JSON.parse(before);
  /** @type {Group[]} */
  const groups = manifest.contributes.configuration;
  for (const { properties } of groups) {
    for (const name of Object.keys(properties)) {
      if (name.startsWith("rondo.loop.") && !wanted.has(name.slice("rondo.".length))) delete properties[name];
    }
  }
  for (const [name, [group, entry]] of wanted) {
    const key = `rondo.${name}`;
    const home = groups.find(({ properties }) => key in properties) ?? groups.find(({ id }) => id === group);
    if (!home) throw new Error(`The manifest has no group ${group}`);
    const last = Math.max(0, ...Object.values(home.properties).map(({ order }) => order));
    const present = home.properties[key] ?? { ...entry, order: last + 1, description: `%setting.${name}.description%` };
    const { minimum: _, maximum: __, ...others } = /** @type {Record<string, unknown>} */ (present);
    const same = Object.fromEntries(Object.keys(present).map((field) => [field, undefined]));
    home.properties[key] = /** @type {Entry} */ (withoutUndefined({ ...same, ...others, ...entry }));
  }
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** @param {ValueSetting} setting */
function entryOf({ type, minimum, maximum, default: fallback, scope }) {
  const plain = type === "usd" ? "number" : type;
  const isOptional = fallback === undefined;
  return withoutUndefined({
    ...{ type: isOptional ? [plain, "null"] : plain, minimum, maximum },
    ...{ default: fallback ?? null, scope },
  });
}

/** @param {Record<string, unknown>} fields */
function withoutUndefined(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const texts = optionTexts();
const options = settingNames.map((name) => {
  const type = sharedSettings[name].type === "boolean" ? "boolean" : "number";
  return `  /** ${texts[name]} */\n  ${name}?: ${type} | undefined;\n`;
});
const limitNames = loopSettings.flatMap(({ limit }) => {
  const option = limitOption(limit);
  return option === undefined ? [] : [`  | "${option}"`];
});
rewrite(
  "src/query/setting-options.ts",
  () => `/** Written by scripts/setting-tables.mjs from src/base/settings.ts. Run \`npm run docs\` after a change. */

/** Limits of a run. */
export interface SettingOptions {
${options.join("")}}

/** Names in \`limits\`. */
export type LimitName =
${limitNames.join("\n")};
`,
);

const flags = flagTexts();
const flagRows = settingNames.map((name) => {
  const { value, text } = flags[name];
  return [`\`--${flagOf(name)}${value && ` ${value}`}\``, `${text.charAt(0).toUpperCase()}${text.slice(1)}`];
});
rewrite("docs/command-line.md", (text) => withParts(text, { "the limits": table(["Limit", "Meaning"], flagRows) }));
const optionRows = settingNames.map((name) => [`\`${name}\``, texts[name]]);
rewrite("docs/sdk.md", (text) => withParts(text, { "the limits": table(["Limit", "Meaning"], optionRows) }));
