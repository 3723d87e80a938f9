/** What the check of texts finds: `scripts/check-l10n.mjs`. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { textProblems } from "../../scripts/l10n/bundles.mjs";
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
