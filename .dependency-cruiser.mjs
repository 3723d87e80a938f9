/**
 * Who may import whom. Each package lists everything its files may import, types included; there are no exemptions.
 * `npm run check` runs it.
 */

/** Folders of `src`, as patterns. @param {string[]} names */
const src = (...names) => names.map((name) => `^src/${name}/`);
/** Packages from npm, as patterns. @param {string[]} names */
const npm = (...names) => names.map((name) => `^node_modules/${name}/`);
const anyPackage = "^node_modules/";

/**
 * Files of `folder` import each other, `allowed`, the texts of `src/l10n`, and Node's own modules unless `neutral`.
 * @param {string} folder @param {string[]} allowed
 */
const only = (folder, allowed, { neutral = false } = {}) => ({
  name: `${folder} imports only what is below it`,
  severity: /** @type {const} */ ("error"),
  from: { path: `^${folder}/` },
  to: { pathNot: [`^${folder}/`, "^src/l10n/", ...allowed], ...(neutral ? {} : { dependencyTypesNot: ["core"] }) },
});

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    only("src/l10n", [], { neutral: true }),
    only("src/chat", npm("zod", "ulid"), { neutral: true }),
    only("src/tools", [...src("chat"), anyPackage]),
    only("src/loop", [...src("chat", "tools/text"), "^src/tools/(tool|host|registry|invalid)[.]ts$", ...npm("zod")], {
      neutral: true,
    }),
    only("src/providers", [...src("chat", "loop"), anyPackage]),
    only("src/record", [...src("chat", "tools", "loop"), ...npm("zod")]),
    only("src/project", [...src("chat", "tools", "loop"), ...npm("zod", "yaml")]),
    only("src/checkpoints", [...src("chat", "tools", "loop"), ...npm("zod", "ignore")]),
    only("src/worktrees", [...src("chat", "tools", "loop"), ...npm("zod", "ignore")]),
    only("src/review", npm("zod", "diff")),
    only("src/mcp", [...src("chat", "tools", "loop"), ...npm("zod", "@modelcontextprotocol/sdk")]),
    only("src/trace", src("chat", "loop")),
    only("src/tour", [...src("chat", "tools", "loop"), ...npm("zod")]),
    only("src/query", [...src("(?!extension|headless|tour)[a-z]+"), ...npm("zod")]),
    only("src/headless", [...src("(?!extension|tour)[a-z]+"), ...npm("zod")]),
    only("src/extension", [...src("(?!query|headless)[a-z]+"), anyPackage]),
    only("webview", [...src("chat"), anyPackage, "^rondo:"], { neutral: true }),
    {
      name: "only the extension knows VS Code",
      severity: "error",
      from: { pathNot: "^src/extension/" },
      to: { path: "^vscode$" },
    },
    {
      name: "zod/mini instead of zod, which adds 370 kB",
      severity: "error",
      from: {},
      to: { path: "^node_modules/zod/(index|v4/(index|classic/))" },
    },
    { name: "no circles of files", severity: "error", from: {}, to: { circular: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    builtInModules: { add: ["vscode"] },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default", "types"] },
  },
};
