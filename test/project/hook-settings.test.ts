import assert from "node:assert/strict";
import type { HookEvent } from "../../src/loop/hooks.ts";
import type { HookSettings } from "../../src/project/hook-settings.ts";
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
});
