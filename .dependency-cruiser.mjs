/**
 * Who may import whom. Each package lists everything its files may import, types included; there are no exemptions.
 * `npm run check` runs it.
 */

/** Folders of `src`, as patterns. @param {string[]} names */
const src = (...names) => names.map((name) => `^src/${name}/`);
/** Packages from npm, as patterns. @param {string[]} names */
const npm = (...names) => names.map((name) => `^node_modules/${name}/`);
const anyPackage = "^node_modules/";

/** What runs anywhere, and says nothing of chats: the files of `src/base` itself. */
const base = "^src/base/[^/]+[.]ts$";

/**
 * Files of `folder` import each other, `allowed`, the texts of `src/l10n`, `src/base` without `src/base/node`, and Node's
 * own modules unless `neutral`.
 * @param {string} folder @param {string[]} allowed
 */
const only = (folder, allowed, { neutral = false } = {}) =>
  rule(folder, `^${folder}/`, ["^src/l10n/", base, ...allowed], neutral);

/** @param {string} name @param {string} from a pattern @param {string[]} allowed @param {boolean} neutral */
const rule = (name, from, allowed, neutral) => ({
  name: `${name} imports only what is below it`,
  severity: /** @type {const} */ ("error"),
  from: { path: from },
  to: { pathNot: [from, ...allowed], ...(neutral ? {} : { dependencyTypesNot: ["core"] }) },
});

/** The modules that start programs. */
const startsPrograms = [
  ...["base/node/run-git", "headless/take-keys", "mcp/connection/stdio-transport", "project/hook-process"],
  ...["tools/node-host/terminal", "tools/node-host/ripgrep", "tools/sandbox/availability"],
  "tools/run-command/(command-markers|input-detection|output-pipe|process-table|process-tree)",
].map((name) => `^src/${name}[.]ts$`);

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    rule("src/l10n", "^src/l10n/", [], true),
    rule("src/base", base, ["^src/l10n/", ...npm("ulid")], true),
    only("src/base/node", npm("zod")),
    only("src/chat", npm("zod"), { neutral: true }),
    only("src/tools", [...src("base/node", "chat"), anyPackage]),
    only("src/loop", [...src("chat", "tools/text"), "^src/tools/(tool|host|registry|invalid)[.]ts$", ...npm("zod")], {
      neutral: true,
    }),
    only("src/providers", [...src("chat", "loop"), anyPackage]),
    only("src/record", [...src("base/node", "chat", "tools", "loop"), ...npm("zod")]),
    only("src/project", [...src("base/node", "chat", "tools", "loop"), ...npm("zod", "yaml")]),
    only("src/checkpoints", [...src("base/node", "chat", "tools", "loop"), ...npm("zod", "ignore")]),
    only("src/worktrees", [...src("base/node", "chat", "tools", "loop"), ...npm("zod", "ignore")]),
    only("src/review", npm("zod", "diff")),
    only("src/mcp", [...src("base/node", "chat", "tools", "loop"), ...npm("zod", "@modelcontextprotocol/sdk")]),
    only("src/trace", src("chat", "loop")),
    only("src/tour", [...src("chat", "tools", "loop"), ...npm("zod")]),
    only("src/runtime", src("(?!query|headless|extension|tour)[a-z]+")),
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
      name: "programs are started in few places, each with its environment; git in src/base/node/run-git.ts alone",
      severity: "error",
      from: { pathNot: startsPrograms },
      to: { path: "^(node:)?child_process$" },
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
