/** Builds dist/: the extension, its lazily loaded parts, the headless run, the loop for other programs and the panel. `--watch` keeps building. */
import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build, context } from "esbuild";
import subsetFont from "subset-font";
import { compile, compileModule } from "svelte/compiler";
import { providerIDs } from "./src/providers/families/families.ts";
import { nativeApis } from "./src/providers/native-apis.ts";
import { iconNames } from "./webview/controls/icons.ts";

const root = path.dirname(fileURLToPath(import.meta.url));
const watch = process.argv.includes("--watch");
const development = watch || process.argv.includes("--development");

/** Parts of the command line that are loaded when first used: bundle of its own, beside the one that imports it → source. */
const headlessParts = { "headless-start": "src/headless/start.ts", "headless-main": "src/headless/command-line.ts" };

/** Other parts that are loaded when first used. */
const lazyParts = {
  app: "src/extension/app.ts",
  anthropic: "src/providers/anthropic/anthropic-model.ts",
  openai: "src/providers/openai.ts",
  ...Object.fromEntries(nativeApis.map((name) => [name, `src/providers/${name}/${name}-model.ts`])),
  mcp: "src/mcp/connection/connect.ts",
  grammar: "src/tools/command/shell/grammar.ts",
  ripgrep: "src/tools/node-host/packaged-ripgrep.ts",
  tour: "src/tour/tour.ts",
};

/**
 * Makes `import("…/anthropic-model.ts")` load `./anthropic.cjs`, so that a start reads none of it. It is required: `import()`
 * would search the text of a CommonJS module for its exports, and keep a failure, while what fails to be required is
 * loaded again by the next try.
 */
const lazy = {
  name: "lazy-parts",
  setup(/** @type {import("esbuild").PluginBuild} */ build) {
    const parts = Object.entries({ ...headlessParts, ...lazyParts });
    const bundles = new Map(parts.map(([name, file]) => [path.join(root, file), `${name}.cjs`]));
    build.onResolve({ filter: /\.ts$/ }, (args) => {
      if (args.kind !== "dynamic-import") return undefined;
      const bundle = bundles.get(path.resolve(args.resolveDir, args.path));
      return bundle ? { path: bundle, namespace: "lazy-part" } : undefined;
    });
    build.onResolve({ filter: /^\./, namespace: "lazy-part" }, ({ path: name }) => ({ path: name, external: true }));
    build.onLoad({ filter: /./, namespace: "lazy-part" }, ({ path: bundle }) => ({
      contents: `module.exports = require("./${bundle}");`,
    }));
  },
};

/** Libraries that few runs need, of which one function is called: it loads their bundle when it is first called. */
const lazyFunctions = { yaml: "parse" };

const lazyLibraries = {
  name: "lazy-libraries",
  setup(/** @type {import("esbuild").PluginBuild} */ build) {
    const names = Object.keys(lazyFunctions).join("|");
    build.onResolve({ filter: new RegExp(`^(${names})$`) }, ({ kind, path: name }) =>
      kind === "import-statement" ? { path: name, namespace: "lazy-library" } : undefined,
    );
    build.onLoad({ filter: /./, namespace: "lazy-library" }, ({ path: name }) => {
      const called = lazyFunctions[/** @type {keyof typeof lazyFunctions} */ (name)];
      return { contents: `export const ${called} = (...given) => require("./${name}.cjs").${called}(...given);` };
    });
    build.onResolve({ filter: /^\./, namespace: "lazy-library" }, ({ path: name }) => ({ path: name, external: true }));
  },
};

/**
 * Files whose code, and that of what only they import, is run when one of their functions is first called. They export
 * functions only. A start needs none of their schemas, which take long to make.
 */
const lateFiles = [
  "src/record/read-event.ts",
  "src/record/record-search.ts",
  "src/project/agent-fields.ts",
  "src/project/hook-output.ts",
  "src/tools/web/address.ts",
];

const late = {
  name: "late-files",
  setup(/** @type {import("esbuild").PluginBuild} */ build) {
    const files = new Set(lateFiles.map((file) => path.join(root, file)));
    build.onResolve({ filter: /\.ts$/ }, ({ kind, path: name, resolveDir }) => {
      const file = path.resolve(resolveDir, name);
      return kind === "import-statement" && files.has(file) ? { path: file, namespace: "late-file" } : undefined;
    });
    build.onLoad({ filter: /./, namespace: "late-file" }, async ({ path: file }) => {
      const names = [...(await readFile(file, "utf8")).matchAll(/^export (?:async )?function (\w+)/gm)];
      const lines = names.map(([, name]) => `export const ${name} = (...given) => loaded().${name}(...given);`);
      const loaded = `let exported; const loaded = () => exported ??= require(${JSON.stringify(file)});`;
      return { contents: [loaded, ...lines].join("\n"), resolveDir: root, watchFiles: [file] };
    });
  },
};

