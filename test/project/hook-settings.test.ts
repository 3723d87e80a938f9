import assert from "node:assert/strict";
import type { HookEvent } from "../../src/loop/hooks.ts";
import { matcherOf, namesOf } from "../../src/project/hook-matcher.ts";
import type { HookSettings } from "../../src/project/hook-settings.ts";
import { stopwatch } from "../timing.ts";
import { TestFolders } from "./folders.ts";

describe("hook settings", () => {
  let at: TestFolders;
  beforeEach(() => {
    at = new TestFolders();
  });
  afterEach(() => at.dispose());

  const group = (command: string, more = {}) => [{ hooks: [{ type: "command", command, ...more }] }];
  const put = (file: string, settings: unknown) => at.put(file, JSON.stringify(settings));
  const commands = ({ hooks }: HookSettings, event: HookEvent) => hooks.get(event)?.map(({ command }) => command);

  it("K4 takes the user's, the workspace's, its local ones and Rondo's own, in this order", () => {
    put("home/.claude/settings.json", { model: "opus", hooks: { Stop: group("user") } });
    put("work/.claude/settings.json", { hooks: { Stop: group("shared", { timeout: 5 }) } });
    put("work/.claude/settings.local.json", { hooks: { Stop: group("local") } });
    const settings = at.hooks({ own: { Stop: group("own") } });
    assert.deepEqual(settings.problems, []);
    assert.deepEqual(
      settings.hooks
        .get("Stop")
        ?.map(({ command, timeoutMs, forClaude }) => ({ command, timeout: timeoutMs, forClaude })),
      [
        { command: "user", timeout: 60_000, forClaude: true },
        { command: "shared", timeout: 5000, forClaude: true },
        { command: "local", timeout: 60_000, forClaude: true },
        { command: "own", timeout: 60_000, forClaude: false },
      ],
    );
  });

  it("K4 runs none in an untrusted workspace, because even the user's could run its files (`npm test`)", () => {
    put("home/.claude/settings.json", { hooks: { Stop: group("user") } });
    put("work/.claude/settings.json", { hooks: { Stop: group("theirs") } });
    put("work/.claude/settings.local.json", { hooks: { Stop: group("theirs") } });
    assert.equal(at.hooks({ trusted: false, own: { Stop: group("own") } }).hooks.size, 0);
  });

  it("K4 leaves out those of the workspace's files where the caller wants that, and names the files", () => {
    put("home/.claude/settings.json", { hooks: { Stop: group("user") } });
    put("work/.claude/settings.json", { hooks: { Stop: group("shared") } });
    put("work/.claude/settings.local.json", { hooks: { Stop: group("local") } });
    const settings = at.hooks({ files: false, own: { Stop: group("own") } });
    assert.deepEqual(commands(settings, "Stop"), ["user", "own"]);
    assert.deepEqual(settings.skipped, [".claude/settings.json", ".claude/settings.local.json"]);
    put("work/.claude/settings.json", { hooks: {} });
    put("work/.claude/settings.local.json", { model: "opus" });
    assert.deepEqual(at.hooks({ files: false }).skipped, []);
  });

  it("K4 they are a snapshot: later changes of the files do not count", () => {
    put("work/.claude/settings.json", { hooks: { Stop: group("before") } });
    const settings = at.hooks();
    put("work/.claude/settings.json", { hooks: { Stop: group("after"), PreToolUse: group("new") } });
    assert.deepEqual(commands(settings, "Stop"), ["before"]);
    assert.equal(commands(settings, "PreToolUse"), undefined);
  });

  it("K4 disableAllHooks disables all when set by the user, and only its own when set by the workspace", () => {
    put("home/.claude/settings.json", { hooks: { Stop: group("user") } });
    put("work/.claude/settings.json", { hooks: { Stop: group("shared") } });
    put("work/.claude/settings.local.json", { disableAllHooks: true });
    assert.deepEqual(commands(at.hooks(), "Stop"), ["user"]);
    put("home/.claude/settings.json", { disableAllHooks: true, hooks: { Stop: group("user") } });
    assert.equal(at.hooks({ own: { Stop: group("own") } }).hooks.size, 0);
  });

  it("K4 broken entries are reported and do not affect the others", () => {
    at.put("home/.claude/settings.json", "{ not json");
    put("work/.claude/settings.json", {
      hooks: {
        Stop: [
          7,
          { hooks: "x" },
          { matcher: 3, hooks: [] },
          { hooks: [{ type: "prompt", prompt: "x" }, { type: "command" }, { type: "command", command: " " }] },
          {
            hooks: [
              { type: "command", command: "c", timeout: "soon" },
              { type: "command", command: "c", args: ["x"] },
            ],
          },
          { matcher: "(", hooks: [{ type: "command", command: "c" }] },
          ...group("good"),
        ],
        PreToolUse: {},
        Lunch: group("eat"),
      },
    });
    const settings = at.hooks({ own: [] });
    assert.deepEqual(commands(settings, "Stop"), ["good"]);
    const expected = [
      /^The hooks of ~\/\.claude\/settings\.json are not used: it is not valid JSON\.$/,
      /^\.claude\/settings\.json: Rondo has no such events for hooks: Lunch\.$/,
      /^\.claude\/settings\.json: PreToolUse must be a list\.$/,
      /Stop, entry 1 is not used: it must be an object\.$/,
      /Stop, entry 2 is not used: hooks must be a list\.$/,
      /Stop, entry 3 is not used: matcher must be a string\.$/,
      /Stop, entry 4, hook 1 is not used: type must be "command"/,
      /Stop, entry 4, hook 2 is not used: command must be a string\.$/,
      /Stop, entry 4, hook 3 is not used: command must not be empty\.$/,
      /Stop, entry 5, hook 1 is not used: timeout must be seconds\.$/,
      /Stop, entry 5, hook 2 is not used: args is not known here/,
      /Stop, entry 6 is not used: its matcher `\(` is not a regular expression\.$/,
      /^The setting rondo\.hooks: hooks must be an object of events\.$/,
    ];
    const left = settings.problems.filter((problem) => !expected.some((words) => words.test(problem)));
    assert.deepEqual(left, []);
    assert.equal(settings.problems.length, expected.length);
  });

  it("K4 settings behind links to the outside, or too large, are not read", function () {
    if (process.platform === "win32") this.skip();
    put("outside.json", { hooks: { Stop: group("outside") } });
    at.link("work/.claude/settings.json", "outside.json");
    at.put("work/.claude/settings.local.json", `{"x":"${"x".repeat(2_000_000)}"}`);
    const settings = at.hooks();
    assert.equal(settings.hooks.size, 0);
    assert.match(settings.problems.join("\n"), /link that leads out/);
    assert.match(settings.problems.join("\n"), /larger than 1024 KiB/);
  });

  describe("matchers", () => {
    const fits = (matcher: string, tool: string) => matcherOf(matcher)(namesOf("PreToolUse", tool));

    for (const [matcher, tool, expected] of [
      ["", "bash", true],
      ["*", "mcp__x__y", true],
      ["Bash", "bash", true],
      ["bash", "bash", true],
      ["Bas", "bash", false],
      ["Bash|Edit", "edit", true],
      ["Bash | Edit", "edit", true],
      ["Bash|Edit", "read", false],
      ["MultiEdit", "edit", true],
      ["MultiEdit", "multi_edit", true],
      ["Edit", "multi_edit", true],
      ["Edit|Write", "apply_patch", true],
      ["Task", "task", true],
      ["Agent", "task", true],
      ["WebFetch", "web_fetch", true],
      ["TodoWrite", "todo_write", true],
      ["Notebook.*", "notebook_edit", true],
      ["^(Edit|Write)$", "write", true],
      ["^Web", "web_fetch", true],
      ["Ed.t", "edit", true],
      ["mcp__memory__.*", "mcp__memory__save", true],
      ["mcp__memory__.*", "mcp__other__save", false],
      ["mcp__x__y", "mcp__x__y", true],
      ["mcp__x", "mcp__x__y", false],
    ] as const) {
      it(`K4 "${matcher}" ${expected ? "fits" : "does not fit"} ${tool}`, () => {
        assert.equal(fits(matcher, tool), expected);
      });
    }

    it("K4 a source, trigger or agent is matched literally", () => {
      assert.deepEqual(namesOf("SessionStart", "resume"), ["resume"]);
      assert.equal(matcherOf("startup|resume")(namesOf("SessionStart", "resume")), true);
      assert.equal(matcherOf("Task")(namesOf("SubagentStart", "task")), false);
    });

    for (const matcher of [
      "(a+)+$",
      "(a*)*b",
      "((a|b)c?)*d",
      "(a|a)+$",
      "([a-z]+)*.x",
      "(.*a){20}",
      "(?:x+x+)+y",
      "(\\w+\\s?)*$",
      "(a?){30}a",
      "(x)\\1",
      "(?<n>x)\\k<n>",
      ".*.*.*.*.*x",
      `${"a?".repeat(40)}b`,
      "x".repeat(600),
      "[",
      "(?<=",
    ]) {
      it(`K4 rejects ${JSON.stringify(matcher.slice(0, 30))} as a matcher`, () => {
        assert.throws(() => matcherOf(matcher), SyntaxError);
      });
    }

    it("K4 accepted matchers are fast on the worst names", () => {
      const name = `mcp__${"a".repeat(59)}`;
      for (const matcher of [".*.*.*.*b", "a*a*a*a*b", "^(a|b|c)?.*(x|y)$", "[a-z]+_[a-z]+!", "(mcp__.*)?x{1,50}!"]) {
        const matches = matcherOf(matcher);
        const elapsed = stopwatch();
        assert.equal(matches([name]), false);
        assert.ok(elapsed() < 500, matcher);
      }
    });
  });
});
