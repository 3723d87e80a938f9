import { execFile } from "node:child_process";
import process from "node:process";
import { promisify } from "node:util";
import { root, vsixFile } from "./version.mjs";

/** Builds and packs the VSIX. Returns its path; throws with the reasons why it should not be shipped. */
export async function makeVSIX() {
  await promisify(execFile)(process.execPath, ["scripts/package.mjs"], { cwd: root });
  return vsixFile;
}
