/** Checks that the manifest and the code agree about the loop's settings: name, type, bounds and default. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { extensionLimits, loopSettings } from "../src/extension/loop-settings.ts";

const { contributes } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
const { properties } = contributes.configuration;
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
