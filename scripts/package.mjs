/** Makes the VSIX. A warning of vsce, a stray file or too many bytes is a failure. */
import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The most bytes that people should have to load. */
const largest = 2 * 1024 * 1024;

/** What may be in it, and nothing else. */
const allowed = [
  /^package\.json$/,
  /^(README|CHANGELOG)\.md$/i,
  /^LICENSE(\.txt)?$/,
  /^dist\/(extension|main|anthropic|openai|grammar|mcp|tour|checkpoints-worker|stat-worker|markdown-worker)\.cjs$/,
  /^dist\/(web-tree-sitter|tree-sitter-bash)\.wasm$/,
  /^dist\/(panel\.js|style\.css|codicon\.ttf)$/,
  /^media\/(icon\.png|rondo\.svg)$/,
];

const root = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
const vsce = (/** @type {string[]} */ ...args) =>
  run(process.execPath, ["node_modules/@vscode/vsce/vsce", ...args], { cwd: root });

/**
 * Builds and packs Rondo into `file`. Throws with every reason why the result should not be shipped.
 * @param {string} file
 */
async function packageVSIX(file) {
  const { stdout, stderr } = await vsce("package", "--no-dependencies", "--out", file);
  const listed = (await vsce("ls", "--no-dependencies")).stdout.trim().split("\n");
  const stray = listed.filter((one) => !allowed.some((pattern) => pattern.test(one)));
  const { size } = statSync(file);
  const problems = [
    ...(/WARNING/.test(stdout + stderr) ? [`vsce warned:\n${stdout}${stderr}`] : []),
    ...stray.map((one) => `${one} does not belong into the VSIX`),
    ...(size > largest ? [`${file} has ${size} bytes, the most is ${largest}`] : []),
  ];
  if (problems.length > 0) throw new Error(problems.join("\n"));
  console.log(`${path.basename(file)}: ${(size / 1024).toFixed(0)} KiB, ${listed.length} files`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { name, version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  try {
    await packageVSIX(path.join(root, `${name}-${version}.vsix`));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
