// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language of the shell
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { TestWorkspace } from "../workspace.ts";
import { allowing, decisionOf, reading } from "./judged.ts";

/** Each reads the files that another program finds. `D` is a folder. */
const readers = [
  ...[
    "find D -name '*.ts' -exec wc -l {} +",
    "find D -type f -name '*.ts' -exec head -n 3 {} \\;",
    "find D | xargs grep x",
  ],
  ...[
    "find D -name '*.ts' | xargs grep -n x",
    "find D -name '*.ts' -print0 | xargs -0 wc -l",
    "rg --files D | xargs wc -l",
  ],
  ...[
    "find D -name '*.ts' | head -5 | xargs cat",
    "find D -name '*.ts' | sort | xargs -n 1 head",
    "rg -l x D | xargs cat",
  ],
  ...["find D -name '*.ts' | xargs -I{} head {}", 'for f in $(find D -name "*.ts"); do wc -l "$f"; done'],
  ...[
    'for f in D/*.ts; do head "$f"; done',
    "for f in D/*.ts; do wc -l $f; done",
    'for f in D/*; do cat "$f" | grep x; done',
  ],
  ...[
    'find D -name "*.ts" | while read -r f; do head "$f"; done',
    "cat $(find D -name '*.ts')",
    "wc -l $(rg --files D)",
  ],
];

describe("T8 commands that read what another one finds", () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
    execFileSync("git", ["init", "-q", workspace.folder]);
    for (const name of ["src/a.ts", "src/deep/b.ts", "src/c.md"]) workspace.put(name, "x");
  });
  afterEach(() => workspace.dispose());

  const decisions = async (rules = reading) => {
    const found = new Map<string, string>();
    for (const reader of readers) {
      const command = reader.replaceAll(/\bD\b/g, "src");
      found.set(command, await decisionOf(command, workspace, rules));
    }
    return found;
  };
  const asking = async () => [...(await decisions())].filter(([, decision]) => decision === "ask").map(([one]) => one);
  /** The readers that reach files of any name in `src`. */
  const all = () => readers.map((reader) => reader.replaceAll(/\bD\b/g, "src"));

  it("ask nothing under rules that allow each part", async () => {
    assert.deepEqual(await asking(), []);
  });

  it("ask where a link leads outside", async () => {
    symlinkSync("/etc/passwd", workspace.path("src/link.ts"));
    // ripgrep lists no links, but that is not relied on.
    assert.deepEqual(await asking(), all());
  });

  it("ask where a file is protected", async () => {
    workspace.put("src/.rondoignore", "held.ts\n");
    workspace.put("src/held.ts", "x");
    assert.deepEqual(await asking(), all());
  });

  it("ask where a name would be read as several words", async () => {
    workspace.put(path.join("src/x ", "etc/passwd.ts"), "x");
    const whole = (await asking()).filter((command) => !/\bfor f in src\//.test(command));
    assert.deepEqual(
      whole,
      all().filter((command) => !/\bfor f in src\//.test(command)),
    );
  });

  it("ask without a rule for a part, and for programs that do more than read", async () => {
    const rules = allowing("find *", "rg *", "for *", "sort *");
    assert.ok([...(await decisions(rules)).values()].every((decision) => decision === "ask"));
    const all = [...reading, ...allowing("rm *", "cp *", "node *", "sed *", "uniq *", "sort *")];
    for (const end of [
      "rm",
      "node",
      "cp -t x",
      "sed -i s/a/b/",
      "uniq",
      "sort -o x",
      "xxd",
      "rg --pre ./x y",
      "tar xf",
    ]) {
      const command = `find src -name '*.ts' | xargs ${end}`;
      assert.equal(await decisionOf(command, workspace, all), "ask", command);
    }
    for (const start of ["find .. -name '*.ts'", "find / -name '*.ts'", "cat list", "find $x", "ls -R", "find -L src"])
      assert.equal(await decisionOf(`${start} | xargs grep x`, workspace, all), "ask", start);
  });
});