/**
 * Modules of Node whose default export is imported by many files, each of which would copy all of its properties
 * (`__toESM`), and what is imported from them by name.
 */
const nodeModules = {
  "node:path": ["join", "parse", "posix"],
  "node:os": ["homedir", "hostname", "totalmem"],
  "node:process": [],
};

const nodeDefaults = {
  name: "node-defaults",
  setup(/** @type {import("esbuild").PluginBuild} */ build) {
    build.onResolve({ filter: new RegExp(`^(${Object.keys(nodeModules).join("|")})$`) }, ({ kind, path: name }) =>
      kind === "import-statement" ? { path: name, namespace: "node-default" } : undefined,
    );
    build.onLoad({ filter: /./, namespace: "node-default" }, ({ path: name }) => {
      const names = nodeModules[/** @type {keyof typeof nodeModules} */ (name)].join(", ");
      return {
        contents: `const loaded = require("${name}"); export default loaded; export const { ${names} } = loaded;`,
      };
    });
  },
};

/**
 * Writes the types of `dist/loop.js`: the files that hold them import nothing but each other and the names of providers, so
 * they are put together.
 */
const loopTypes = {
  name: "loop-types",
  setup(/** @type {import("esbuild").PluginBuild} */ build) {
    build.onEnd(async () => {
      const files = ["sdk-types.ts", "setting-options.ts", "query-types.ts", "loop.d.ts"].map((name) =>
        path.join(root, "src/query", name),
      );
      const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
      const own = texts.map((text) => text.replace(/^(import|export) type .*? from "[^"]*";\n/gm, ""));
      const providers = `type ProviderID = ${providerIDs.map((id) => JSON.stringify(id)).join(" | ")};\n`;
      await writeFile(path.join(root, "dist/loop.d.ts"), [...own, providers].join("\n"));
    });
  },
};

const compilerOptions = (/** @type {"client" | "server"} */ generate) => ({
  generate,
  dev: development && generate === "client",
});

/** Compiles a Svelte component. @param {string} filename @param {"client" | "server"} generate */
const component = async (filename, generate) =>
  compile(await readFile(filename, "utf8"), {
    ...compilerOptions(generate),
    filename,
    css: "external",
    cssHash: ({ hash, name }) => (development ? `in-${name}` : `s${hash(name).slice(0, 3)}`),
  });

/** Compiles Svelte components and `.svelte.ts` modules. */
const svelte = (/** @type {"client" | "server"} */ generate) => ({
  name: "svelte",
  setup(/** @type {import("esbuild").PluginBuild} */ build) {
    const report = (/** @type {any[]} */ warnings) =>
      warnings.map((w) => ({ text: `${w.code}: ${w.message}`, location: null }));
    build.onLoad({ filter: /\.svelte$/ }, async ({ path: filename }) => {
      const { js, warnings } = await component(filename, generate);
      return { contents: js.code, loader: "js", warnings: report(warnings) };
    });
    build.onLoad({ filter: /\.svelte\.ts$/ }, async ({ path: filename }) => {
      const { transform } = await import("esbuild");
      const plain = await transform(await readFile(filename, "utf8"), { loader: "ts", target: "es2023" });
      const { js, warnings } = compileModule(plain.code, { ...compilerOptions(generate), filename });
      return { contents: js.code, loader: "js", warnings: report(warnings) };
    });
  },
});

/** Appends the styles of all components to webview/style.css. */
const styles = {
  name: "styles",
  setup(/** @type {import("esbuild").PluginBuild} */ build) {
    build.onLoad({ filter: /webview[\\/]style\.css$/ }, async ({ path: shared }) => {
      const folder = path.dirname(shared);
      const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".svelte")).sort();
      const files = names.map((name) => path.join(folder, name));
      const contents = [await readFile(shared, "utf8"), ...(await Promise.all(files.map(styleOf)))].join("\n");
      return { contents, loader: "css", watchFiles: [shared, ...files] };
    });
  },
};

const styleOf = async (/** @type {string} */ file) => (await component(file, "client")).css?.code ?? "";

/**
 * Makes page.html, the first page of the panel: what the panel draws before it knows anything, with the styles of that and
 * the script that loads the rest. It needs no other file.
 */
