import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { isSwitchedOn } from "../../src/loop/agents/agents.ts";
import { IntakeError } from "../../src/loop/session/intake-error.ts";
import { stopwatch } from "../timing.ts";
import { TestFolders } from "./folders.ts";

describe("agent files", () => {
  let at: TestFolders;
  beforeEach(() => {
    at = new TestFolders();
  });
  afterEach(() => at.dispose());

  const agent = (fields: string, body = "Do it.") => `---\ndescription: A test\n${fields}\n---\n\n${body}\n`;
  const find = (name: string) => at.load().agents.find(name);
  /** Returns the message of `agent-invalid`. */
  function problemOf(name: string): string {
    try {
      at.load().agents.find(name);
    } catch (error) {
      if (error instanceof IntakeError && error.code === "agent-invalid") return error.message;
      throw error;
    }
    throw new Error(`${name} is valid`);
  }

  describe("where they are found", () => {
    it("P4 finds them in all folders of the workspace and the user", () => {
      for (const [file, name] of [
        ["work/.rondo/agents/a.md", "a"],
        ["work/.claude/agents/b.md", "b"],
        ["work/AGENT.md", "c"],
        ["home/.rondo/agents/d.md", "d"],
        ["home/.claude/agents/e.md", "e"],
      ] as const) {
        at.put(file, agent(`name: ${name}`, `I am ${name}.`));
      }
      const { agents, problems } = at.load();
      const found = agents.all().filter(({ source }) => source !== "built-in");
      assert.deepEqual(found.map(({ name, prompt, source }) => `${name} ${source} ${prompt}`).sort(), [
        "a workspace I am a.",
        "b workspace I am b.",
        "c workspace I am c.",
        "d user I am d.",
        "e user I am e.",
      ]);
      assert.deepEqual(problems, []);
    });

    it("P4 the nearest wins: the workspace's, then the user's, then the built-in one", () => {
      const from = (file: string) => at.put(file, agent("name: build", file));
      from("home/.claude/agents/build.md");
      assert.equal(find("build").prompt, "home/.claude/agents/build.md");
      from("home/.rondo/agents/build.md");
      assert.equal(find("build").prompt, "home/.rondo/agents/build.md");
      from("work/AGENT.md");
      assert.equal(find("build").prompt, "work/AGENT.md");
      from("work/.claude/agents/build.md");
      assert.equal(find("build").prompt, "work/.claude/agents/build.md");
      from("work/.rondo/agents/build.md");
      assert.equal(find("build").prompt, "work/.rondo/agents/build.md");
    });

    it("P4 the first workspace folder is nearer than the second", () => {
      at.put("work/.rondo/agents/x.md", agent("name: x", "first"));
      at.put("other/.rondo/agents/x.md", agent("name: x", "second"));
      at.put("other/.rondo/agents/y.md", agent("name: y", "second"));
      const { agents } = at.load({ folders: [at.work, path.join(at.root, "other")] });
      assert.equal(agents.find("x").prompt, "first");
      assert.equal(agents.find("y").prompt, "second");
    });

    it("P4 in an untrusted workspace only the user's are used, with a notice", () => {
      at.put("work/.rondo/agents/a.md", agent("name: a"));
      at.put("work/AGENT.md", agent("name: c"));
      at.put("home/.rondo/agents/d.md", agent("name: d"));
      const { agents, problems } = at.load({ trusted: false });
      assert.equal(agents.find("d").source, "user");
      assert.throws(() => agents.find("a"), /no agent named "a"/);
      assert.throws(() => agents.find("c"), /no agent named "c"/);
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? "", /not trusted.*\.rondo, AGENT\.md/);
    });
  });

  describe("their fields", () => {
    it("P4 accepts every field", () => {
      at.put(
        "home/.rondo/agents/full.md",
        `---
name: full
description: Reviews
mode: primary
model: anthropic/claude-sonnet-5
temperature: 0.3
steps: 12
tools: { bash: false }
permission: { edit: deny }
hidden: true
options: { top_p: 0.5 }
---
Be strict.

---
A line in the prompt.`,
      );
      assert.deepEqual(find("full"), {
        name: "full",
        description: "Reviews",
        mode: "primary",
        prompt: "Be strict.\n\n---\nA line in the prompt.",
        model: "anthropic/claude-sonnet-5",
        temperature: 0.3,
        steps: 12,
        tools: { bash: false },
        permission: [{ permission: "edit", pattern: "*", action: "deny" }],
        hidden: true,
        readOnly: false,
        options: { top_p: 0.5 },
        source: "user",
      });
    });

    it("P4 the file name is the default name; empty fields are ignored", () => {
      at.put(
        "work/.rondo/agents/helper.md",
        "---\ndescription: Helps\r\ntools:\nmodel:\n---\r\nHi.".replace(/\r?\n/g, "\r\n"),
      );
      const helper = find("helper");
      assert.equal(helper.prompt, "Hi.");
      assert.deepEqual(helper.tools, {});
      assert.equal(helper.mode, "all");
    });

    it("P4 reads an agent written for Claude Code", () => {
      at.put(
        "work/.claude/agents/reviewer.md",
        `---
name: reviewer
description: Use this agent when code was written. Examples: <example>user: "Review it" # now</example>
tools: Read, Grep, Bash(git diff:*, git log), WebFetch, MultiEdit, mcp__github, mcp__db__query
model: sonnet
color: blue
permissionMode: plan
maxTurns: 7
---
You review.`,
      );
      const reviewer = find("reviewer");
      assert.deepEqual(at.load().problems, []);
      assert.match(reviewer.description, /^Use this agent .* Examples: <example>user: "Review it" # now<\/example>$/);
      assert.equal(reviewer.mode, "subagent");
      assert.equal(reviewer.model, undefined);
      assert.equal(reviewer.steps, 7);
      assert.equal(reviewer.readOnly, true);
      const on = ["read", "grep", "bash", "web_fetch", "multi_edit", "mcp__github__log", "mcp__db__query"];
      const off = ["write", "glob", "task", "mcp__db__drop", "mcp__gitlab__log"];
      assert.deepEqual(
        [...on, ...off].filter((tool) => isSwitchedOn(reviewer.tools, tool)),
        on,
      );
    });

    it("P4 tools: a list, switches, invalid names, none", () => {
      at.put("work/.rondo/agents/list.md", agent("tools: [Read, Glob]"));
      at.put("work/.rondo/agents/off.md", agent("tools:\n  bash: false\n  webfetch: false\n  mcp__x: false"));
      at.put("work/.rondo/agents/less.md", agent("disallowedTools: Write, Edit"));
      at.put("work/.rondo/agents/none.md", agent("tools: []"));
      assert.deepEqual(find("list").tools, { "*": false, read: true, glob: true });
      assert.deepEqual(find("off").tools, { bash: false, web_fetch: false, "mcp__x__*": false });
      assert.deepEqual(find("less").tools, { write: false, edit: false });
      assert.deepEqual(find("none").tools, { "*": false });
    });

    for (const model of ["inherit", "sonnet", "opus", "haiku"]) {
      it(`P4 the model ${model} is the session's`, () => {
        at.put("work/.claude/agents/m.md", agent(`model: ${model}`));
        assert.equal(find("m").model, undefined);
      });
    }

    it("P4 reads permissions in OpenCode's format, as one word, and as rules", () => {
      at.put(
        "home/.rondo/agents/open.md",
        agent('permission:\n  edit: deny\n  bash:\n    "*": ask\n    "git *": allow'),
      );
      at.put("home/.rondo/agents/word.md", agent("permission: ask"));
      at.put(
        "home/.rondo/agents/rules.md",
        agent("permission:\n  - { permission: Bash, pattern: 'rm *', action: deny }"),
      );
      assert.deepEqual(find("open").permission, [
        { permission: "edit", pattern: "*", action: "deny" },
        { permission: "bash", pattern: "*", action: "ask" },
        { permission: "bash", pattern: "git *", action: "allow" },
      ]);
      assert.deepEqual(find("word").permission, [{ permission: "*", pattern: "*", action: "ask" }]);
      assert.deepEqual(find("rules").permission, [{ permission: "bash", pattern: "rm *", action: "deny" }]);
    });

    it("P4 an agent of the workspace can only narrow permissions, with a notice", () => {
      at.put(
        "work/.rondo/agents/wide.md",
        agent('permission:\n  bash:\n    "*": allow\n    "rm *": deny\n  edit: ask\noptions: { system: evil }'),
      );
      const { agents, problems } = at.load();
      assert.deepEqual(agents.find("wide").permission, [
        { permission: "bash", pattern: "rm *", action: "deny" },
        { permission: "edit", pattern: "*", action: "ask" },
      ]);
      assert.deepEqual(agents.find("wide").options, {});
      assert.equal(problems.length, 2);
      assert.match(problems.join("\n"), /\.rondo\/agents\/wide\.md: its rules that allow are ignored/);
      assert.match(problems.join("\n"), /its options are ignored/);
    });
  });

  describe("broken and hostile files", () => {
    it("P4 a broken file is reported by field and skipped, without affecting others", () => {
      at.put(
        "work/.rondo/agents/bad.md",
        "---\nname: bad\ndescription: 7\nmode: boss\ntemperature: hot\nsteps: 1.5\ntools: 3\npermission: { edit: maybe }\nhidden: yes please\n---\nx",
      );
      at.put("work/.rondo/agents/good.md", agent("name: good"));
      const { agents, problems } = at.load();
      assert.equal(agents.find("good").prompt, "Do it.");
      assert.equal(problems.length, 1);
      const words = problemOf("bad");
      assert.equal(problems[0], words);
      for (const field of ["description", "mode", "temperature", "steps", "tools", "permission", "hidden"]) {
        assert.match(words, new RegExp(`[:;] ${field} must be`), field);
      }
      assert.match(words, /\.rondo\/agents\/bad\.md/);
    });

    it("P4 a broken file leaves its name to the next one", () => {
      at.put("work/.rondo/agents/x.md", agent("name: x\nsteps: none"));
      at.put("home/.rondo/agents/x.md", agent("name: x", "the user's"));
      assert.equal(find("x").prompt, "the user's");
      assert.equal(at.load().problems.length, 1);
    });

    const broken: [title: string, text: string | Uint8Array, words: RegExp][] = [
      ["no front matter", "Just text.", /must begin with front matter/],
      ["front matter without an end", "---\nname: x\n", /must begin with front matter/],
      ["front matter that is a list", "---\n- a\n---\nx", /must begin with front matter/],
      ["front matter that is a word", "---\nhello\n---\nx", /must begin with front matter/],
      ["empty front matter", "---\n---\nx", /must begin with front matter/],
      ["no description", "---\nname: x\n---\nx", /description must be a string/],
      ["malformed YAML", '---\ndescription: "open\n---\nx', /not valid YAML/],
      ["a key given twice", "---\ndescription: a\ndescription: b\n---\nx", /not valid YAML/],
      ["an alias", "---\nx: &a [1]\ndescription: *a\n---\nx", /not valid YAML: .*[Aa]lias/],
      [
        "an alias bomb",
        `---\na: &a [x,x,x,x,x,x,x,x,x]\n${[..."bcdefghijk"]
          .map((key, index) => `${key}: &${key} [${Array(9).fill(`*${"abcdefghij"[index]}`)}]`)
          .join("\n")}\n---\nx`,
        /not valid YAML/,
      ],
      ["deep nesting", `---\ndescription: ${"[".repeat(7_900)}\n---\nx`, /nested too deeply/],
      ["deep nesting by dashes", `---\n${"- ".repeat(3_900)}x\n---\nx`, /nested too deeply/],
      ["a line of quotes", `---\n${'"'.repeat(7_900)}\n---\nx`, /not valid YAML/],
      ["a line of anchors", `---\n${"&a ".repeat(2_500)}\n---\nx`, /not valid YAML/],
      ["front matter of 1 MB", `---\ndescription: ${"x".repeat(200_000)}\n---\nx`, /longer than/],
      ["10 MB of text", `---\ndescription: x\n---\n${"x".repeat(10_000_000)}`, /larger than 256 KiB/],
      ["binary content", new Uint8Array([45, 45, 45, 10, 0, 1, 2]), /not text/],
      ["a name that is a path", "---\nname: ../../x\ndescription: a\n---\nx", /name may hold letters/],
      ["a name that is a number", "---\nname: 12\ndescription: a\n---\nx", /name must be a string/],
      ["a very long name", `---\nname: ${"n".repeat(100)}\ndescription: a\n---\nx`, /name must have at most 64/],
    ];
    for (const [title, text, words] of broken) {
      it(`P4 rejects ${title} quickly`, () => {
        at.put("work/.rondo/agents/odd.md", text);
        at.put("work/.rondo/agents/good.md", agent("name: good"));
        const elapsed = stopwatch();
        const { agents, problems } = at.load();
        assert.ok(elapsed() < 1000);
        assert.equal(problems.length, 1);
        assert.match(problems[0] ?? "", words);
        assert.equal(agents.find("good").name, "good");
      });
    }

    it("P4 a name like __proto__ reaches no prototype", () => {
      at.put("work/.rondo/agents/p.md", "---\nname: __proto__\ndescription: a\n__proto__: { hidden: true }\n---\nx");
      const { agents, problems } = at.load();
      assert.deepEqual(problems, []);
      assert.equal(agents.find("__proto__").hidden, false);
    });

    it("P4 a workspace link that leads outside is not followed; the user's is", function () {
      if (process.platform === "win32") this.skip();
      at.put("outside/agents/secret.md", agent("name: secret"));
      at.link("work/.rondo/agents/secret.md", "outside/agents/secret.md");
      at.link("work/.claude/agents", "outside/agents");
      at.put("work/docs/inside.md", agent("name: inside"));
      at.link("work/.rondo/agents/inside.md", "work/docs/inside.md");
      const { agents, problems } = at.load();
      assert.equal(agents.find("inside").source, "workspace");
      assert.throws(() => agents.find("secret"), /link that leads out of the workspace/);
      assert.equal(problems.length, 2);
      assert.match(problems[0] ?? "", /^\.claude\/agents is not used: it is a link that leads out of the workspace\.$/);
      at.link("home/.claude/agents", "outside/agents");
      assert.equal(find("secret").source, "user");
    });

    it("P4 a named pipe instead of a file does not block", function () {
      if (process.platform === "win32") this.skip();
      at.put("work/.rondo/agents/good.md", agent("name: good"));
      execFileSync("mkfifo", [path.join(at.work, ".rondo/agents/pipe.md"), path.join(at.work, "AGENTS.md")]);
      const { problems, rules } = at.load();
      assert.deepEqual(rules, []);
      assert.equal(problems.length, 2);
      assert.match(problems[0] ?? "", /not a file/);
    });
  });
});
