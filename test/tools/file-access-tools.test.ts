/** I6: no tool acts outside its scope without permission, in any mode, whatever the rules allow. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import type { PermissionMode } from "../../src/chat/permission-mode.ts";
import { alwaysRules, judge, strictest } from "../../src/loop/permissions/rules.ts";
import { protectedBelow } from "../../src/tools/file-access/protected-below.ts";
import { TestWorkspace } from "./workspace.ts";

const modes: readonly PermissionMode[] = ["default", "acceptEdits", "plan", "bypassPermissions"];

/** Input for each tool to read or change a path. */
const readers: Record<string, (path: string) => Record<string, unknown>> = {
  read: (file_path) => ({ file_path }),
  grep: (path) => ({ pattern: "KEY", path }),
};
const changers: Record<string, (path: string) => Record<string, unknown>> = {
  write: (file_path) => ({ file_path, content: "x" }),
  edit: (file_path) => ({ file_path, old_string: "KEY", new_string: "x" }),
  multi_edit: (file_path) => ({ file_path, edits: [{ old_string: "KEY", new_string: "x" }] }),
  apply_patch: (path) => ({ input: `*** Begin Patch\n*** Update File: ${path}\n@@\n-KEY\n+x\n*** End Patch` }),
};

describe("I6 protected files, for each tool", () => {
  let work: TestWorkspace;
  beforeEach(() => {
    work = new TestWorkspace();
    work.put(".env", "KEY\nhidden-value\n");
    work.put("private/a.txt", "KEY\nhidden-value\n");
    work.put(".rondoignore", "private\n");
    work.put(".vscode/settings.json", "KEY\n");
    work.put("src/a.ts", "KEY\n");
    symlinkSync(".env", work.path("notes.txt"));
    symlinkSync("private", work.path("open"));
    symlinkSync("../.vscode", work.path("src/conf"));
  });
  afterEach(() => work.dispose());

  /** Returns the decisions when rules or the mode allow everything. */
  const decide = async (tool: string, input: Record<string, unknown>, mode: PermissionMode) => {
    const needs = await work.needs(tool, input);
    const everything = { permission: "*", pattern: "*", action: "allow" } as const;
    const book = { mode, user: [everything], workspace: [everything] };
    assert.ok(needs.length > 0);
    return { decision: strictest(needs.map((need) => judge(need, tool, book))), always: alwaysRules(needs) };
  };

  const asksAlways = async (tool: string, input: Record<string, unknown>) => {
    for (const mode of modes) assert.deepEqual(await decide(tool, input, mode), { decision: "ask", always: [] }, mode);
  };

  for (const [tool, inputFor] of Object.entries(readers)) {
    for (const name of [".env", "notes.txt", "./src/../.ENV", "private/a.txt", "open/a.txt", "PRIVATE/new.txt"]) {
      it(`${tool} of ${name} asks each time, in every mode`, async () => {
        if (tool === "grep") work.put(".ENV", "KEY\n");
        if (tool === "grep") work.put("PRIVATE/new.txt", "KEY\n");
        await asksAlways(tool, inputFor(name));
      });
    }
    it(`${tool} of settings can be allowed`, async () => {
      assert.equal((await decide(tool, inputFor(".vscode/settings.json"), "default")).decision, "allow");
    });
  }

  for (const [tool, inputFor] of Object.entries(changers)) {
    for (const name of [
      ".env",
      "notes.txt",
      "private/a.txt",
      "open/a.txt",
      ".vscode/settings.json",
      "src/conf/settings.json",
    ]) {
      it(`${tool} of ${name} asks each time, in every mode`, async () => {
        // Only a secret may be written as a whole without having been read.
        if (tool !== "write" || name.endsWith("settings.json")) await work.run("read", { file_path: name });
        await asksAlways(tool, inputFor(name));
      });
    }
    it(`${tool} of an ordinary file can be allowed`, async () => {
      await work.run("read", { file_path: "src/a.ts" });
      assert.equal((await decide(tool, inputFor("src/a.ts"), "acceptEdits")).decision, "allow");
    });
  }

  for (const command of [
    ...[
      "cat .env",
      "cat < .env",
      "cat notes.txt",
      "head -1 ./src/../.ENV",
      "cat .e*",
      "cp .env copy",
      "X=.env; cat $X",
    ],
    ...[
      "cat private/a.txt",
      "cat open/a.txt",
      "grep -r KEY private",
      "cd private && cat a.txt",
      "tar cf x.tar private",
    ],
    ...["grep -r KEY .", "echo x > .env", "echo x >> .vscode/settings.json", "tee src/conf/settings.json < src/a.ts"],
    ...["rm -r .vscode", "mv src/a.ts .git/hooks/pre-commit", "sed -i s/KEY/x/ .vscode/settings.json"],
  ]) {
    it(`bash: ${command} asks each time, in every mode`, async () => {
      work.put(".ENV", "KEY\n");
      await asksAlways("bash", { command });
    });
  }
  it("bash: commands on ordinary files can be allowed", async () => {
    assert.equal((await decide("bash", { command: "cat src/a.ts" }, "default")).decision, "allow");
    assert.equal((await decide("bash", { command: "cat .vscode/settings.json" }, "default")).decision, "allow");
  });

  it("notebook_edit of an ignored notebook asks, as do patches that delete, create or move protected files", async () => {
    work.put("private/n.ipynb", JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 }));
    await work.run("read", { file_path: "private/n.ipynb" });
    await asksAlways("notebook_edit", { notebook_path: "private/n.ipynb", new_source: "x", edit_mode: "insert" });
    await work.run("read", { file_path: ".vscode/settings.json" });
    for (const lines of [
      ["*** Delete File: .vscode/settings.json"],
      ["*** Add File: .git/hooks/pre-commit", "+x"],
      ["*** Update File: src/a.ts", "*** Move to: .husky/pre-commit", "@@", "-KEY", "+x"],
    ]) {
      await asksAlways("apply_patch", { input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
    }
  });

  it("glob and grep in a protected folder ask each time", async () => {
    await asksAlways("glob", { pattern: "*", path: "private" });
    await asksAlways("glob", { pattern: "private/../open/../private/*", path: "open" });
    await asksAlways("grep", { pattern: "x", path: "open" });
  });

  it("an edit reveals nothing about an unread secret, not even whether the text occurs", async () => {
    for (const old_string of ["hidden", "other"]) {
      const sentence = await work.refusal("edit", { file_path: ".env", old_string, new_string: "x" });
      assert.match(sentence, /^\.env needs permission to be read, and you have not read it/);
    }
  });

  it("no preview, title or error shows the content of a protected file before it is allowed", async () => {
    for (const [tool, inputFor] of Object.entries(readers)) {
      const { title, preview } = await work.plan(tool, inputFor(".env"));
      assert.ok(!JSON.stringify({ title, preview }).includes("hidden-value"));
    }
  });

  it("ignored names are neither suggested nor listed; secrets are listed by name", async () => {
    work.put(".rondoignore", "private\nsecret-plan.txt\n");
    work.put("secret-plan.txt", "x");
    assert.doesNotMatch(await work.refusal("read", { file_path: "secret-plan.md" }), /secret-plan\.txt/);
    const { output } = await work.run("read", { file_path: "." });
    assert.doesNotMatch(output, /private|secret-plan/);
    assert.match(output, /\.env/);
    assert.match((await work.run("read", { file_path: "private" })).output, /a\.txt/);
  });

  it("a file with two names is written in place, and asks because of the protected one", async () => {
    linkSync(work.path("src/a.ts"), work.path("src/b.pem"));
    await asksAlways("read", { file_path: "src/b.pem" });
  });
});

