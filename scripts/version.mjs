import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** @type {{name: string, version: string}} */
const { name, version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

export { version };

/** Absolute path of the VSIX that `npm run package` makes. */
export const vsixFile = path.join(root, `${name}-${version}.vsix`);

/** Whether this version is a pre-release: its minor number is odd, as the Marketplace recommends. */
export const isPreRelease = Number(version.split(".")[1]) % 2 === 1;
