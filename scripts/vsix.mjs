import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** What `npm run package` makes, built and packed anew, for those who go on with it. Answers with its path. */
export async function makeVSIX() {
  await promisify(execFile)(process.execPath, ["scripts/package.mjs"], { cwd: root, maxBuffer: 16 << 20 });
  const { name, version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  return path.join(root, `${name}-${version}.vsix`);
}
