/** What the check of texts finds: `scripts/check-l10n.mjs`. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { withoutLanguage } from "../../scripts/l10n/audience.mjs";
import { textProblems } from "../../scripts/l10n/bundles.mjs";
import { nameProblems } from "../../scripts/l10n/names.mjs";
import { isTechnical } from "../../scripts/l10n/not-shown.mjs";
import { isForPeople, textsOf } from "../../scripts/l10n/source-texts.mjs";

describe("the check of texts", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "rondo-texts-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function read(name: string, source: string) {
    const file = path.join(folder, name);
    await writeFile(file, source);
    const { calls, literals } = textsOf(file);
    const shown = literals.filter((one) => isForPeople(one) && !isTechnical(name, one));
    return { calls, literals: shown.map(({ text }) => text) };
  }

  it("finds the keys of all calls, in scripts and in markup", async () => {
    const { calls } = await read(
      "a.svelte",
      `<script lang="ts">const a = t("One {0}", x);</script>\n<p title={t("Two")}>{counted(n, "{0} dog", "{0} dogs")}</p>`,
    );
    assert.deepEqual(
      calls.map(({ keys, line }) => [line, keys]),
      [
        [1, ["One {0}"]],
        [2, ["Two"]],
        [2, ["{0} dog", "{0} dogs"]],
      ],
    );
  });

  it("finds keys that are no literals", async () => {
    const { calls } = await read("a.ts", `t(name); t(\`a \${b}\`); msg(ok ? "a" : "b");`);
    assert.deepEqual(
      calls.map(({ keys }) => keys),
      [[undefined], [undefined], [undefined]],
    );
  });

  it("finds literals that are shown but have no language", async () => {
    const { literals } = await read(
      "a.svelte",
      `<script lang="ts">const word = on ? "Stop it" : \`\${n} files left\`;</script>
       <button aria-label="Close" class="Button wide" title={t("Fine")}>Press me {n}</button>`,
    );
    assert.deepEqual(literals, ["Stop it", "{0} files left", "Close", "Press me"]);
  });

  /** Returns what the check finds in a file that stands there. */
  async function found(file: string, source: string): Promise<string[]> {
    await mkdir(path.join(folder, path.dirname(file)), { recursive: true });
    await writeFile(path.join(folder, file), source);
    const { literals } = textsOf(path.join(folder, file));
    return withoutLanguage(folder, file, literals).map(({ text }) => text);
  }

  it("finds a new text in the loop, the command line and what a tool tells people", async () => {
    const told = `turn.notifyUser(id, \`The model is \${n} times too slow.\`);`;
    const fails = 'throw new IntakeError("x", "There is nothing to fork.");';
    for (const file of ["src/loop/a.ts", "src/headless/a.ts", "src/query/a.ts", "src/mcp/a.ts", "src/record/a.ts"]) {
      assert.deepEqual(await found(file, told + fails), [
        "The model is {0} times too slow.",
        "There is nothing to fork.",
      ]);
    }
    const tool = `const plan = { title: \`Read \${name}\`, output: "It has 3 lines." };
      throw new ToolError("It is gone."); throw new ToolError("Read it again.", "It has changed.");`;
    assert.deepEqual(await found("src/tools/a.ts", tool), ["Read {0}", "It is gone.", "It has changed."]);
    const routed = 'turn.notifyUser(id, msg("The model is too slow."));';
    assert.deepEqual(await found("src/loop/a.ts", routed), []);
  });

  it("leaves texts for the model, the log and programs in English", async () => {
    for (const [file, source] of [
      ["src/loop/a.ts", '/** The system prompt. Its texts are for the model. */\nconst a = "Work on.";'],
      ["src/loop/a.ts", `const a = english(on ? \`Use \${x ? 'the old one' : 'it'}.\` : 'Stop here.');`],
      ["src/loop/a.ts", 'log.note("It was slow."); this.#log("It was slow."); const a = { prompt: "Work on." };'],
      ["src/tools/a.ts", `const a = { description: "Reads a file.", output: \`\${n} lines were read.\` };`],
      ["src/tools/a.ts", 'const a = z.string().check(z.describe("A file"));'],
    ] as const) {
      assert.deepEqual(await found(file, source), [], source);
    }
    const inside = "/** Reads. */\n/** Its texts are for the model. */\nconst a = 'This is shown.';";
    assert.deepEqual(await found("src/loop/a.ts", inside), ["This is shown."]);
  });

  it("finds buttons and commands that are called otherwise", () => {
    const manifest = { english: { "command.key": "Set Key…" }, translated: { "command.key": "Schlüssel…" } };
    const check = (text: string, translation: string) =>
      nameProblems("x.json", [text], { "Stop asking": "Nicht fragen", [text]: translation }, manifest);
    assert.deepEqual(check("“Stop asking” ends it.", "„Nicht fragen“ beendet es."), []);
    assert.deepEqual(check('Use "Rondo: Set Key…".', "Verwenden Sie „Rondo: Schlüssel…“."), []);
    assert.deepEqual(check("He says “Go on.”, “{0}” and “yes”.", "Er sagt es."), []);
    assert.deepEqual(check("“Stop” ends it.", "„Stopp“ beendet es."), [
      'x.json: nothing is called “Stop”, as "“Stop” ends it." says',
    ]);
    assert.deepEqual(check("“Stop asking” ends it.", "„Anhalten“ beendet es."), [
      'x.json: “Stop asking” is called “Nicht fragen”, in "“Stop asking” ends it."',
    ]);
  });

  it("leaves programs' words alone", async () => {
    const { literals } = await read(
      "a.ts",
      `import a from "some module"; type B = "A type"; if (key === "Enter now") run("x"); const id = "list-item";`,
    );
    assert.deepEqual(literals, []);
  });

  it("finds missing, unused and unequal translations", () => {
    const english = { "Open {0}": "Open {0}", "See `a.b`": "See `a.b`", Gone: "Gone", Fine: "Fine" };
    const problems = textProblems("x.json", english, {
      "Open {0}": "Öffnen",
      "See `a.b`": "Siehe `a.c`",
      Fine: "Gut",
      Old: "Alt",
    });
    assert.deepEqual(problems, [
      'x.json: other placeholders in "Open {0}"',
      'x.json: other code or links in "See `a.b`"',
      'x.json: there is no text for "Gone"',
      'x.json: nobody uses "Old"',
    ]);
  });
});
