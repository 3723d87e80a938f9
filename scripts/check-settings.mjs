/**
 * Checks that the manifest and the code agree about the loop's settings: name, type, bounds and default; and that the
 * settings editor can show each setting: it stands in a group with a title, with an order, a sentence, and a label for
 * each choice.
 */
import assert from "node:assert/strict";
import { extensionLimits, loopSettings } from "../src/extension/loop-settings.ts";
import { readEnglishManifest } from "./l10n/bundles.mjs";

const { contributes } = readEnglishManifest();
/** @type {{ title: string, order: number, properties: Record<string, Record<string, any>> }[]} */
const groups = contributes.configuration;
const properties = Object.assign({}, ...groups.map((group) => group.properties));
const prefix = "rondo.loop.";

/** Required contents of the manifest. @type {Record<string, unknown>} */
const expected = { "rondo.maxTurns": { type: "integer", minimum: 0, default: extensionLimits.maxTurns } };
for (const { name, oldName, limit, factor, type, minimum, maximum } of loopSettings) {
  expected[prefix + name] = { type, minimum, maximum, default: extensionLimits[limit] / factor };
  if (oldName === undefined) continue;
  const bounds = { minimum: minimum * factor, maximum: maximum * factor };
  expected[prefix + oldName] = { type: ["integer", "null"], ...bounds, default: null };
}
const names = Object.keys(properties).filter((name) => name.startsWith(prefix) || name in expected);
const declared = names.map((name) => {
  const { type, minimum, maximum, default: value } = properties[name];
  return [name, { type, minimum, ...(maximum !== undefined && { maximum }), default: value }];
});
assert.deepEqual(Object.fromEntries(declared), expected, "package.json and src/extension/loop-settings.ts differ");
console.log(`The ${names.length} settings of the loop are the same in the manifest and the code.`);

const unique = (/** @type {unknown[]} */ list) => new Set(list).size === list.length;
const count = groups.reduce((sum, group) => sum + Object.keys(group.properties).length, 0);
assert.equal(Object.keys(properties).length, count, "a setting stands in two groups");
assert.ok(unique(groups.map(({ title }) => title)) && unique(groups.map(({ order }) => order)));
for (const { title, order, properties } of groups) {
  assert.ok(title && Number.isInteger(order), "each group has a title and an order");
  assert.ok(unique(Object.values(properties).map((setting) => setting["order"])), `the order in “${title}” is unique`);
  for (const [name, setting] of Object.entries(properties)) {
    assert.ok(Number.isInteger(setting["order"]), `${name} has an order`);
    assert.match(setting["description"] ?? setting["markdownDescription"], /^[A-Z].*\.$/s, `${name}: a sentence`);
    const { enum: choices, enumItemLabels: labels } = setting;
    assert.equal(labels?.length, choices?.length, `${name}: a label for each choice`);
    assert.ok(!choices || labels.every(Boolean), `${name}: no empty label`);
  }
}
console.log(`${count} settings stand in ${groups.length} groups, with labels.`);
