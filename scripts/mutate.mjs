/**
 * `npm run mutate [-- AREA…]`: changes one detail of the code at a time and runs the tests of its area. A change that no
 * test notices is listed: either a test is missing, or the change makes no difference.
 * Fails if less than 90 % are noticed in an area. Takes minutes to hours, and is not part of `npm test`.
 */
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import "./require-cjs.cjs";
import { Stryker } from "@stryker-mutator/core";
import { root } from "./version.mjs";

/** What must not break, and the tests that guard it. @type {Record<string, {mutate: string[], tests: string[]}>} */
const areas = {
  permissions: {
    mutate: ["src/loop/permissions/*.ts"],
    tests: ["test/loop/{rules,permission,requests,asking,protected-files}.test.ts", "test/tools/command/*.test.ts"],
  },
  commands: { mutate: ["src/tools/command/**/*.ts"], tests: ["test/tools/command/*.test.ts"] },
  boundary: {
    mutate: ["src/tools/file-access/*.ts", "src/tools/node-host/{locate,protection,rondoignore}.ts"],
    tests: ["test/tools/file-access*.test.ts", "test/loop/protected-files.test.ts"],
  },
  matching: {
    mutate: ["src/tools/fuzzy-match/*.ts", "src/tools/text/{linear-pattern,wildcard}.ts"],
    tests: ["test/tools/{fuzzy-match*,edit*,wildcard}.test.ts"],
  },
  record: {
    mutate: ["src/record/*.ts"],
    tests: ["test/record/{exact,export,full-disk,ledger,old-records,search,sessions,transcript}.test.ts"],
  },
  restores: { mutate: ["src/checkpoints/{files,restore,steps,store}/*.ts"], tests: ["test/checkpoints/*.test.ts"] },
  compaction: {
    mutate: ["src/loop/context/*.ts"],
    tests: ["test/loop/{compact*,context,survivors,memory,prefix,silent-cut,token-size,synthetic-messages}.test.ts"],
  },
  budget: { mutate: ["src/loop/session/budget.ts", "src/chat/spent.ts"], tests: ["test/loop/{budget,limits}.test.ts"] },
  hunks: { mutate: ["src/extension/review/{hunks,line-diff,file-review}.ts"], tests: ["test/review/*.test.ts"] },
};

const { positionals, values } = parseArgs({ options: { jobs: { type: "string" } }, allowPositionals: true });
const unknown = positionals.find((name) => !(name in areas));
if (unknown) {
  console.error(`${unknown} is no area: ${Object.keys(areas).join(", ")}.`);
  process.exit(1);
}

process.chdir(root);
let isEnough = true;
for (const [name, { mutate, tests }] of Object.entries(areas)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  console.log(`\n== ${name} ==`);
  const results = await new Stryker({
    mutate,
    testRunner: "mocha",
    testRunnerNodeArgs: ["--require", path.join(root, "scripts/require-cjs.cjs")],
    plugins: ["@stryker-mutator/mocha-runner"],
    mochaOptions: { spec: tests, "no-config": true },
    coverageAnalysis: "perTest",
    ignoreStatic: true,
    concurrency: Number(values.jobs ?? 2),
    reporters: ["clear-text", "json"],
    jsonReporter: { fileName: `out/mutate/${name}.json` },
    clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
    tempDirName: "out/mutate/tmp",
    ignorePatterns: ["dist", "out", "*.vsix"],
  }).runMutationTest();
  const noticed = results.filter(({ status }) => status === "Killed" || status === "Timeout").length;
  const counted = results.filter(({ status }) => !["Ignored", "CompileError", "RuntimeError"].includes(status)).length;
  console.log(`${name}: ${noticed} of ${counted} changes were noticed (${((100 * noticed) / counted).toFixed(1)} %)`);
  isEnough &&= noticed >= 0.9 * counted;
}
process.exitCode = isEnough ? 0 : 1;
