/**
 * Checks that the settings editor can show each setting: it stands in a group with a title, with an order, a sentence, and
 * a label for each choice. What the manifest says of settings in `src/base/settings.ts` is written by `setting-tables.mjs`.
 */
import assert from "node:assert/strict";
import { readEnglishManifest } from "./l10n/bundles.mjs";

const { contributes } = readEnglishManifest();
/** @type {{ title: string, order: number, properties: Record<string, Record<string, any>> }[]} */
const groups = contributes.configuration;
const properties = Object.assign({}, ...groups.map((group) => group.properties));
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
