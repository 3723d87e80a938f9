import assert from "node:assert/strict";
import fc from "fast-check";
import type { Rule } from "../../../src/chat/requests.ts";
import type { RuleBook } from "../../../src/loop/permissions/rules.ts";
import { programEntry } from "../../../src/tools/command/programs/table.ts";
import { randomly } from "../../random.ts";
import { TestWorkspace } from "../workspace.ts";
import { allowing, decisionOf } from "./judged.ts";

const denying = (...patterns: string[]): Rule[] =>
  patterns.map((pattern) => ({ permission: "bash", pattern, action: "deny" }));

/** Commands without quotes that the rule of their row denies. */
const denied: readonly (readonly [rule: string, command: string])[] = [
  ["rm *", "rm b"],
  ["git push *", "git push origin main"],
  ["npm publish *", "npm publish"],
  ["npm install *", "npm install left-pad"],
  ["make deploy *", "make deploy"],
  ["terraform destroy *", "terraform destroy"],
  ["pip install *", "pip install x"],
  ["aws s3 rm *", "aws s3 rm s3://x/y"],
  ["gh pr merge *", "gh pr merge 1"],
  ["gcloud compute instances delete *", "gcloud compute instances delete x"],
  ["systemctl stop *", "systemctl stop x"],
  ["kubectl delete *", "kubectl delete pod x"],
  ["docker compose down *", "docker compose down"],
  ["docker rm *", "docker rm x"],
  ["helm uninstall *", "helm uninstall x"],
  ["cargo publish *", "cargo publish"],
  ["go install *", "go install x"],
  ["yarn publish *", "yarn publish"],
  ["pnpm publish *", "pnpm publish"],
];

/** Other ways to run a command. `P` is its program, `A` the rest of its words, `C` all of it. */
const spellings = [
  ...["C", "/usr/bin/P A", "../../bin/P A", "'P' A", '"P" A', "\\P A", "P  A", "P \\\nA", "C; ls", "ls && C"],
  ...["(C)", "{ C; }", "if C; then ls; fi", "for i in 1 2; do C; done", "f() { C; }; f", "ls $(C)", "ls <(C)", "! C"],
  ...["command C", "command -p C", "builtin command C", "exec C", "env C", "env -i C", "env NODE_ENV=x C", "time C"],
  ...["/usr/bin/env C", "env -S 'C'", "env Q=b C", "Q=b C", "nohup C", "nice -n 5 C", "timeout 5 C", "stdbuf -oL C"],
  ...["setsid C", "sudo C", "sudo -u root C", "doas C", "busybox C", "watch C", "strace -f C", "xvfb-run C"],
  ...["bash -c 'C'", 'sh -c "C"', "bash -lc 'C'", "bash -c '$0 A' P", "bash -c '$1 A' x P", "eval 'C'", "eval C"],
  ...["zsh -c 'C'", "fish -c 'C'", "echo 'C' | sh", "printf 'C' | bash -s", "bash <<< 'C'", "sh <<EOF\nC\nEOF"],
  ...["ls | xargs C", "ls | xargs -I{} C {}", "ls | xargs sh -c 'C'", "find . -exec C {} \\;", "find . -exec C {} +"],
  ...[
    "bash <(echo C)",
    "toybox C",
    "cross-env Q=b C",
    "pixi run C",
    "find . -ok C \\;",
    "find . -exec sh -c 'C' \\;",
    "trap 'C' EXIT",
    "x=P; $x A",
    "parallel C ::: 1",
    "script -c 'C'",
  ],
  ...["sed 's/x/C/e' a.ts", "sed '1e C' a.ts", "tar xf a.tar --to-command='C'", "awk 'BEGIN{system(\"C\")}'"],
  ...["tar cf a.tar . --checkpoint=1 --checkpoint-action=exec='C'", "tar -I 'C' -xf a.tar", "P.exe A", "ssh host C"],
  ...["python3 -c 'import os; os.system(\"C\")'", "perl -e 'system(\"C\")'", "node -e 'run(\"C\")'", "ruby -e 'x `C`'"],
  ...["git -c core.pager='C' log", "git -c alias.x='!C' x", "git rebase -x 'C' HEAD", "git bisect run C", "npx C"],
  ...["docker run alpine C", "docker exec c C", "kubectl exec p -- C", "uv run C", "poetry run C", "npm exec -- C"],
  ...[
    "rsync -e 'C' a host:b",
    "find . -name x | xargs -n1 C",
    "nix-shell --run 'C'",
    "GIT_PAGER='C' git log",
    "coproc C",
  ],
];

