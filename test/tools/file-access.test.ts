/** Protected paths, under all their names. */
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, utimesSync } from "node:fs";
import path from "node:path";
import { judge, type RuleBook, strictest } from "../../src/loop/permissions/rules.ts";
import type { Protection } from "../../src/tools/host.ts";
import { refusalOf } from "../../src/tools/node-host/locate.ts";
import { nodeHost } from "../../src/tools/node-host/node-host.ts";
import { stopwatch } from "../timing.ts";
import { TestWorkspace } from "./workspace.ts";

const names: Record<Protection, string[]> = {
  secret: [
    ...[".env", ".env.local", ".env.production", "api/.env", ".ENV", ".Env.Test", ".envrc", "config/prod.env"],
    ...[".env.example.local", ".dev.vars", "local.settings.json", "prod.tfvars", "a.auto.tfvars.json"],
    ...["terraform.tfstate", "terraform.tfstate.backup", "infra/terraform.tfstate.d/x/terraform.tfstate"],
    ...["server.pem", "tls/SERVER.KEY", "a.p12", "a.pfx", "a.jks", "a.keystore", "a.ppk", "vault.kdbx"],
    ...["id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "keys/deploy_rsa", "test/fixtures/key.pem"],
    ...["~/.ssh", "~/.ssh/config", "~/.ssh/keys/a", "~/.gnupg/x", "~/.aws/credentials", "~/.azure/token.json"],
    ...[
      "~/.config/gcloud/a.db",
      "~/.kube/config",
      "~/.docker/config.json",
      "~/.config/gh/hosts.yml",
      "~/.bash_history",
      "~/.claude.json",
    ],
    ...[".npmrc", ".pypirc", ".netrc", "_netrc", ".git-credentials", ".htpasswd", ".pgpass", ".vault-token"],
    ...["credentials.json", "service-account.json", "service-account-prod.json", "client_secret_1.json"],
    ...["secrets.yml", "secrets.yaml", "secrets.json", "secrets.toml", "config/Secrets.YAML"],
    ...["/etc/shadow", "/proc/1/environ", "/proc/1/task/1/environ"],
    // As Windows and others read them.
    ...[".env.", ".env ", ".env . ", ".env::$DATA", ".env:x", "a\\.env", ".e\u200bnv", "．env", "id_rsa.", ".env./x"],
    // Ways to write them.
    ...["./.env", "src/../.env", "src//../.env", "<folder>/.env", "<folder>/src/../.ENV"],
  ],
  ignored: [
    "private",
    "private/a.txt",
    "PRIVATE/a.txt",
    "src/../private/b/c",
    "data/people.csv",
    "sub/local.txt",
    "sub/x/local.txt",
  ],
  settings: [
    ...[".git", ".git/config", ".git/hooks/pre-commit", "vendor/lib/.git/config", ".GIT/hooks/x", ".git./config"],
    ...[
      "HEAD",
      "deep/down/head",
      ".gitmodules",
      "~/.gitconfig",
      "~/.config/git/config",
      ".husky/pre-commit",
      ".githooks/x",
    ],
    ...[".rondo/rules/a.md", "a/.rondo/agents/b.md", ".rondoignore", "sub/.rondoignore", "AGENT.md"],
    ...[".claude/settings.json", "a/.claude/agents/b.md", ".mcp.json", ".cursor/mcp.json"],
    ...[".vscode/settings.json", ".VSCode/tasks.json", "my.code-workspace", ".devcontainer/devcontainer.json"],
    ...["lefthook.yml", ".pre-commit-config.yaml", "~/.bashrc", "~/.zshrc", "~/.profile"],
    // What an agent is told.
    ...["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "sub/agents.md", "GEMINI.md", ".cursorrules", ".windsurfrules"],
    ...[".clinerules", ".clinerules/a.md", ".github/copilot-instructions.md", ".github/instructions/a.md"],
    // What runs on a server, or whenever a program starts.
    ...[".github/workflows/ci.yml", ".github/actions/a/action.yml", ".gitlab-ci.yml", ".circleci/config.yml"],
    ...["Jenkinsfile", "azure-pipelines.yml", "azure-pipelines-pr.yaml", "bitbucket-pipelines.yml", ".travis.yml"],
    ...[".drone.yml", ".woodpecker.yml", ".woodpecker/a.yaml", ".buildkite/pipeline.yml", ".gitea/workflows/a.yml"],
    ...[".yarnrc.yml", "sub/.yarnrc.yml", ".yarnrc", ".yarn/releases/yarn.cjs", ".pnpmfile.cjs", "bunfig.toml"],
    ...[".cargo/config.toml", "sitecustomize.py", ".idea/workspace.xml", ".lintstagedrc.json", ".vimrc"],
  ],
  none: [
    ...[".env.example", ".env.sample", ".env.template", ".env.dist", ".env.local.example", "example.env", "sample.env"],
    ...["environment.ts", "src/env.ts", "env", "dotenv.md", "keys.ts", "key", "pem.md", "id_rsa.pub", "monkey.ts"],
    ...["secrets.ts", "secrets/readme.md", "credentials.md", "rsa.ts", "terraform.tf", "a.tfvars.example.md"],
    ...[".gitignore", ".gitattributes", ".github/CODEOWNERS", "git/a", "my.git.md"],
    ...[
      "agents.ts",
      "agents/a.md",
      "docs/claude.md.txt",
      "workflows/ci.yml",
      ".github/ISSUE_TEMPLATE/a.md",
      "jenkins.ts",
    ],
    ...[
      "conftest.py",
      "Makefile",
      "package.json",
      "yarn.lock",
      ".yarn/cache/a.zip",
      "Cargo.toml",
      "config.toml",
      "idea/a",
    ],
    ...[
      "a.mcp.json",
      ".mcp.json.md",
      "src/.vscode.md",
      "my.rondo/a",
      "head.ts",
      "src/header/a.ts",
      "claude/a",
      "vscode/a",
    ],
    ...["private.txt", "data/people.txt", "sub/local.md", "kept/private.md", "publicprivate/a"],
  ],
};

describe("T8 which paths are protected", () => {
  let work: TestWorkspace;
  before(() => {
    work = new TestWorkspace();
    for (const folder of ["src", "sub/x", "private/b", "data"]) mkdirSync(work.path(folder), { recursive: true });
    work.put(".rondoignore", "# not for the agent\nprivate/\n/data/*.csv\n!.env\n");
    work.put("sub/.rondoignore", "local.txt\n");
  });
  after(() => work.dispose());

  const guardOf = async (name: string) =>
    (await work.host.workspace.locate(name.replace("<folder>", work.folder))).protection;

  for (const guard of ["secret", "ignored", "settings", "none"] as const) {
    it(`${guard}: ${names[guard].length} names`, async () => {
      const found: Record<string, Protection> = {};
      for (const name of names[guard]) found[name] = await guardOf(name);
      assert.deepEqual(found, Object.fromEntries(names[guard].map((name) => [name, guard])));
    });
  }
});

describe("T8 protection through links", () => {
  let work: TestWorkspace;
  beforeEach(() => {
    work = new TestWorkspace();
  });
  afterEach(() => work.dispose());

  const guardOf = async (name: string) => (await work.host.workspace.locate(name)).protection;

  it("a link to a protected file, under another name, through folders, and to a missing file", async () => {
    work.put(".env", "KEY=1\n");
    work.put(".git/config", "");
    symlinkSync(".env", work.path("notes.txt"));
    symlinkSync("notes.txt", work.path("more.txt"));
    symlinkSync(".git", work.path("plain"));
    symlinkSync(".env.local", work.path("later.txt"));
    symlinkSync(".", work.path("here"));
    assert.equal(await guardOf("notes.txt"), "secret");
    assert.equal(await guardOf("more.txt"), "secret");
    assert.equal(await guardOf("later.txt"), "secret");
    assert.equal(await guardOf("plain/hooks/pre-push"), "settings");
    assert.equal(await guardOf("here/here/.env"), "secret");
  });

  it("a protected name that links to an ordinary file, and that file where the workspace links to it", async () => {
    work.put("conf/values.txt", "KEY=1\n");
    work.put("conf/editor/settings.json", "{}");
    symlinkSync("conf/values.txt", work.path(".env"));
    symlinkSync("conf/editor", work.path(".vscode"));
    assert.equal(await guardOf(".env"), "secret");
    assert.equal(await guardOf("conf/values.txt"), "secret");
    assert.equal(await guardOf(".vscode/settings.json"), "settings");
    assert.equal(await guardOf("conf/editor/settings.json"), "settings");
    assert.equal(await guardOf("conf/other.txt"), "none");
  });

  it("/proc paths that lead back into the workspace", async function () {
    if (process.platform !== "linux") return this.skip();
    work.put(".env", "KEY=1\n");
    const { path: real, inside, protection } = await work.host.workspace.locate(`/proc/self/root${work.folder}/.env`);
    assert.deepEqual({ real, inside, protection }, { real: work.path(".env"), inside: true, protection: "secret" });
    assert.equal((await work.host.workspace.locate("/proc/self/cwd/.env")).path, path.join(process.cwd(), ".env"));
    assert.equal((await work.host.workspace.locate("/dev/fd/0")).inside, false);
  });

  it("a repository not named .git: its settings and hooks, and files that would make a folder one", async () => {
    work.put("store/HEAD", "ref: refs/heads/main\n");
    work.put("store/objects/x", "");
    for (const name of ["store/hooks/post-receive", "store/config", "store/HEAD"]) {
      assert.equal(await guardOf(name), "settings", name);
    }
    assert.equal(await guardOf("other/HEAD"), "settings");
    assert.equal(await guardOf("other/config"), "none");
  });
});

describe("T8 .rondoignore and the user's own list", () => {
  let work: TestWorkspace;
  afterEach(() => work.dispose());

  const guardOf = async (name: string) => (await work.host.workspace.locate(name)).protection;

  it("is read again after changes; deeper files override, except for what a parent folder ignores", async () => {
    work = new TestWorkspace();
    assert.equal(await guardOf("a.txt"), "none");
    work.put(".rondoignore", "*.txt\nshut/\n");
    work.put("open/.rondoignore", "!*.txt\n");
    work.put("shut/.rondoignore", "!*\n");
    assert.equal(await guardOf("a.txt"), "ignored");
    assert.equal(await guardOf("open/a.txt"), "none");
    assert.equal(await guardOf("shut/a.md"), "ignored");
    work.put(".rondoignore", "*.csv\n");
    utimesSync(work.path(".rondoignore"), 1, 1);
    assert.equal(await guardOf("a.txt"), "none");
    assert.equal(await guardOf("a.csv"), "ignored");
  });

  it("protects everything when it is unreadable, too long or no file, and handles hostile patterns quickly", async () => {
    work = new TestWorkspace();
    mkdirSync(work.path("a/.rondoignore"), { recursive: true });
    assert.equal(await guardOf("a/x"), "ignored");
    work.put("b/.rondoignore", "x\n".repeat(600));
    assert.equal(await guardOf("b/y"), "ignored");
    work.put("c/.rondoignore", `${"*a".repeat(40)}b\n${"**/".repeat(40)}z\n!${"*a".repeat(40)}c\n`);
    const elapsed = stopwatch();
    await guardOf(`c/${"a".repeat(250)}`);
    await guardOf(`c/${"a/".repeat(500)}x`);
    assert.ok(elapsed() < 1_000);
  });

  it("the user adds secret files and removes them", async () => {
    work = new TestWorkspace({ secrets: ["/conf/*.ini", "*.cert", "!.env.test", "!fixtures/**"] });
    assert.equal(await guardOf("conf/a.ini"), "secret");
    assert.equal(await guardOf("other/conf/a.ini"), "none");
    assert.equal(await guardOf("x/A.CERT"), "secret");
    assert.equal(await guardOf(".env.test"), "none");
    assert.equal(await guardOf("fixtures/key.pem"), "none");
    assert.equal(await guardOf(".env"), "secret");
    assert.equal(await guardOf("/elsewhere/x.cert"), "secret");
  });
});

describe("T8 invalid path names", () => {
  const rows: [name: string, platform: NodeJS.Platform, refused: boolean][] = [
    ["a\0b", "linux", true],
    [`${"a/".repeat(3000)}b`, "linux", true],
    ["a:b", "linux", false],
    ["con", "linux", false],
    ["//server/share/x", "win32", true],
    ["\\\\server\\share\\x", "win32", true],
    ["\\\\?\\C:\\x", "win32", true],
    ["\\\\.\\pipe\\x", "win32", true],
    ["a.txt::$DATA", "win32", true],
    ["a.txt:stream", "win32", true],
    ["C:\\a.txt", "win32", false],
    ["nul", "win32", true],
    ["src\\CON.txt", "win32", true],
    ["com1", "win32", true],
    ["console.ts", "win32", false],
    ["PROGRA~1\\x", "win32", false],
  ];
  for (const [name, platform, refused] of rows) {
    it(`${platform}: ${JSON.stringify(name.slice(0, 30))} is ${refused ? "refused" : "taken"}`, () => {
      assert.equal(refusalOf(name, platform) !== undefined, refused);
    });
  }
});

describe("T8 files that tell agents what to do, and that run by themselves", () => {
  let work: TestWorkspace;
  const files = ["AGENTS.md", ".github/workflows/ci.yml", ".yarnrc.yml", ".gitlab-ci.yml"];
  before(() => {
    work = new TestWorkspace();
    for (const name of files) work.put(name, "KEY\n");
    symlinkSync("docs.md", work.path("CLAUDE.md"));
    work.put("docs.md", "KEY\n");
  });
  after(() => work.dispose());

  const decide = async (tool: string, input: Record<string, unknown>, mode: RuleBook["mode"]) => {
    const user = [{ permission: "*", pattern: "*", action: "allow" as const }];
    const needs = await work.needs(tool, input);
    return strictest(needs.map((need) => judge(need, tool, { mode, user, workspace: [] })));
  };

  for (const mode of ["default", "acceptEdits", "bypassPermissions"] as const) {
    it(`ask before a change in ${mode}, whatever rules allow, and never before they are read`, async () => {
      for (const file of [...files, "docs.md"]) {
        await work.run("read", { file_path: file });
        const changed = { file_path: file, content: "x" };
        assert.equal(await decide("write", changed, mode), "ask", file);
        assert.equal(await decide("bash", { command: `echo x >> ${file}` }, mode), "ask", file);
        assert.equal(await decide("bash", { command: `sed -i s/a/b/ ${file}` }, mode), "ask", file);
        assert.equal(await decide("bash", { command: `rm ${file}` }, mode), "ask", file);
        assert.equal(await decide("read", { file_path: file }, mode), "allow", file);
        assert.equal(await decide("grep", { pattern: "KEY", path: file }, mode), "allow", file);
        for (const command of [
          `cat ${file}`,
          `grep KEY ${file}`,
          `git diff ${file}`,
          `git log -- ${file}`,
          `wc ${file}`,
        ])
          assert.equal(await decide("bash", { command }, mode), "allow", command);
      }
      assert.equal(await decide("bash", { command: "grep -r KEY ." }, mode), "allow");
      assert.equal(await decide("bash", { command: "git add ." }, mode), "allow");
    });
  }

  it("are searched", async () => {
    const { output } = await work.run("grep", { pattern: "KEY" });
    assert.match(output, /AGENTS\.md/);
    assert.match(output, /docs\.md/);
    assert.doesNotMatch(output, /not searched/);
  });
});

describe("T8 .rondoignore of nested workspace folders", () => {
  let work: TestWorkspace;
  before(() => {
    work = new TestWorkspace();
    for (const name of ["outer.txt", "inner.txt", "both.txt", "free.txt", "deep/outer.txt"])
      work.put(`in/${name}`, "KEY\n");
    work.put("outer.txt", "KEY\n");
    work.put("inner.txt", "KEY\n");
    work.put(".rondoignore", "outer.txt\nboth.txt\n!inner.txt\n");
    work.put("in/.rondoignore", "inner.txt\n!outer.txt\n");
    work.put("in/deep/.rondoignore", "!outer.txt\n");
  });
  after(() => work.dispose());

  for (const order of ["outer first", "inner first"] as const) {
    const hostOf = () => {
      const folders = [work.folder, work.path("in")];
      if (order === "inner first") folders.reverse();
      return nodeHost({ folders, trusted: true, overflowDir: path.join(work.root, "o") });
    };
    it(`the stricter counts, ${order}`, async () => {
      const { workspace } = hostOf();
      const protections: Record<string, Protection> = {};
      for (const name of [
        "outer.txt",
        "inner.txt",
        "in/outer.txt",
        "in/inner.txt",
        "in/both.txt",
        "in/free.txt",
        "in/deep/outer.txt",
      ])
        protections[name] = (await workspace.locate(work.path(name))).protection;
      assert.deepEqual(protections, {
        "outer.txt": "ignored",
        "inner.txt": "none",
        "in/outer.txt": "ignored",
        "in/inner.txt": "ignored",
        "in/both.txt": "ignored",
        "in/free.txt": "none",
        "in/deep/outer.txt": "ignored",
      });
    });

    it(`and in searches of either folder, ${order}`, async () => {
      const { workspace } = hostOf();
      for (const [folder, prefix] of [
        [work.folder, "in/"],
        [work.path("in"), ""],
      ] as const) {
        const filter = workspace.searchFilter(await workspace.locate(folder));
        const excluded = ["outer.txt", "inner.txt", "both.txt", "free.txt", "deep/outer.txt"].filter((name) =>
          filter.isExcluded(prefix + name),
        );
        assert.deepEqual(excluded, ["outer.txt", "inner.txt", "both.txt", "deep/outer.txt"], folder);
      }
    });
  }

  it("in one workspace folder an inner file still takes back what an outer one names", async () => {
    assert.equal((await work.host.workspace.locate("in/outer.txt")).protection, "none");
    assert.equal((await work.host.workspace.locate("in/inner.txt")).protection, "ignored");
  });
});