describe("I6 searches omit protected files", () => {
  let work: TestWorkspace;
  beforeEach(() => {
    work = new TestWorkspace();
    work.put("a.txt", "hit\n");
  });
  afterEach(() => work.dispose());

  const grep = async (more = {}) => (await work.run("grep", { pattern: "hit", ...more })).output;
  const glob = async (pattern: string, more = {}) => (await work.run("glob", { pattern, ...more })).output;

  it("secrets, in every output mode, with their number", async () => {
    for (const name of [".env", ".env.staging-2", "sub/.ENV", "deploy/prod.env", "id_rsa", "x/.aws/credentials"])
      work.put(name, "hit\n");
    work.put(".env.example", "hit\n");
    const left =
      "(6 files are not searched: they may hold secrets, or .rondoignore names them. Ask to read them by name.)";
    assert.deepEqual((await grep()).split("\n").sort(), [left, ".env.example", "a.txt"]);
    assert.equal(await grep({ output_mode: "content" }), `.env.example:1:hit\na.txt:1:hit\n${left}`);
    assert.equal(await grep({ output_mode: "count" }), `.env.example:1\na.txt:1\n${left}`);
    assert.equal(await grep({ glob: "*.txt" }), "a.txt");
    assert.match(await grep({ glob: ".env" }), /^No matches\.\n\(1 file is not searched/);
    assert.match(await grep({ glob: "**/.env*" }), /^\.env\.example\n\(2 files are not searched/);
  });

  it("with the same message whether the secret would match or not", async () => {
    work.put(".env", "KEY=abc\n");
    const answers = ["KEY=a", "KEY=b"].map((pattern) => work.run("grep", { pattern, output_mode: "count" }));
    const [one, other] = await Promise.all(answers);
    assert.deepEqual(one, other);
  });

  it("files named in .rondoignore, at any depth, also in ignored folders", async () => {
    work.put(".rondoignore", "private/\n*.csv\n");
    work.put("sub/.rondoignore", "local\n");
    for (const name of ["private/a.txt", "data/x.csv", "sub/local/b.txt", "sub/c.txt"]) work.put(name, "hit\n");
    assert.deepEqual((await grep({ output_mode: "content" })).split("\n").slice(0, 2), [
      "a.txt:1:hit",
      "sub/c.txt:1:hit",
    ]);
    assert.doesNotMatch(await grep({ glob: "private/**" }), /private\/a/);
    assert.doesNotMatch(await grep({ path: "sub", output_mode: "content" }), /local\/b/);
    const listed = (await glob("**/*.{txt,csv}")).split("\n");
    assert.deepEqual(listed.slice(0, 2).sort(), ["a.txt", "sub/c.txt"]);
    assert.match(listed[2] ?? "", /^\(3 files are not listed/);
  });

  it("but not those in a protected folder when it is the one searched, except secrets", async () => {
    work.put(".rondoignore", "private/\n");
    work.put("private/a.txt", "hit\n");
    work.put("private/.env", "hit\n");
    assert.match(await grep({ path: "private" }), /^private\/a\.txt\n\(1 file is not searched/);
    assert.match(await glob("*", { path: "private" }), /^private\/a\.txt\n\(1 file is not listed/);
    assert.match(await grep({ path: ".env" }).catch(() => "missing"), /missing/);
    work.put(".ssh/config", "hit\n");
    assert.equal(await grep({ path: ".ssh" }), ".ssh/config");
  });

  it("according to the user's own list", async () => {
    work.dispose();
    work = new TestWorkspace({ secrets: ["*.ini", "!.env.test"] });
    for (const name of ["a.ini", ".env.test", ".env"]) work.put(name, "hit\n");
    assert.match(await grep(), /^\.env\.test\n\(/);
    assert.match(await glob("**/*"), /^\.env\.test\n\(2 files are not listed/);
  });

  it("reports to commands what a folder contains, including files that git ignores", async () => {
    const { signal } = new AbortController();
    const below = async (name: string, limit?: number) =>
      await protectedBelow(await work.host.workspace.locate(name), work.host, { signal, ignored: true, limit });
    work.put("plain/a.ts", "");
    assert.deepEqual(await below("plain"), []);
    work.put(".gitignore", ".env\n");
    work.put(".env", "");
    work.put("sub/.rondoignore", "x\n");
    work.put("sub/x/y", "");
    assert.deepEqual(await below("."), [".env", "sub/x/y"]);
    assert.deepEqual(await below("sub"), ["x/y"]);
    work.put("sub/z/.env", "");
    assert.deepEqual(await below("sub"), ["x/y", "z/.env"], "each command looks for itself");
    for (const limit of [3, 5]) assert.equal(await below(".", limit), undefined, `more than ${limit} files`);
    assert.deepEqual(await below(".", 20), [".env", "sub/x/y", "sub/z/.env"]);
  });
});

describe("I6 special files are never opened", () => {
  let work: TestWorkspace;
  beforeEach(() => {
    work = new TestWorkspace();
  });
  afterEach(() => work.dispose());

  const all = { ...readers, ...changers };

  for (const [tool, inputFor] of Object.entries(all)) {
    it(`${tool}: a pipe, a link to one, a socket and a device fail at once`, async () => {
      execFileSync("mkfifo", [work.path("pipe")]);
      symlinkSync("pipe", work.path("link"));
      const server = net.createServer().listen(work.path("socket"));
      await new Promise((resolve) => server.once("listening", resolve));
      for (const name of ["pipe", "link", "socket"])
        assert.match(await work.refusal(tool, inputFor(name)), /not a regular file|not a file or a folder/);
      for (const name of ["/dev/zero", "/dev/tty", "/dev/full"]) {
        assert.match(
          await work.refusal(tool, inputFor(name)),
          /not a regular file|not a file or a folder|read it first|does not exist/,
        );
      }
      server.close();
    });

    it(`${tool}: a circular link, a parent that is a file, and a name that is too long are named in the error`, async () => {
      symlinkSync("b", work.path("a"));
      symlinkSync("a", work.path("b"));
      work.put("file", "x");
      assert.match(await work.refusal(tool, inputFor("a")), /too many links/);
      assert.match(await work.refusal(tool, inputFor("file/x")), /not exist|parents is a file/);
      assert.match(await work.refusal(tool, inputFor("x".repeat(300))), /too long/);
      assert.match(await work.refusal(tool, inputFor(`${"x/".repeat(3000)}y`)), /4096/);
    });
  }

  it("grep and glob skip pipes and unreadable files", async () => {
    work.put("ok/a.txt", "hit\n");
    work.put("no/b.txt", "hit\n");
    chmodSync(work.path("no"), 0);
    execFileSync("mkfifo", [work.path("ok/pipe")]);
    assert.match((await work.run("grep", { pattern: "hit" })).output, /ok\/a\.txt/);
    assert.match((await work.run("glob", { pattern: "**/*" })).output, /ok\/a\.txt/);
    chmodSync(work.path("no"), 0o755);
  });

  it("a pipe named .rondoignore does not block", async () => {
    work.put("a.txt", "hit\n");
    execFileSync("mkfifo", [work.path(".rondoignore")]);
    assert.match((await work.run("grep", { pattern: "hit" })).output, /^No matches/);
    assert.equal((await work.host.workspace.locate("a.txt")).protection, "ignored");
  });

  it("a folder instead of a file, and outside paths, get a matching question", async () => {
    mkdirSync(path.join(work.root, "out"));
    writeFileSync(path.join(work.root, "out/.env"), "KEY\n");
    const needs = await work.needs("read", { file_path: "../out/.env" });
    assert.deepEqual(
      needs.map(({ permission, protection }) => [permission, protection]),
      [
        ["read", "secret"],
        ["external_directory", "secret"],
      ],
    );
    assert.match(await work.refusal("write", { file_path: "../out", content: "x" }), /is a folder/);
    assert.deepEqual(readdirSync(path.join(work.root, "out")), [".env"]);
  });
});