const firstPage = {
  name: "first-page",
  setup(/** @type {import("esbuild").PluginBuild} */ build) {
    build.onResolve({ filter: /page\.html\?[\w-]+$/ }, ({ path: file }) => {
      const [name = "", suffix] = file.split("?");
      return { path: path.join(root, name), suffix: `?${suffix}` };
    });
    build.onLoad({ filter: /webview[\\/]first-page[\\/]page\.html$/ }, async ({ path: file, suffix }) => {
      const inWebview = (/** @type {string} */ name) => path.join(root, "webview", name);
      const [template, content, style, script] = await Promise.all([
        readFile(file, "utf8"),
        drawnFirst(inWebview("first-page/render.ts"), suffix.slice(1)),
        bundled({ stdin: { contents: await firstStyles(inWebview), loader: "css", resolveDir: inWebview("") } }),
        bundled({ entryPoints: [inWebview("first-page/early.ts")], format: "iife" }),
      ]);
      const hash = `sha256-${createHash("sha256").update(style).digest("base64")}`;
      const parts = { content, style, script, "style-hash": hash };
      const contents = Object.entries(parts).reduce(
        (page, [name, text]) => page.replace(`{{${name}}}`, () => text),
        template,
      );
      return { contents, loader: "copy" };
    });
  },
};

/** Components that the first page draws. */
const firstComponents = ["Panel", "Header", "composer/Footer", "composer/StatusLine", "composer/Composer"];

async function firstStyles(/** @type {(name: string) => string} */ inWebview) {
  const shared = ["tokens.css", "base.css", "first-page/failure.css"].map((name) => readFile(inWebview(name), "utf8"));
  const own = firstComponents.map((name) => styleOf(inWebview(`${name}.svelte`)));
  return (await Promise.all([...shared, ...own])).join("\n");
}

/** Languages other than English. */
const languages = (await readdir(path.join(root, "l10n"))).flatMap(
  (name) => /^bundle\.l10n\.([\w-]+)\.json$/.exec(name)?.[1] ?? [],
);

const bundleFile = (/** @type {string} */ language) => path.join(root, "l10n", `bundle.l10n.${language}.json`);

/** Bundles to one text. @param {import("esbuild").BuildOptions} options */
async function bundled(options) {
  const { outputFiles } = await build({ ...common, target: browserTarget, ...options, sourcemap: false, write: false });
  return (outputFiles?.[0]?.text ?? "").trim();
}

/**
 * Runs a module that draws the panel, and returns its `content`, in the language of `l10n/bundle.l10n.LANGUAGE.json`.
 * @param {string} file @param {string} language empty: English
 */
async function drawnFirst(file, language) {
  const code = await bundled({
    ...{ entryPoints: [file], platform: "node", format: "iife", globalName: "drawn", target: "node20" },
    plugins: [svelte("server"), lateWorkers],
  });
  const page = { rondo: { api: { getState() {} } } };
  const bundle = language ? JSON.parse(await readFile(bundleFile(language), "utf8")) : {};
  // Modules keep texts in constants, so the language comes first (`src/l10n/l10n.ts`).
  const globals = { [Symbol.for("rondo.l10n")]: { name: language || "en", bundle } };
  return new Function("window", "globalThis", `${code}; return drawn.content;`)(
    page,
    Object.assign(Object.create(globalThis), globals),
  );
}

/** Makes icons.css and its font, which have those of the codicons that the panel uses. */
const icons = {
  name: "icons",
  setup(/** @type {import("esbuild").PluginBuild} */ build) {
    const codicons = path.join(root, "node_modules/@vscode/codicons/dist");
    build.onResolve({ filter: /^\.\/icons\.css$/ }, () => ({ path: "icons.css", namespace: "icons" }));
    build.onLoad({ filter: /^icons\.css$/, namespace: "icons" }, async () => {
      const all = await readFile(path.join(codicons, "codicon.css"), "utf8");
      return { contents: usedIcons(all).css, loader: "css", resolveDir: codicons };
    });
    build.onLoad({ filter: /codicon\.ttf$/ }, async ({ path: file }) => {
      const { text } = usedIcons(await readFile(path.join(codicons, "codicon.css"), "utf8"));
      return { contents: await subsetFont(await readFile(file), text), loader: "file" };
    });
  },
};

/** Returns the style sheet without the icons that the panel does not use, and the characters of those that it uses. */
function usedIcons(/** @type {string} */ sheet) {
  const used = new Set(/** @type {readonly string[]} */ (iconNames));
  let text = "";
  const lines = sheet.split("\n").filter((line) => {
    const [, name, code] = /^\.codicon-([a-z0-9-]+):before \{ content: "\\([0-9a-f]+)" \}$/.exec(line) ?? [];
    if (name === undefined || code === undefined) return true;
    if (!used.delete(name)) return false;
    text += String.fromCodePoint(Number.parseInt(code, 16));
    return true;
  });
  if (used.size > 0) throw new Error(`@vscode/codicons has no icon named ${[...used].join(", ")}`);
  return { css: lines.join("\n"), text };
}

