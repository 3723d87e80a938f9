/**
 * `npm run bench [-- headless long stop record permission explain edit search review checkpoint output panel panel-keys long-panel vscode vscode-long vscode-open vscode-review]`: prints a JSON
 * line for each figure. Without names it runs all.
 */
import { execFileSync } from "node:child_process";
import path from "node:path";
import { benchCheckpoint } from "./checkpoints.ts";
import { benchEdit } from "./edit.ts";
import { benchExplain } from "./explain.ts";
import { benchHeadless, benchLongSession, type Report } from "./headless.ts";
import { benchOutput } from "./output.ts";
import { benchPermission } from "./permission.ts";
import { benchRecord } from "./record.ts";
import { benchReview } from "./review.ts";
import { benchSearch } from "./search.ts";
import { benchStop } from "./stop.ts";
import { benchVSCode } from "./vscode.ts";
import { benchVSCodeLong } from "./vscode-long.ts";
import { benchVSCodeOpen } from "./vscode-open.ts";
import { benchVSCodeReview } from "./vscode-review.ts";

const wanted = process.argv.slice(2);
const wants = (name: string) => wanted.length === 0 || wanted.includes(name);
const report: Report = (name, value, unit) =>
  process.stdout.write(`${JSON.stringify({ name, value: Math.round(value * 1000) / 1000, unit })}\n`);

execFileSync(process.execPath, ["esbuild.mjs"], { cwd: path.join(import.meta.dirname, "../.."), stdio: "inherit" });
if (wants("headless")) await benchHeadless(report);
if (wants("long")) await benchLongSession(report);
if (wants("record")) await benchRecord(report);
if (wants("stop")) await benchStop(report);
if (wants("permission")) await benchPermission(report);
if (wants("explain")) await benchExplain(report);
if (wants("edit")) await benchEdit(report);
if (wants("search")) await benchSearch(report);
if (wants("review")) benchReview(report);
if (wants("checkpoint")) await benchCheckpoint(report);
if (wants("output")) await benchOutput(report);
// These print their figures themselves, in the same form.
if (wants("panel")) await import("./panel.mjs");
if (wants("panel-keys")) await import("./panel-keys.mjs");
if (wants("long-panel")) await import("./long-panel.mjs");
if (wants("vscode")) await benchVSCode(report);
if (wants("vscode-long")) await benchVSCodeLong(report);
if (wants("vscode-open")) await benchVSCodeOpen(report);
if (wants("vscode-review")) await benchVSCodeReview(report);
