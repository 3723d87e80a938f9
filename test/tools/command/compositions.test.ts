// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language of the shell
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { randomly } from "../../random.ts";
import { TestWorkspace } from "../workspace.ts";
import { decisionOf, reading } from "./judged.ts";

const harmless = ["ls", "cat a.ts", "echo 'a; b'", 'grep "x y" a.ts', "git status", "wc -l < a.ts", 'echo "$x"'];
const harmful = [
  ...["rm a.ts", "touch b", "curl https://evil.example", "find . -delete", "git push", "node a.ts", "cat /etc/passwd"],
  ...["echo x > b", "cat .env", "sudo ls", "sort -o b a.ts", "PATH=. ls", "sed -i s/a/b/ a.ts", "$x", "cat $x", "./ls"],
];

/** Positions of a command next to or within another; `A` and `B` are commands. */
const plain = [
  ...["A; B", "A && B", "A || B", "A | B", "A & B", "( A; B )", "{ A; B; }", "A && ( B )"],
  ...["if A; then B; fi", "if A; then ls; else B; fi", "for f in 1 2; do A; B; done", "while A; do B; done"],
  ...["case x in x) A;; *) B;; esac", "until A; do B; done", "A |& B"],
];
const nested = [
  ...['echo "$(A; B)"', "echo $(A)$(B)", "cat <(A) <(B)", "x=$(A; B)", "A; echo $(B)", '[ -n "$(A)" ] && B'],
  ...["echo ${x:-$(A)} && B", 'cat <<< "$(A)"; B', "[[ -n $(A) ]] || B", "for f in $(A); do B; done"],
  ...[
    "A\nB",
    "! A; B",
    "f() { A; B; }; f",
    "time A; B",
    "cat <<EOF\n$(A)\nEOF\nB",
    "trap 'echo' EXIT; A; B",
    "A > /dev/null; B",
    "eval 'ls'; A; B",
  ],
];

/** Makes a command that contains the given one among harmless others. */
function holding(command: fc.Arbitrary<string>, templates: readonly string[]): fc.Arbitrary<string> {
  const step = fc.record({
    template: fc.constantFrom(...templates),
    other: fc.constantFrom(...harmless),
    isFirst: fc.boolean(),
  });
  return fc.tuple(command, fc.array(step, { minLength: 1, maxLength: 4 })).map(([start, steps]) =>
    steps.reduce((inside, { template, other, isFirst }) => {
      const [a, b] = isFirst ? [inside, other] : [other, inside];
      return template.replace(/\b[AB]\b/g, (hole) => (hole === "A" ? a : b));
    }, start),
  );
}

describe("T8 compositions of commands", () => {
  let workspace: TestWorkspace;
  before(() => {
    workspace = new TestWorkspace();
    for (const name of ["a.ts", ".env"]) workspace.put(name, "x");
  });
  after(() => workspace.dispose());

  randomly("a composition with a harmful command is never allowed", async () => {
    await fc.assert(
      fc.asyncProperty(holding(fc.constantFrom(...harmful), [...plain, ...nested]), async (command) => {
        assert.equal(await decisionOf(command, workspace, reading), "ask");
      }),
      { numRuns: 100 },
    );
  });

  randomly("compositions of harmless commands with operators and control flow are allowed", async () => {
    await fc.assert(
      fc.asyncProperty(holding(fc.constantFrom(...harmless), plain), async (command) => {
        assert.equal(await decisionOf(command, workspace, reading), "allow");
      }),
      { numRuns: 100 },
    );
  });

  randomly("random text that is allowed runs nothing beyond what was allowed", async () => {
    const shell = new WatchedShell(workspace);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 14 }), async (parts) => {
        const command = parts.join("").trim();
        fc.pre(command !== "");
        if ((await decisionOf(command, workspace, reading)) === "allow") assert.ok(!shell.runsRm(command));
      }),
      { numRuns: 600 },
    );
  });
});

const pieces = [
  ...[
    "ls",
    "rm x",
    "rm",
    " ",
    " ",
    "x",
    "$(",
    ")",
    "`",
    '"',
    "'",
    "<<EOF",
    "\n",
    "EOF\n",
    ";",
    "|",
    "&",
    "{ ",
    "; }",
    "\\",
    "$",
    "#",
  ],
  ...[
    "((",
    "))",
    "[[ ",
    " ]]",
    "$'",
    '$"',
    "${x",
    "}",
    "<<'EOF'",
    "<<-EOF",
    "\t",
    "=",
    "ls=",
    "(",
    "!",
    "a",
    "if ls; then ",
    "; fi",
    "ls $(rm x)",
  ],
];

/** A real shell that knows only `ls`, which does nothing, and `rm`, which leaves a mark. */
class WatchedShell {
  readonly #mark: string;
  readonly #programs: string;
  readonly #folder: string;

  constructor(workspace: TestWorkspace) {
    const place = mkdtempSync(path.join(workspace.root, "watched-"));
    this.#programs = path.join(place, "programs");
    this.#mark = path.join(place, "mark");
    this.#folder = path.join(place, "scratch");
    mkdirSync(this.#programs);
    mkdirSync(this.#folder);
    writeFileSync(path.join(this.#programs, "rm"), `#!/bin/sh\n: > '${this.#mark}'\n`, { mode: 0o755 });
    writeFileSync(path.join(this.#programs, "ls"), "#!/bin/sh\n", { mode: 0o755 });
  }

  runsRm(command: string): boolean {
    rmSync(this.#mark, { force: true });
    spawnSync("bash", ["-c", command], { cwd: this.#folder, env: { PATH: this.#programs }, input: "", timeout: 5000 });
    return existsSync(this.#mark);
  }
}