const browserTarget = "chrome128";

/** Workers of the panel, which it loads as text when it first needs them: name of the bundle → source file. */
const workers = { maths: "webview/workers/maths.ts", diagrams: "webview/workers/diagrams.ts" };

/** Leaves `import("rondo:maths")` to the page, which loads `maths.js` then. */
const lateWorkers = {
  name: "late-workers",
  setup(/** @type {import("esbuild").PluginBuild} */ build) {
    build.onResolve({ filter: /^rondo:/ }, ({ path: name }) => ({
      path: `./${name.slice("rondo:".length)}.js`,
      external: true,
    }));
  },
};

/** Makes a module whose default export is the code of a worker. */
const workerTexts = {
  name: "worker-texts",
  setup(/** @type {import("esbuild").PluginBuild} */ build) {
    build.onLoad({ filter: /webview[\\/]workers[\\/]\w+\.ts$/ }, async ({ path: file }) => {
      // The layout engine of diagrams is to run here, as it does in Node, instead of as a worker of its own.
      const define = { self: "undefined", global: "globalThis" };
      const contents = await bundled({ entryPoints: [file], format: "iife", define });
      return { contents, loader: "text", watchFiles: [file] };
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
const forNode = {
  ...common,
  platform: "node",
  target: "node20",
  external: ["vscode", "@vscode/ripgrep"],
  // VS Code's extension host logs an error when a library so much as asks whether there is a navigator.
  define: { navigator: "undefined" },
};

/** What stands beside the bundles that read it: the grammar that takes commands apart, and the catalogue of models. */
const dataFiles = [
  ...["web-tree-sitter/web-tree-sitter.wasm", "tree-sitter-bash/tree-sitter-bash.wasm"].map(
    (file) => `node_modules/${file}`,
  ),
  "src/providers/catalog/models.json",
];

/**
 * CommonJS starts faster: `import` of a module of Node reads all its exports, and some of them load half of Node
 * (`fs.ReadStream`, `http.WebSocket`), while `require` loads what is used.
 *
 * @type {import("esbuild").BuildOptions}
 */
const commonJS = {
  ...forNode,
  format: "cjs",
  // What modules know of their own place.
  define: {
    ...forNode.define,
    "import.meta.filename": "__filename",
    "import.meta.dirname": "__dirname",
    "import.meta.url": "importMetaURL",
  },
  banner: { js: 'const importMetaURL=require("node:url").pathToFileURL(__filename).href;' },
  outExtension: { ".js": ".cjs" },
  plugins: [lazy, lazyLibraries, late, nodeDefaults],
};

/** @type {import("esbuild").BuildOptions[]} */
export const builds = [
  { ...commonJS, entryPoints: { extension: "src/extension/extension.ts" } },
  {
    ...commonJS,
    entryPoints: {
      ...lazyParts,
      yaml: "yaml",
      // Threads of their own.
      "checkpoints-worker": "src/checkpoints/thread/worker.ts",
      "stat-worker": "src/checkpoints/scan/stat-worker.ts",
      "markdown-worker": "src/tools/web/markdown-worker.ts",
    },
  },
  { ...commonJS, entryPoints: headlessParts },
  {
    ...forNode,
    entryPoints: { headless: "src/headless/headless.ts", loop: "src/query/query.ts" },
    format: "esm",
    // What the CommonJS packages inside still `require`.
    banner: { js: 'import{createRequire as requireFrom}from"node:module";const require=requireFrom(import.meta.url);' },
    plugins: [lazy, lazyLibraries, late, nodeDefaults, loopTypes],
  },
  {
    ...common,
    entryPoints: {
      ...{ panel: "webview/main.ts", style: "webview/style.css", page: "webview/first-page/page.html" },
      ...Object.fromEntries(languages.map((name) => [`page.${name}`, `webview/first-page/page.html?${name}`])),
    },
    platform: "browser",
    format: "iife",
    target: browserTarget,
    conditions: development ? ["svelte", "development"] : ["svelte", "production"],
    loader: { ".ttf": "file" },
    assetNames: "[name]",
    plugins: [svelte("client"), styles, icons, firstPage, lateWorkers],
  },
  {
    ...common,
    entryPoints: workers,
    platform: "browser",
    format: "esm",
    target: browserTarget,
    plugins: [workerTexts],
  },
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dist = path.join(root, "dist");
  if (!watch) await rm(dist, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  for (const file of dataFiles) await copyFile(path.join(root, file), path.join(dist, path.basename(file)));
  if (watch) {
    for (const options of builds) await (await context({ ...options, logLevel: "info" })).watch();
  } else {
    await Promise.all(builds.map((options) => build(options)));
  }
}
