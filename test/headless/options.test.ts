import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseOptions, UsageError } from "../../src/headless/options.ts";

describe("the headless run: arguments", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-options-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("what is not said has its default", () => {
    assert.partialDeepStrictEqual(parseOptions(["Hi"]), {
      prompt: "Hi",
      cwd: process.cwd(),
      agent: "build",
      mode: "default",
      session: { type: "new" },
      persist: true,
      output: "text",
      input: "text",
      trusted: true,
      explain: false,
    });
    assert.equal(parseOptions(["--help"]), "help");
  });

  it("lists are separated by commas or blanks; folders become absolute", () => {
    const options = parseOptions(["--allowed-tools", "bash, read edit", "--session-dir", "here", "--cwd", "..", "Hi"]);
    assert.partialDeepStrictEqual(options, {
      allowedTools: ["bash", "read", "edit"],
      sessionDir: path.resolve("here"),
      cwd: path.resolve(".."),
    });
  });

  it("--rules: the file's rules, in order", () => {
    const rules = [{ permission: "bash", pattern: "*", action: "deny" }];
    const file = path.join(folder, "rules.json");
    writeFileSync(file, JSON.stringify(rules));
    assert.partialDeepStrictEqual(parseOptions(["--rules", file, "Hi"]), { rules });
  });

  const table: [string[], RegExp][] = [
    [["One", "Two"], /more than one prompt/],
    [["--cwd"], /--cwd/],
    [["--provider", "gemini", "Hi"], /anthropic, openai; not "gemini"/],
    [["--permission-mode", "yolo", "Hi"], /bypassPermissions; not "yolo"/],
    [["--output-format", "xml", "Hi"], /stream-json; not "xml"/],
    [["--input-format", "xml", "Hi"], /stream-json; not "xml"/],
    [["--max-turns", "0", "Hi"], /--max-turns .* at least 1/],
    [["--max-turns", "many", "Hi"], /whole number/],
    [["--max-turns", "1.5", "Hi"], /whole number/],
    [["--max-retries=-1", "Hi"], /at least 0/],
    [["--context-window", "", "Hi"], /whole number/],
    [["--max-budget-usd=-1", "Hi"], /amount/],
    [["--max-budget-usd", "", "Hi"], /amount/],
    [["--base-url", "localhost:1", "Hi"], /http/],
    [["--rules", "gone.json", "Hi"], /--rules: gone\.json/],
    [["--rules", "package.json", "Hi"], /is not a JSON list/],
    [["--resume", "../../etc/passwd", "Hi"], /--resume takes letters/],
    [["--session-id", "../x", "Hi"], /--session-id takes letters/],
    [["--session-id", "", "Hi"], /--session-id takes letters/],
    [["--resume", "a", "--continue", "Hi"], /either --resume or --continue/],
  ];
  for (const [args, words] of table) {
    it(`${args.join(" ")}: a sentence`, () => {
      assert.throws(
        () => parseOptions(args),
        (error) => error instanceof UsageError && words.test(error.message),
      );
    });
  }
});
