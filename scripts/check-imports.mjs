/** Checks who imports whom: the loop runs anywhere, tools and the record know no editor, the panel knows only types. */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");

/** For each room: what its files may import. Order matters: the first room that holds a file is its own. */
const rooms = [
  { room: "src/loop/models", may: ["src/loop", "npm", "node"] },
  {
    room: "src/loop",
    may: ["src/loop", "src/tools/tool.ts", "src/tools/host.ts", "src/tools/text/truncate.ts", "npm:zod", "npm:ulid"],
  },
  { room: "src/tools", may: ["src/tools", "src/loop", "npm", "node"] },
  { room: "src/record", may: ["src/record", "src/loop", "node", "npm:zod"] },
  { room: "src/project", may: ["src/project", "src/loop", "src/tools", "node", "npm:zod", "npm:yaml"] },
  { room: "src/checkpoints", may: ["src/checkpoints", "src/loop", "src/tools", "node", "npm:zod", "npm:ignore"] },
  {
    room: "src/mcp",
    may: ["src/mcp", "src/loop", "src/tools", "src/project", "node", "npm:zod", "npm:@modelcontextprotocol/sdk"],
  },
  {
    room: "src/query",
    may: [
      "src/query",
      ...["src/loop", "src/tools", "src/record", "src/project", "src/checkpoints", "src/mcp"],
      ...["node", "npm:zod"],
    ],
  },
  { room: "src/tour", may: ["src/tour", "node", "npm:zod"] },
  {
    room: "src/headless",
    may: ["src/headless", "src/query", "src/loop", "src/tools", "src/record", "src/project", "node", "npm:zod"],
  },
  {
    room: "src/extension",
    may: [
      "src/extension",
      ...["src/loop", "src/tools", "src/record", "src/project", "src/checkpoints", "src/mcp", "src/tour"],
      ...["node", "npm", "vscode"],
    ],
  },
  { room: "webview", may: ["webview", "src/loop", "npm"] },
];

const problems = [];
for (const file of await sources()) {
  const { room, may } = rooms.find(({ room }) => file.startsWith(`${room}/`)) ?? { room: "", may: [] };
  if (!room) continue;
  for (const { specifier, typesOnly } of imports(await readFile(path.join(root, file), "utf8"))) {
    const target = targetOf(file, specifier);
    if (specifier === "zod" && !typesOnly) problems.push(`${file} should import zod/mini: zod is 370 kB more`);
    if (typesOnly && target.startsWith("src/")) continue;
    if (!may.some((one) => allows(one, target))) problems.push(`${file} may not import ${specifier}`);
  }
}
problems.push(...(await neutral()));

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log("Imports keep to the rooms; the loop runs without Node and without an editor.");

async function sources() {
  const found = await Promise.all(
    ["src", "webview"].map(async (folder) => {
      const names = await readdir(path.join(root, folder), { recursive: true });
      return names
        .filter((name) => /\.(ts|svelte)$/.test(name))
        .map((name) => path.posix.join(folder, name.split(path.sep).join("/")));
    }),
  );
  return found.flat();
}

/** @param {string} text */
function imports(text) {
  const found = text.matchAll(
    /^\s*(?:import|export)\s+(type\s+)?[^"';]*?from\s+"([^"]+)"|\bimport\("([^"]+)"\)|^\s*import\s+"([^"]+)"/gm,
  );
  return [...found].map(([, type, from, dynamic, bare]) => ({
    specifier: from ?? dynamic ?? bare ?? "",
    typesOnly: type !== undefined,
  }));
}

/** @param {string} file @param {string} specifier */
function targetOf(file, specifier) {
  if (specifier.startsWith(".")) return path.posix.join(path.posix.dirname(file), specifier);
  if (specifier.startsWith("node:")) return "node";
  if (specifier === "vscode") return "vscode";
  return `npm:${specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")}`;
}

/** @param {string} rule @param {string} target */
function allows(rule, target) {
  return target === rule || target.startsWith(`${rule}/`) || (rule === "npm" && target.startsWith("npm:"));
}

/** Bundles the loop for no platform at all: a Node module anywhere below it would fail here. */
async function neutral() {
  const loop = path.join(root, "src/loop");
  const names = (await readdir(loop, { recursive: true })).filter(
    (name) => name.endsWith(".ts") && name.split(path.sep)[0] !== "models",
  );
  try {
    await build({
      entryPoints: names.map((name) => path.join(loop, name)),
      bundle: true,
      write: false,
      outdir: "out",
      platform: "neutral",
      mainFields: ["module", "main"],
      logLevel: "silent",
    });
    return [];
  } catch (error) {
    return [`src/loop does not run everywhere: ${error instanceof Error ? error.message : error}`];
  }
}
