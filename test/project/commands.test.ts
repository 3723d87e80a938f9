import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { realFolder } from "../../src/base/node/read-checked.ts";
import { SlashCommands } from "../../src/extension/composer/slash-commands.ts";
import { localized } from "../../src/l10n/l10n.ts";
import { skillsText } from "../../src/loop/setup/system-prompt.ts";
import { ServerPrompts } from "../../src/mcp/prompts/server-prompts.ts";
import { loadCommands } from "../../src/project/command-files.ts";
import { toldSkills } from "../../src/project/skill-files.ts";
import { configRoots } from "../../src/tools/node-host/config-files.ts";
import { run } from "../mcp/mcp.ts";
import { usualBoundary } from "../read-boundary.ts";
import { TestFolders } from "./folders.ts";

const skill = (description: string, fields = "", body = "Do it so.") =>
  `---\ndescription: ${description}\n${fields}\n---\n\n${body}\n`;

describe("command files and skills", () => {
  let at: TestFolders;
  beforeEach(() => {
    at = new TestFolders();
  });
  afterEach(() => at.dispose());

  const load = (trusted = true) =>
    loadCommands({ folders: [at.work], home: at.home, trusted, boundary: usualBoundary });
  const names = (trusted = true) => [...load(trusted).commands.keys()].sort();
  const slash = () => new SlashCommands(() => load().commands, new ServerPrompts(run({}).servers));

  it("M1 are found in the workspace and in the user's folder, and in folders below", () => {
    for (const file of [
      "work/.rondo/commands/a.md",
      "work/.claude/commands/b.md",
      "work/.claude/commands/frontend/component.md",
      "work/.claude/commands/frontend/forms/field.md",
      "work/.claude/commands/1/2/3/4/deep.md",
      "work/.claude/commands/1/2/3/4/5/too-deep.md",
      "home/.rondo/commands/c.md",
      "home/.claude/commands/d.md",
    ]) {
      at.put(file, `# Title of ${file}\n\nDo it.`);
    }
    assert.deepEqual(names(), ["1:2:3:4:deep", "a", "b", "c", "d", "frontend:component", "frontend:forms:field"]);
    const { commands, problems } = load();
    assert.deepEqual(problems, []);
    assert.equal(commands.get("a")?.description, "Title of work/.rondo/commands/a.md");
    assert.equal(commands.get("frontend:component")?.source, ".claude/commands/frontend/component.md");
    assert.equal(commands.get("d")?.source, "~/.claude/commands/d.md");
  });

  it("M1 a name with a space is told, one of another sign is no command", () => {
    at.put("work/.claude/commands/my fix.md", "Do it.");
    at.put("work/.claude/commands/_parts.md", "Part.");
    assert.deepEqual(names(), []);
    assert.deepEqual(load().problems.map(localized), [
      "The command in .claude/commands/my fix.md cannot be used: its name has a space.",
    ]);
  });

  it("M1 folders of commands that link in circles take no time", () => {
    at.put("work/.claude/commands/a/one.md", "Do it.");
    for (let one = 0; one < 100; one++) at.link(`work/.claude/commands/a/up${one}`, "work/.claude/commands");
    const start = performance.now();
    assert.ok(names().includes("a:one"));
    // 100 links on four levels would be a hundred million folders.
    assert.ok(performance.now() - start < 5_000);
  });

  it("M1 have a description and a hint; the workspace's counts before the user's, a command before a skill", () => {
    at.put("work/.rondo/commands/fix.md", "---\ndescription: Fixes\nargument-hint: [issue] [depth]\n---\nFix $1.");
    at.put("home/.rondo/commands/fix.md", "Mine.");
    at.put("work/.rondo/skills/fix/SKILL.md", skill("A skill of the same name"));
    const fix = load().commands.get("fix");
    assert.deepEqual([fix?.description, fix?.hint, fix?.template], ["Fixes", "[issue] [depth]", "Fix $1."]);
  });

  it("M1 of a workspace that is not trusted are not used", () => {
    at.put("work/.rondo/commands/a.md", "Do it.");
    at.put("work/.claude/skills/b/SKILL.md", skill("B"));
    at.put("home/.rondo/commands/c.md", "Do it.");
    assert.deepEqual(names(false), ["c"]);
    assert.deepEqual(at.load({ trusted: false }).skills, []);
  });

  it("M1 that lead out of the workspace, are secret, too large, binary or broken are left out with a sentence", () => {
    at.put("outside.md", "Secret.");
    at.link("work/.rondo/commands/out.md", "outside.md");
    at.put("elsewhere/SKILL.md", skill("Out"));
    at.link("work/.rondo/skills/out", "elsewhere");
    at.put("work/.rondo/commands/large.md", "x".repeat(300_000));
    at.put("work/.rondo/commands/binary.md", new Uint8Array([0, 1, 2]));
    at.put("work/.rondo/commands/broken.md", "---\na: [b\n---\nText");
    at.put("work/.rondo/commands/a name.md", "No name for a command.");
    const { commands, problems } = load();
    assert.deepEqual([...commands.keys()], []);
    for (const name of ["out.md", "large.md", "binary.md", "broken.md", "skills/out"]) {
      assert.ok(
        problems.some((problem) => problem.includes(name)),
        `${name} in ${problems.join("\n")}`,
      );
    }
  });

  it("M1 are text: nothing in them runs, allows or reads", () => {
    const body = "Now: !`touch pwned` @/etc/passwd";
    at.put("work/.claude/commands/x.md", `---\nallowed-tools: Bash(*)\nmodel: other/model\n---\n${body}`);
    const text = slash().instructions("/x now");
    assert.equal(
      text,
      `The user has sent the command /x, from .claude/commands/x.md. It says:\n\n${body}\n\nArguments: now`,
    );
  });

  it("M1 of Rondo can be replaced by those of the workspace; an unknown name is no command", () => {
    assert.match(slash().instructions("/review main") ?? "", /What to review: main /);
    at.put("work/.claude/commands/review.md", "Our own way: $ARGUMENTS");
    assert.match(slash().instructions("/review main") ?? "", /Our own way: main$/);
    assert.equal(slash().choices.filter(({ name }) => name === "review").length, 1);
    assert.equal(slash().instructions("/nothing"), undefined);
    assert.equal(slash().instructions("Use /review"), undefined);
  });

  it("M1 the model is told name, description and file of skills; the rest it reads", () => {
    at.put("work/.rondo/skills/pdf/SKILL.md", skill("Fills in PDF forms", "name: fill-pdf", "The whole way."));
    at.put("home/.claude/skills/mine/SKILL.md", skill("Mine"));
    at.put("work/.claude/skills/quiet/SKILL.md", skill("Only for the user", "disable-model-invocation: true"));
    at.put("work/.claude/skills/inner/SKILL.md", skill("Only for the model", "user-invocable: false"));
    at.put("work/.claude/skills/none/SKILL.md", "Without a description.");
    const { skills, problems } = at.load();
    assert.deepEqual(skills, [
      { name: "fill-pdf", description: "Fills in PDF forms", path: ".rondo/skills/pdf/SKILL.md" },
      { name: "inner", description: "Only for the model", path: ".claude/skills/inner/SKILL.md" },
      { name: "mine", description: "Mine", path: `${at.home}/.claude/skills/mine/SKILL.md` },
    ]);
    assert.equal(problems.filter((problem) => problem.includes("none/SKILL.md")).length, 1);
    assert.doesNotMatch(skillsText(skills), /The whole way/);
    assert.deepEqual(names(), ["fill-pdf", "mine", "quiet"]);
    assert.match(slash().instructions("/fill-pdf form.pdf") ?? "", /The whole way\.\n\nArguments: form\.pdf$/);
  });

  it("M1 the model is not told of more skills than 16,000 characters name", () => {
    for (let index = 0; index < 40; index++) at.put(`work/.rondo/skills/s${index}/SKILL.md`, skill("d".repeat(900)));
    const { skills, problems } = at.load();
    assert.ok(skills.length > 10 && skills.length < 20, `${skills.length}`);
    assert.ok(problems.some((problem) => problem.startsWith("The model is not told of these skills")));
  });

  it("M1 of several folders, the model is told paths that its tools find", async () => {
    at.put("work/.claude/skills/one/SKILL.md", skill("First"));
    at.put("work/api/.claude/skills/two/SKILL.md", skill("Second"));
    at.put("work/api/.claude/commands/three.md", "Do it.");
    const folders = [path.join(at.work, "web"), path.join(at.work, "api")];
    at.put("work/web/.claude/skills/one/SKILL.md", skill("First"));
    const places = { folders, home: at.home, trusted: true, boundary: usualBoundary };
    const { skills } = toldSkills(configRoots(places));
    assert.deepEqual(
      skills.map(({ name, path: told }) => [name, told]),
      [
        ["one", ".claude/skills/one/SKILL.md"],
        ["two", path.join(realFolder(folders[1] ?? ""), ".claude/skills/two/SKILL.md")],
      ],
    );
    for (const { path: told } of skills)
      assert.match(await readFile(path.resolve(folders[0] ?? "", told), "utf8"), /Do/);
    const { commands } = loadCommands(places);
    assert.equal(commands.get("two")?.source, "api/.claude/skills/two/SKILL.md");
    const several = new SlashCommands(() => commands, new ServerPrompts(run({}).servers));
    for (const [command, file] of [
      ["/two", ".claude/skills/two/SKILL.md"],
      ["/three", ".claude/commands/three.md"],
    ] as const) {
      const from = `, from ${path.join(realFolder(folders[1] ?? ""), file)}. It says:`;
      assert.ok(several.instructions(command)?.includes(from), several.instructions(command));
    }
    assert.match(several.instructions("/one") ?? "", /, from \.claude\/skills\/one\/SKILL\.md\. It says:/);
  });
});