/** Commands that may run anything, because of what is known only when they run. */
const uncertain = [
  ...["$x b", '"$x" b', "$(echo rm) b", "eval $x", 'bash -c "$x"', "source a.sh", ". ./a.sh", "alias ls='x'; ls"],
  ...["python3 -c 'x'", "node -e x", "perl -e x", "ruby -e x", "php -r x", "ls | sh", "ls | python3", "bash < a.ts"],
  ...[
    "python3 -",
    "node",
    "deno eval x",
    "bun -e x",
    "bash /dev/stdin",
    "python3 /dev/fd/3",
    "python3 <(cat a.ts)",
    "python3 <(cat a.ts)",
    "zsh -c x",
    "ssh host x",
    "docker run alpine x",
  ],
  ...["sudo -e x", "awk -f a.ts", "vim -c x a.ts", "sed -f a.ts a.ts", "make SHELL=./x", "make --eval=x"],
  ...["git -c core.pager=./x log", "git unknown-command", "git --exec-path=. log", "npm --script-shell=./x test"],
  ...["tar xf a.tar --to-command=./x", "rsync -e ./x a host:b", "find . $x", "git log $x", "xargs $x", "env $x b"],
  ...["PATH=. ls", "export PATH=.; ls", "hash -p ./x ls; ls", "enable -f ./x.so y", "echo cm0gYg== | base64 -d | sh"],
  ...["ls; !rm", "coproc ls", "LD_PRELOAD=./x.so ls", "man -P ./x ls", "less +'!x' a.ts", "parallel ::: x"],
];

/** Commands that run nothing else. Rules that restrict others ask for none of them. */
const innocent = [
  ...["ls -la", "cat a.ts", "echo 'rm b; git push'", "grep -rn 'npm publish' src", "wc -l *.ts", 'echo "$x"', "cat $x"],
  ...[
    "git status",
    "git -C src log",
    "git -P log",
    "git log --grep push",
    "git commit -m 'git push later'",
    "git pull",
  ],
  ...["git config user.name x", "git stash push", "git remote -v", "git checkout -b push", "git branch -D push"],
  ...[
    "npm test",
    "npm -s test",
    "npm --silent run build",
    "npm run publish-docs",
    "npm --loglevel silent test",
    "npm ci",
  ],
  ...[
    "make",
    "make -j4 test",
    "make -C src test",
    "make -k -j 8 all",
    "cargo test",
    "cargo --locked build",
    "go test ./...",
  ],
  ...[
    "python3 a.py",
    "python3 -u a.py",
    "node a.ts",
    "node --no-warnings a.ts",
    "bash a.sh",
    "./a.sh",
    "python -m pytest",
  ],
  ...["tar xf a.tar", "tar czf a.tgz src", "unzip a.zip", "gunzip a.gz", "mkdir -p x", "mv a.ts b.ts", "touch rm"],
  ...[
    "docker ps",
    "docker compose up -d",
    "docker compose -f x.yml up",
    "kubectl -n x get pods",
    "helm --namespace x ls",
  ],
  ...[
    "terraform -chdir=x plan",
    "pip -q list",
    "aws --profile p s3 ls",
    "gh -R a/b pr list",
    "systemctl --user status x",
  ],
  ...[
    "find . -name '*.ts' -delete",
    "find . -name '*.ts' -exec grep x {} +",
    "find . | xargs grep x",
    "sed -i s/a/b/ a.ts",
  ],
  ...[
    "for f in *.ts; do wc -l $f; done",
    "cd src && npm test",
    "NODE_ENV=test npm test",
    "timeout 5 npm test",
    "rmdir x",
  ],
  ...["curl -s https://a.example", "date -s 2020-01-01", "ps x", "npx tsc", "gem list", "java -jar a.jar", "cp -r a b"],
];

