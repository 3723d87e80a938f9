/**
 * `npm run mutate [-- AREA…]`: changes one detail of the code at a time and runs the tests of its area. A change that no
 * test notices is listed: either a test is missing, or the change makes no difference.
 * Fails if less than 90 % are noticed in an area. Takes minutes to hours, and is not part of `npm test`.
 * `AREA --file PATH[:FROM-TO]` changes that file of the area alone, or some of its lines; `--test PATH` runs that test
 * file alone, to find quickly what it misses. `--jobs N` sets how many processes run tests. `--static` includes what runs
 * once, when a module is loaded: slow, as each change starts anew.
 */
import { globSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import "./require-cjs.cjs";
import { Stryker } from "@stryker-mutator/core";
import { root } from "./version.mjs";

/**
 * What must not break, and the tests that guard it. `elsewhere`: some of it runs in threads or child processes.
 * @type {Record<string, {mutate: string[], tests: string[], elsewhere?: boolean}>}
 */
const areas = {
  permissions: {
    mutate: ["src/loop/permissions/*.ts"],
    tests: [
      "test/loop/{rule*,verdicts,open-requests,restricted-paths,permission,requests,asking,outside-sandbox}.test.ts",
      "test/tools/{path-rules,command/exact-rules}.test.ts",
    ],
  },
  commands: { mutate: ["src/tools/command/**/*.ts"], tests: ["test/tools/command/*.test.ts"] },
  boundary: {
    mutate: [
      "src/tools/file-access/*.ts",
      "src/tools/node-host/{locate,protection,own-secrets,rondoignore,hard-links,config-files}.ts",
      "src/base/node/{read-checked,repository}.ts",
    ],
    tests: [
      "test/tools/{protected-names,secret-places,locate,boundary-limits,config-files,file-checks,file-access*}.test.ts",
      "test/{tools/path-rules,tools/hard-links,project/boundary,loop/protected-files,base/node/repository}.test.ts",
    ],
  },
  matching: {
    mutate: ["src/tools/fuzzy-match/*.ts", "src/tools/text/{linear-pattern,pattern-reader,wildcard,glob-pattern}.ts"],
    tests: ["test/tools/{fuzzy-match*,nearest,edit*,wildcard}.test.ts", "test/tools/command/pattern.test.ts"],
  },
  record: {
    mutate: ["src/record/*.ts"],
    tests: ["test/record/*.test.ts"],
    elsewhere: true,
  },
  restores: {
    mutate: ["src/checkpoints/{files,restore,scan,steps,store}/*.ts"],
    tests: ["test/checkpoints/*.test.ts"],
    elsewhere: true,
  },
  compaction: {
    mutate: ["src/loop/context/*.ts"],
    tests: [
      "test/loop/{compact,compact-decisions,context,effective-history,survivors,memory,prefix}.test.ts",
      "test/loop/{token-size,reported-sizes,synthetic-messages,numbers-context,external-tools}.test.ts",
    ],
  },
  budget: {
    mutate: ["src/loop/session/budget.ts", "src/chat/spent.ts", "src/loop/limits.ts"],
    tests: ["test/loop/{budget*,limits,numbers,subagent,subtasks}.test.ts"],
  },
  calls: {
    mutate: ["src/loop/calls/{loop-detection,deadline}.ts"],
    tests: ["test/loop/{deadline,loop-*}.test.ts"],
  },
  hunks: {
    mutate: ["src/review/*.ts"],
    tests: ["test/review/*.test.ts"],
  },
};

const { positionals, values } = parseArgs({
  options: {
    file: { type: "string", multiple: true },
    jobs: { type: "string", default: "2" },
    static: { type: "boolean", default: false },
    test: { type: "string", multiple: true },
  },
  allowPositionals: true,
});
const unknown = positionals.find((name) => !(name in areas));
if (unknown) {
  console.error(`${unknown} is no area: ${Object.keys(areas).join(", ")}.`);
  process.exit(1);
}
if (values.file && positionals.length !== 1) {
  console.error("Name the area of the file, for example: npm run mutate -- record --file src/record/ledger.ts.");
  process.exit(1);
}

process.chdir(root);
const nodeArgs = ["--require", path.join(root, "scripts/require-cjs.cjs")];
let isEnough = true;
for (const [name, { mutate, tests, elsewhere }] of Object.entries(areas)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  console.log(`\n== ${name} ==`);
  const results = await new Stryker({
    mutate: values.file ?? mutate,
    testRunner: "mocha",
    testRunnerNodeArgs: elsewhere ? [...nodeArgs, "--import", path.join(root, "scripts/mutation-reach.mjs")] : nodeArgs,
    checkerNodeArgs: nodeArgs,
    plugins: ["@stryker-mutator/mocha-runner", path.join(root, "scripts/mutate-survivors.mjs")],
    // Mocha takes a pattern for the name of a file if it has braces alone.
    mochaOptions: { spec: values.test ?? globSync(tests), "no-config": true },
    coverageAnalysis: "perTest",
    ignoreStatic: !values.static,
    concurrency: Number(values.jobs),
    reporters: ["clear-text", "json", "survivors"],
    jsonReporter: { fileName: `out/mutate/${name}.json` },
    clearTextReporter: { logTests: false, reportTests: false, reportMutants: false, allowColor: false },
    tempDirName: "out/mutate/tmp",
    ignorePatterns: ["dist", "out", "*.vsix"],
  }).runMutationTest();
  const late = results.filter(({ status }) => status === "Timeout").length;
  const noticed = late + results.filter(({ status }) => status === "Killed").length;
  const counted = results.filter(({ status }) => !["Ignored", "CompileError", "RuntimeError"].includes(status)).length;
  const share = ((100 * noticed) / counted).toFixed(1);
  // On a busy machine some of these are not endless, only slow.
  console.log(`${name}: ${noticed} of ${counted} changes were noticed (${share} %), ${late} by the time limit`);
  isEnough &&= noticed >= 0.9 * counted;
}
process.exitCode = isEnough ? 0 : 1;
