/** Writes docs/settings.md, settings and commands, from the manifest in English. */
import { readEnglishManifest } from "./l10n/bundles.mjs";
import { rewrite } from "./written-parts.mjs";

/**
 * @typedef {{
 *   type: string | string[], default: unknown, scope: string, order: number, minimum?: number, maximum?: number,
 *   enum?: string[], enumItemLabels?: string[], enumDescriptions?: string[], description?: string,
 *   markdownDescription?: string, markdownDeprecationMessage?: string,
 * }} Setting
 * @typedef {{ title: string, order: number, properties: Record<string, Setting> }} Group
 */

const { contributes } = readEnglishManifest();
/** @type {Group[]} */
const groups = contributes.configuration;
/** @type {{ command: string, title: string }[]} */
const commands = contributes.commands;
const byOrder = (/** @type {{ order: number }} */ a, /** @type {{ order: number }} */ b) => a.order - b.order;
const settingsOf = (/** @type {Group} */ { properties }) =>
  Object.entries(properties).sort(([, a], [, b]) => byOrder(a, b));
const isDeprecated = (/** @type {[string, Setting]} */ [, setting]) => setting.markdownDeprecationMessage !== undefined;
const deprecated = groups.flatMap(settingsOf).filter(isDeprecated);

const text = `<!-- Written by scripts/settings-docs.mjs from package.json. Run \`npm run docs\` after a change. -->
# Settings and commands

Settings with the scope "workspace" can also be set by a workspace that you trust. All others are read from your user
settings only.

${groups.sort(byOrder).map(table).join("\n\n")}

## Commands

Their category in the Command Palette is "Rondo". Keybindings name the ID.

| ID | Command |
| --- | --- |
${commands.map(({ command, title }) => `| \`${command}\` | **Rondo: ${title}** |`).join("\n")}

## Deprecated settings

Settings of earlier versions are still read while their successor is not set.

| Setting | Successor |
| --- | --- |
${deprecated.map(([name, { markdownDeprecationMessage = "" }]) => `| \`${name}\` (ms) | ${successor(markdownDeprecationMessage)} |`).join("\n")}
`;

rewrite("docs/settings.md", () => text);

/** @param {Group} group */
function table(group) {
  const rows = settingsOf(group).filter((setting) => !isDeprecated(setting));
  const head = [`## ${group.title}`, "", "| Setting | Default | Scope | Meaning |", "| --- | --- | --- | --- |"];
  return [...head, ...rows.map(([name, setting]) => row(name, setting))].join("\n");
}

/** @param {string} name @param {Setting} setting */
function row(name, setting) {
  const scope = setting.scope === "resource" ? "workspace" : "user";
  const meaning = setting.markdownDescription ?? setting.description ?? "";
  const cells = [`\`${name}\``, value(setting.default), scope, meaning + options(setting) + range(setting)];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** @param {unknown} fallback */
function value(fallback) {
  return fallback === null || fallback === "" ? "empty" : `\`${JSON.stringify(fallback)}\``;
}

/** @param {Setting} setting */
function options({ enum: names = [], enumItemLabels: labels, enumDescriptions: meanings }) {
  return names
    .map((name, at) => {
      const [label = "", meaning = ""] = [labels?.[at], meanings?.[at]];
      const words = meaning.startsWith(label) ? [meaning] : [label, meaning];
      return `<br>${value(name)}: ${words.filter(Boolean).join(". ")}.`;
    })
    .join("");
}

/** @param {Setting} setting */
function range({ minimum, maximum }) {
  if (minimum === undefined) return "";
  return maximum === undefined ? ` At least ${minimum}.` : ` ${minimum} to ${maximum}.`;
}

/** @param {string} message "Use `#rondo.loop.stallTimeoutSeconds#` instead." */
function successor(message) {
  return `\`${/#([\w.]+)#/.exec(message)?.[1] ?? ""}\``;
}