describe("T8 rules that deny or ask", () => {
  let workspace: TestWorkspace;
  before(() => {
    workspace = new TestWorkspace();
    for (const name of ["a.ts", "a.py", "src/b.ts", "package.json", "Makefile"]) workspace.put(name, "x");
  });
  after(() => workspace.dispose());

  const decide = (command: string, rules: readonly Rule[], mode: RuleBook["mode"] = "default") =>
    decisionOf(command, workspace, rules, mode);

  for (const [rule, command] of denied) {
    const [program = "", ...words] = command.split(" ");
    it(`${rule}: denied in no spelling allowed`, async () => {
      const others: string[] = [];
      for (const spelling of spellings) {
        const spelled = spelling.replace(/\b[PAC]\b/g, (part) =>
          part === "C" ? command : part === "P" ? program : words.join(" "),
        );
        for (const mode of ["default", "bypassPermissions"] as const) {
          const decision = await decide(spelled, [...allowing("*"), ...denying(rule)], mode);
          if (decision !== "deny") others.push(`${mode}, ${decision}: ${spelled}`);
        }
      }
      assert.deepEqual(others, []);
    });
  }

  it("other names, abbreviations and programs for the same", async () => {
    const same: [rule: string, ...commands: string[]][] = [
      ["npm publish *", "npm pub", "npm publi", "npm --loglevel silent publish", "npm.cmd publish", "npm -- publish"],
      ["npm install *", "npm i x", "npm add x", "npm in x", "npm -g isntall x", "npm insta x", "npm --global i x"],
      ["npm i *", "npm install x", "npm add x"],
      ["npm uninstall *", "npm rm x", "npm un x", "npm r x", "npm unlink x"],
      ["npm dist-tag *", "npm distTag add x", "npm dist-tags ls"],
      ["npm exec *", "npx x", "npm x y"],
      ["npx *", "npm exec x", "npx --yes x"],
      [
        "pip install *",
        "pip3 install x",
        "pip3.11 -q install x",
        "python3 -m pip install x",
        "python -u -m pip install x",
      ],
      ["python *", "python3 a.py", "/usr/bin/python3.12 a.py"],
      ["node *", "nodejs a.ts", "/opt/node/bin/node a.ts"],
      ["git push *", "git-push", "/usr/lib/git-core/git-push origin", "git --git-dir .git push", "git -C . -C . push"],
      ["git stash drop *", "git stash -q drop", "git -P stash drop"],
      ["docker compose down *", "docker-compose down", "docker compose -f x down", "docker -H x compose down"],
      ["docker rm *", "docker container rm x", "docker container remove x", "docker --context x rm y"],
      [
        "kubectl delete pod *",
        "kubectl delete po x",
        "kubectl delete pods x",
        "kubectl delete pod/x",
        "kubectl -n y delete po/x",
      ],
      ["helm uninstall *", "helm delete x", "helm un x", "helm --kube-context x del y"],
      [
        "gcloud compute instances delete *",
        "gcloud beta compute instances delete x",
        "gcloud compute -q instances delete x",
      ],
      ["cargo remove *", "cargo rm x", "cargo +nightly rm x"],
      ["make deploy *", "make -j 4 deploy", "make test deploy", "make CI=1 deploy", "gmake deploy", "make -C . deploy"],
      ["rm -rf *", "rm -fr x", "rm -r -f x", "rm x -rf", "rm -R --force x", "rm --recursive --force x", "rm -rfv x"],
      ["git push --force *", "git push origin --force", "git push -f", "git push --forc", "git -C . push origin -f"],
      ["git commit --no-verify *", "git commit -n -m x", "git commit -anm x", "git commit -m x --no-verify"],
      ["./deploy.sh *", "bash deploy.sh", "sh -x ./deploy.sh a", "../work/deploy.sh", ". ./deploy.sh"],
      ["*publish*", "npm pub; yarn publish", "sudo npm publish"],
    ];
    const others: string[] = [];
    for (const [rule, ...commands] of same) {
      for (const command of commands) {
        const decision = await decide(command, denying(rule), "bypassPermissions");
        if (decision !== "deny") others.push(`${rule}, ${decision}: ${command}`);
      }
    }
    assert.deepEqual(others, []);
  });

  it("what cannot be read with certainty asks if a rule denies any command, in Bypass as well", async () => {
    const forAll: Rule = { permission: "*", pattern: "secret/*", action: "deny" };
    for (const command of uncertain) {
      const decisions = [
        await decide(command, denying("git push *"), "bypassPermissions"),
        await decide(command, [...allowing("*"), ...denying("git push *")]),
        await decide(command, [forAll], "bypassPermissions"),
        await decide(command, [], "bypassPermissions"),
        await decide(command, [...denying("git push *"), ...allowing("*")]),
      ];
      assert.deepEqual(decisions, ["ask", "ask", "ask", "allow", "allow"], command);
    }
  });

  it("commands that run nothing else do not ask because of such rules", async () => {
    const rules = denying("git push *", "rm *", "npm publish *", "kubectl delete *", "make deploy *", "docker rm *");
    const others: string[] = [];
    for (const command of innocent) {
      if ((await decide(command, rules, "bypassPermissions")) !== "allow") others.push(command);
    }
    assert.deepEqual(others, []);
  });

  it("an unknown word counts as whatever the rule denies in its place, and only there", async () => {
    const rows: [rule: string, command: string, decision: Rule["action"]][] = [
      ["git push *", "git $x", "ask"],
      ["rm *", "rm $x", "deny"],
      ["rm -rf *", "rm $x", "ask"],
      ["mkdir secret *", "mkdir $x", "ask"],
      ["rm *", "cat $x", "allow"],
      ["mkdir secret *", "mkdir a$x", "ask"],
      ["cp a b", "cp a $x", "ask"],
      ["cp a b", "cp b $x", "allow"],
    ];
    for (const [rule, command, decision] of rows) {
      assert.equal(await decide(command, denying(rule), "bypassPermissions"), decision, `${rule}: ${command}`);
    }
  });

  it("rules that ask hold likewise, except in Bypass", async () => {
    const asking: Rule = { permission: "bash", pattern: "git push *", action: "ask" };
    for (const command of [
      "git -P push",
      "git -c a.b=c push",
      "sudo git push",
      "bash -c '$0 push' git",
      "$x",
      "python3 -c x",
    ]) {
      assert.equal(await decide(command, [...allowing("*"), asking]), "ask", command);
      assert.equal(await decide(command, [asking], "bypassPermissions"), "allow", command);
    }
  });

  it("other names of a sub-command count as the name in the rule, and the other way round", async () => {
    const rows: [rule: string, ...commands: string[]][] = [
      ["npm config set *", "npm set a b", "npm c set a b", "npm -s set a b", "npm config set a b"],
      ["npm set *", "npm config set a b", "npm set a b"],
      ["pnpm publish *", "pnpm recursive publish", "pnpm m publish", "pnpm -r publish"],
      ["yarn publish *", "yarn npm publish", "yarn publish"],
      ["npm publish *", "yarn npm publish"],
      [
        "pip install *",
        "uv pip install x",
        "python3 -mpip install x",
        "python3.11 -m pip -q install x",
        "pip3 install x",
      ],
      ["python3 -m http.server *", "python -mhttp.server", "python3 -u -m http.server 80"],
      ["docker rmi *", "docker image rm x", "docker image remove x", "docker rmi x"],
      ["docker image rm *", "docker rmi x"],
      ["docker images *", "docker image ls"],
      ["docker container rm *", "docker rm x", "docker container rm x"],
      ["docker rm *", "docker container rm x", "docker container remove x"],
      ["kubectl delete deployment *", "kubectl delete deployments.apps x", "kubectl -n x delete deploy y"],
      ["kubectl delete pod *", "kubectl delete svc,po x", "kubectl delete pods/x"],
      ["kubectl delete hpa *", "kubectl delete horizontalpodautoscalers x"],
      ["kubectl delete netpol *", "kubectl delete networkpolicies x"],
    ];
    for (const [rule, ...commands] of rows) {
      for (const command of commands)
        assert.equal(await decide(command, denying(rule), "bypassPermissions"), "deny", `${rule}: ${command}`);
    }
  });

  it("allowing rules are matched by their text alone", async () => {
    const rules = allowing("npm install *", "git log *", "rm *", "docker compose up *", "node *");
    const others = [
      "npm i x",
      "npm -g install x",
      "/bin/rm x",
      "docker-compose up",
      "git -c a.b=c log",
      "nodejs a.ts",
      "RM x",
    ];
    for (const command of others) assert.equal(await decide(command, rules), "ask", command);
  });

  randomly("random options of the table before a sub-command hide nothing", async () => {
    const row = fc.constantFrom(...denied.filter(([, command]) => optionsOf(command.split(" ")[0] ?? "").length > 0));
    const given = fc.tuple(row, fc.array(fc.nat(), { maxLength: 4 }), fc.nat(100));
    await fc.assert(
      fc.asyncProperty(given, async ([[rule, command], picks, place]) => {
        const [program = "", ...words] = command.split(" ");
        const options = optionsOf(program);
        const chosen = picks.map((pick) => options[pick % options.length] ?? "");
        // The last word of the rule is the wildcard.
        const depth = rule.split(" ").length - 2;
        const at = place % Math.max(depth, 1);
        const spelled = [program, ...words.slice(0, at), ...chosen, ...words.slice(at)].join(" ");
        assert.equal(await decide(spelled, denying(rule), "bypassPermissions"), "deny", spelled);
      }),
      { numRuns: 300 },
    );
  });
});

/** Options of a program's table, with a value where they take one. */
function optionsOf(program: string): string[] {
  const { options = "", readOptions = "" } = programEntry(program) ?? {};
  return `${options} ${readOptions}`
    .split(/\s+/)
    .filter((option) => /^-/.test(option) && option !== "-#" && !/^-+(h|help|version|v|V)$/.test(option))
    .map((option) => (option.endsWith("=?") ? option.slice(0, -2) : option))
    .map((option) => (option.endsWith("=") ? `${option.slice(0, -1)} value` : option));
}
