import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { flagOf, settingNames, sharedSettings, type ValueSetting } from "../../src/base/settings.ts";
import { parseOptions } from "../../src/headless/arguments.ts";
import { UsageError, usage } from "../../src/headless/flags.ts";

describe("headless run: arguments", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "rondo-options-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("unset options have defaults", () => {
    assert.partialDeepStrictEqual(parseOptions(["Hi"]), {
      prompt: "Hi",
      output: "text",
      input: "text",
      explain: false,
      query: { cwd: process.cwd(), agent: "build", permissionMode: "default", persistSession: true, trusted: true },
    });
  });

  it("lists are separated by commas or spaces; folders become absolute", () => {
    const tools = "bash(npm test *), read edit";
    const options = parseOptions(["--allowed-tools", tools, "--session-dir", "here", "--cwd", "..", "Hi"]);
    assert.partialDeepStrictEqual(options, {
      query: {
        allowedTools: ["bash(npm test *)", "read", "edit"],
        sessionDir: path.resolve("here"),
        cwd: path.resolve(".."),
      },
    });
  });

  it("--rules: the rules of the file, in order", () => {
    const rules = [{ permission: "bash", pattern: "*", action: "deny" }];
    const file = path.join(folder, "rules.json");
    writeFileSync(file, JSON.stringify(rules));
    assert.partialDeepStrictEqual(parseOptions(["--rules", file, "Hi"]), { query: { rules } });
  });

  it("--sandbox: off, workspace or workspace-network", () => {
    for (const sandbox of ["off", "workspace", "workspace-network"] as const) {
      assert.partialDeepStrictEqual(parseOptions(["--sandbox", sandbox, "Hi"]), { query: { sandbox } });
    }
    assert.partialDeepStrictEqual(parseOptions(["Hi"]), { query: { sandbox: "off" } });
    for (const wrong of ["on", "true", "Workspace"]) {
      assert.throws(() => parseOptions(["--sandbox", wrong, "Hi"]), UsageError);
    }
  });

  it("--settings: the hooks of a file in the format of Claude Code's settings", () => {
    const settings = { hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] }, model: "opus" };
    const file = path.join(folder, "settings.json");
    writeFileSync(file, JSON.stringify(settings));
    assert.partialDeepStrictEqual(parseOptions(["--settings", file, "Hi"]), { query: { settings } });
  });

  it("--session-id names a new session or a fork, and not a resumed one", () => {
    const query = (...args: string[]) => parseOptions([...args, "--session-id", "x", "Hi"]).query;
    assert.equal(query().sessionId, "x");
    assert.equal(query("--continue").sessionId, undefined);
    assert.partialDeepStrictEqual(query("--resume", "y", "--fork-session"), { sessionId: "x", resume: "y" });
  });

  for (const name of settingNames) {
    it(`--${flagOf(name)} is the option ${name}, within its range, and stands in the help`, () => {
      const setting: ValueSetting = sharedSettings[name];
      const flag = `--${flagOf(name)}`;
      const given = (...args: string[]) => parseOptions([...args, "Hi"]).query[name];
      assert.match(usage(), new RegExp(`^ {2}${flag} .{20}`, "m"));
      if (setting.type === "boolean") {
        assert.deepEqual([given(), given(flag)], [setting.default, !setting.default]);
        return;
      }
      const { minimum = assert.fail(), maximum = 7 } = setting;
      assert.deepEqual([given(), given(flag, `${minimum}`), given(flag, `${maximum}`)], [undefined, minimum, maximum]);
      assert.throws(() => given(`${flag}=${minimum - 1}`), UsageError);
      if (setting.maximum !== undefined) assert.throws(() => given(`${flag}=${maximum + 1}`), UsageError);
    });
  }

  const table: [string[], RegExp][] = [
    [["One", "Two"], /more than one prompt/],
    [["--cwd"], /--cwd/],
    [["--provider", "nobody", "Hi"], /anthropic, openai, .*; not "nobody"/],
    [["--api", "graphql", "Hi"], /auto, responses, chat; not "graphql"/],
    [["--permission-mode", "yolo", "Hi"], /bypassPermissions; not "yolo"/],
    [["--output-format", "xml", "Hi"], /stream-json; not "xml"/],
    [["--input-format", "xml", "Hi"], /stream-json; not "xml"/],
    [["--max-turns=-1", "Hi"], /--max-turns .* at least 0/],
    [["--max-turns", "NaN", "Hi"], /whole number/],
    [["--max-turns", " ", "Hi"], /whole number/],
    [["--max-budget-tokens=-1", "Hi"], /--max-budget-tokens .* at least 0/],
    [["--max-budget-tokens", "Infinity", "Hi"], /whole number/],
    [["--max-budget-usd", "NaN", "Hi"], /amount in USD of at least 0/],
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
    [["--fork-session", "Hi"], /--fork-session needs/],
    [["--settings", "gone.json", "Hi"], /--settings: gone\.json/],
    [["--max-daily-budget-usd", "x", "Hi"], /amount/],
    [["--cwd", "/nowhere/at/all", "Hi"], /--cwd: there is no folder/],
    [["--add-dir", "gone", "Hi"], /--add-dir: there is no folder/],
  ];
  for (const [args, words] of table) {
    it(`${args.join(" ")}: a message`, () => {
      assert.throws(
        () => parseOptions(args),
        (error) => error instanceof UsageError && words.test(error.message),
      );
    });
  }
});
