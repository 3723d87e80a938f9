/** Builds dist/ if it is out of date. */
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import path from "node:path";

export const root = path.join(import.meta.dirname, "..");

/** For `before`. */
export function build(this: Mocha.Context): void {
  this.timeout(300_000);
  const built = statSync(path.join(root, "dist/headless-main.cjs"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" });
  if (sources.every((name) => statSync(path.join(root, "src", name)).mtimeMs < built)) return;
  const { status, stderr } = spawnSync(process.execPath, ["esbuild.mjs"], { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`the build failed: ${stderr}`);
}
