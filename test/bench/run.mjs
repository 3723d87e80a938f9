/** `npm run bench [headless] [panel] [vscode]`: prints a JSON line a figure. All of them without a name. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const wanted = process.argv.slice(2);
const wants = (name) => wanted.length === 0 || wanted.includes(name);
const report = (name, value, unit) =>
  process.stdout.write(`${JSON.stringify({ name, value: Math.round(value * 1000) / 1000, unit })}\n`);

execFileSync(process.execPath, ["esbuild.mjs"], { cwd: root, stdio: "inherit" });
if (wants("headless")) await (await import("./headless.mjs")).benchHeadless(report);
if (wants("vscode")) await (await import("./vscode.mjs")).benchVSCode(report);
