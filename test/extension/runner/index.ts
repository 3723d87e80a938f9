/** Runs in VS Code's extension host, which calls `run`: all of test/extension, with mocha. */
import { format } from "node:util";
import Mocha from "mocha";
import CountingReporter from "../../reporter.mjs";

/** Names of the files in test/extension without `.test.ts`, inserted by the bundler. */
declare const TEST_FILES: readonly string[];

const GUTTER = "│ ";

/** @throws when a test failed, which VS Code turns into the exit code of the run */
export async function run(): Promise<void> {
  const grep = process.env["RONDO_GREP"];
  const mocha = new Mocha({
    ui: "bdd",
    timeout: 240_000,
    color: false,
    reporter: CountingReporter,
    ...(grep && { grep }),
  });
  // Marks lines to print, because the extension host's log has others too.
  Mocha.reporters.Base.consoleLog = (...args) => console.log(format(...args).replace(/^/gm, GUTTER));
  for (const name of TEST_FILES) {
    // Mocha does this before it loads a file: `describe` and `it` become globals.
    mocha.suite.emit("pre-require", globalThis, `test/extension/${name}.test.ts`, mocha);
    await import(`../${name}.test.ts`);
  }
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} failed`);
}
