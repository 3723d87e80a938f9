/** Prints the CHANGELOG.md section for the version in package.json. Fails when the given tag is another version. */
import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { root, version } from "./version.mjs";

const tag = process.argv[2];
if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, but package.json has the version ${version}.`);

const sections = readFileSync(path.join(root, "CHANGELOG.md"), "utf8").split(/^## /m);
const section = sections.find((text) => text.startsWith(`${version}\n`));
if (!section) throw new Error(`CHANGELOG.md has no section for ${version}.`);
console.log(section.slice(version.length).trim());
