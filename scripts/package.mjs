/** Builds and packs the VSIX. Fails on a warning of vsce, a file that does not belong into it, or an excessive size. */
import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { listFiles, PackageManager } from "@vscode/vsce";
import { builds } from "../esbuild.mjs";
import { languages } from "./l10n/bundles.mjs";
import { isPreRelease, root, vsixFile } from "./version.mjs";

/** What draws diagrams and formulas takes 550 KB, a language 60 KB. */
const maxBytes = 2_150_000;

/** Names of the bundles that the extension loads. */
const bundles = builds
  .filter(({ format }) => format === "cjs")
  .flatMap(({ entryPoints }) => Object.keys(entryPoints ?? {}))
  .filter((name) => !name.startsWith("headless-"))
  .join("|");

const names = languages.join("|");

/** Paths inside the VSIX; any other file fails the build. */
const allowedFiles = [
  /^package\.json$/,
  new RegExp(`^package[.]nls([.](${names}))?[.]json$`),
  new RegExp(`^l10n/bundle[.]l10n[.](${names})[.]json$`),
  new RegExp(`^dist/page([.](${names}))?[.]html$`),
  /^(README|CHANGELOG)\.md$/i,
  /^LICENSE(\.txt)?$/,
  /^NOTICE$/,
  new RegExp(`^dist/(${bundles})[.]cjs$`),
  /^dist\/(web-tree-sitter|tree-sitter-bash)\.wasm$/,
  /^dist\/models\.json$/,
  /^dist\/((panel|maths|diagrams)\.js|style\.css|codicon\.ttf)$/,
  /^media\/(icon\.png|rondo\.svg|recorded\.jsonl)$/,
  /^media\/walkthrough\/\w+-(dark|light|hc|hcl)\.svg$/,
];

const channel = isPreRelease ? ["--pre-release"] : [];
const vsce = ["node_modules/@vscode/vsce/vsce", "package", "--no-dependencies", "--out", vsixFile, ...channel];
const { stdout, stderr } = await promisify(execFile)(process.execPath, vsce, { cwd: root, maxBuffer: 16 << 20 });
const files = await listFiles({ cwd: root, packageManager: PackageManager.None });
const { size } = statSync(vsixFile);
const problems = [
  ...(/WARNING/.test(stdout + stderr) ? [`vsce warned:\n${stdout}${stderr}`] : []),
  ...files
    .filter((file) => !allowedFiles.some((pattern) => pattern.test(file)))
    .map((file) => `${file} does not belong into the VSIX`),
  ...(size > maxBytes ? [`${vsixFile} has ${size} bytes, the limit is ${maxBytes}`] : []),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${path.basename(vsixFile)}: ${(size / 1024).toFixed(0)} KiB, ${files.length} files`);
