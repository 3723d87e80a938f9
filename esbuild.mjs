/** Builds dist/: the extension, its lazily loaded parts, the headless run and the panel. `--watch` keeps building. */
import { mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build, context } from "esbuild";
import { compile, compileModule } from "svelte/compiler";

const root = path.dirname(fileURLToPath(import.meta.url));
const watch = process.argv.includes("--watch");
const development = watch || process.argv.includes("--development");

/** Parts that are loaded when first used. Each becomes a bundle of its own beside the one that imports it. */
const lazyParts = {
  anthropic: "src/loop/models/anthropic.ts",
  openai: "src/loop/models/openai.ts",
};

/** Turns `import("…/models/anthropic.ts")` into `import("./anthropic.cjs")`, so that activation reads none of it. */
const lazy = (/** @type {string} */ extension) => ({
  name: "lazy-parts",
  setup(/** @type {import("esbuild").PluginBuild} */ build) {
    const names = new Map(Object.entries(lazyParts).map(([name, file]) => [path.join(root, file), name]));
    build.onResolve({ filter: /\.ts$/ }, (args) => {
      if (args.kind !== "dynamic-import") return undefined;
      const name = names.get(path.resolve(args.resolveDir, args.path));
      return name ? { path: `./${name}.${extension}`, external: true } : undefined;
    });
  },
});

/** Svelte components and `.svelte.ts` modules; styles live in webview/style.css, so none are expected in components. */
const svelte = {
  name: "svelte",
  setup(/** @type {import("esbuild").PluginBuild} */ build) {
    const options = { generate: /** @type {const} */ ("client"), dev: development };
    const report = (/** @type {any[]} */ warnings) =>
      warnings.map((w) => ({ text: `${w.code}: ${w.message}`, location: null }));
    build.onLoad({ filter: /\.svelte$/ }, async ({ path: filename }) => {
      const { js, warnings } = compile(await readFile(filename, "utf8"), { ...options, filename, css: "external" });
      return { contents: js.code, loader: "js", warnings: report(warnings) };
    });
    build.onLoad({ filter: /\.svelte\.ts$/ }, async ({ path: filename }) => {
      const { transform } = await import("esbuild");
      const plain = await transform(await readFile(filename, "utf8"), { loader: "ts", target: "es2023" });
      const { js, warnings } = compileModule(plain.code, { ...options, filename });
      return { contents: js.code, loader: "js", warnings: report(warnings) };
    });
  },
};

/** @type {import("esbuild").BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  minify: !development,
  sourcemap: development ? "linked" : false,
  legalComments: "none",
  logLevel: "warning",
  outdir: "dist",
};

/** @type {import("esbuild").BuildOptions} */
const forNode = { ...common, platform: "node", target: "node20", external: ["vscode", "@vscode/ripgrep"] };

/** @type {import("esbuild").BuildOptions[]} */
export const builds = [
  {
    ...forNode,
    entryPoints: { extension: "src/extension/extension.ts", tour: "src/tour/tour.ts", ...lazyParts },
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    plugins: [lazy("cjs")],
  },
  {
    ...forNode,
    entryPoints: { headless: "src/headless/headless.ts" },
    format: "esm",
    // What the CommonJS packages inside still `require`.
    banner: { js: 'import{createRequire as _r}from"node:module";const require=_r(import.meta.url);' },
    plugins: [lazy("cjs")],
  },
  {
    ...common,
    entryPoints: { panel: "webview/main.ts", style: "webview/style.css" },
    platform: "browser",
    format: "iife",
    target: "chrome128",
    conditions: development ? ["svelte", "development"] : ["svelte", "production"],
    loader: { ".ttf": "file" },
    assetNames: "[name]",
    plugins: [svelte],
  },
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dist = path.join(root, "dist");
  if (!watch) await rm(dist, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  if (watch) {
    for (const options of builds) await (await context({ ...options, logLevel: "info" })).watch();
  } else {
    await Promise.all(builds.map((options) => build(options)));
  }
}
