// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language of the shell
/** Time to judge everyday commands as `--explain` and the loop do, in a project of some thousand files. */
import { judge, type RuleBook, strictest } from "../../src/loop/permissions/rules.ts";
import { allowing, reading } from "../tools/command/judged.ts";
import { TestWorkspace } from "../tools/workspace.ts";
import { median, type Report } from "./headless.ts";

const rounds = 30;
/** Rounds that load code and compile it. */
const warmUp = 5;
const rules = [...reading, ...allowing("npm test *", "npm run *", "npx tsc *", "git add *", "git commit *", "for *")];

/** Each names its files. */
const plain: readonly string[] = [
  ...["git status", "git diff --stat", "git log --oneline -5", "git show HEAD", "git add src/m1/a.ts", "git branch -a"],
  ...['git commit -m "fix: a"', "git diff HEAD~1 -- src", "npm test", "npm run build", "npm run build 2>&1 | tail -20"],
  ...["npx tsc -p . --noEmit", "ls", "ls -la src", "cat package.json", "cat src/m1/a.ts", "head -n 20 src/m2/f3.ts"],
  ...["tail -n 5 README.md", "wc -l src/m1/f1.ts src/m1/f2.ts", "sed -n '1,40p' src/m3/f1.ts", "pwd", "which node"],
  ...["cd src && ls", "cat package.json | jq .name", "git log --format=%H -1 | head -c 8", "node --version"],
  ...["ls src | wc -l", "mkdir -p out/x", "echo done", "rm -rf dist && npm run build", "diff src/m1/a.ts src/m2/a.ts"],
];

/** Which files they read depends on what is there. */
const wild: readonly string[] = [
  ...["cat src/*.ts", "wc -l src/m1/*.ts", "head -n 3 *.md", "ls src/*/", "grep -n foo src/m1/*.ts", "cat src/m?/a.ts"],
  ...["rg KEY", "rg -n foo src", "rg -l foo -g '*.ts'", "grep -rn foo src", "grep -rn foo .", "wc -l **/*.ts"],
  ...[
    "find . -name '*.ts'",
    "find src -type f | head -20",
    "find src -name '*.ts' | xargs grep foo",
    "rg --files | head",
  ],
  ...["find . -name '*.ts' -exec wc -l {} +", 'for f in src/m1/*.ts; do head "$f"; done', 'head "$f"', 'cat "$x"'],
  ...[
    'cat "src/$x"',
    "git ls-files | xargs wc -l",
    "cat $(git ls-files '*.md')",
    "git grep foo",
    "tar czf /tmp/x.tgz src",
  ],
];

export async function benchExplain(report: Report): Promise<void> {
  const workspace = new TestWorkspace();
  try {
    put(workspace);
    // One after the other, as a model gives them.
    const commands = Array.from({ length: Math.max(plain.length, wild.length) }, (_, at) => [plain[at], wild[at]]);
    const times = new Map<string, number[]>();
    let used = process.cpuUsage();
    for (let round = 0; round < rounds; round++) {
      if (round === warmUp) used = process.cpuUsage();
      for (const command of commands.flat()) {
        if (command === undefined) continue;
        const started = performance.now();
        await decide(command, workspace);
        if (round >= warmUp) times.set(command, [...(times.get(command) ?? []), performance.now() - started]);
      }
    }
    const { user, system } = process.cpuUsage(used);
    for (const [name, table] of Object.entries({ plain, wild, all: [...plain, ...wild] })) {
      const all = table.flatMap((command) => times.get(command) ?? []);
      report(`explain.${name}.median`, median(all), "ms");
      report(`explain.${name}.mean`, all.reduce((sum, time) => sum + time, 0) / all.length, "ms");
    }
    const count = (plain.length + wild.length) * (rounds - warmUp);
    report("explain.cpu.user", user / 1000 / count, "ms");
    report("explain.cpu.system", system / 1000 / count, "ms");
    if (process.env["RONDO_BENCH_EACH"]) for (const [command, each] of times) report(command, median(each), "ms");
  } finally {
    workspace.dispose();
  }
}

function put(workspace: TestWorkspace): void {
  for (const name of ["package.json", "README.md", "CHANGELOG.md", ".gitignore", ".env", "src/index.ts"])
    workspace.put(name, name === ".gitignore" ? "node_modules\n.env\n" : "x");
  for (let module = 0; module < 150; module++)
    for (const name of ["a.ts", "b.test.ts", ...Array.from({ length: 18 }, (_, at) => `f${at}.ts`)])
      workspace.put(`src/m${module}/${name}`, "x");
  for (let module = 0; module < 100; module++)
    for (const name of ["package.json", "index.js", "lib/a.js"]) workspace.put(`node_modules/p${module}/${name}`, "x");
}

async function decide(command: string, workspace: TestWorkspace): Promise<string> {
  const book: RuleBook = { mode: "default", user: rules, workspace: [] };
  const { requires } = await workspace.plan("bash", { command }, undefined, book);
  return strictest(requires.map((need) => judge(need, "bash", book)));
}
