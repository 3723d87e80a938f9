/** The limits and exceptions of what protects files on disk. */
import assert from "node:assert/strict";
import { linkSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { statsOf } from "../../src/base/node/stats.ts";
import type { Protection } from "../../src/tools/host.ts";
import { HardLinks } from "../../src/tools/node-host/hard-links.ts";
import { ProtectedFiles } from "../../src/tools/node-host/protection.ts";
import { TestWorkspace } from "./workspace.ts";

let work: TestWorkspace;
beforeEach(() => {
  work = new TestWorkspace();
});
afterEach(() => work.dispose());

const judged = (file: string, secrets: readonly string[] = [], folders = [work.folder]) =>
  new ProtectedFiles(folders, secrets).of(work.path(file), work.path(file));

/** Returns which of the names `.rondoignore` protects. */
const ignoredOf = (rules: string, names: readonly string[]) => {
  work.put(".rondoignore", rules);
  return names.filter((name) => judged(name) === "ignored");
};

describe("T8 .rondoignore", () => {
  it("is read up to 64 KiB and 500 lines; a longer one names everything", () => {
    const lines = (count: number) => "#\n".repeat(count - 1);
    assert.deepEqual(ignoredOf(`${lines(500)}a`, ["a", "b"]), ["a"]);
    assert.deepEqual(ignoredOf(`${lines(501)}a`, ["a", "b"]), ["a", "b"]);
    const text = (bytes: number) => `a\n#${"x".repeat(bytes - 3)}`;
    assert.deepEqual(ignoredOf(text(64 * 1024), ["a", "b"]), ["a"]);
    assert.deepEqual(ignoredOf(text(64 * 1024 + 1), ["a", "b"]), ["a", "b"]);
  });

  it("may have a byte order mark and CRLF, and ignores case", () => {
    assert.deepEqual(ignoredOf("\ufeffa\r\nb/\r\n", ["a", "A", "b/x", "B/x", "c"]), ["a", "A", "b/x", "B/x"]);
  });

  it("names files and folders, with all that is in them", () => {
    const names = ["x/in/a", "in/a", "in", "only/a", "only", "x/only/a", "kept/b", "kept/a"];
    assert.deepEqual(ignoredOf("in/\n/only\nkept/*\n!kept/a\n", names), [
      ...["x/in/a", "in/a", "in", "only/a", "only", "kept/b"],
    ]);
  });

  it("has one star within a name, one at its end, and three `**`: a longer pattern names more, an exception nothing", () => {
    assert.deepEqual(ignoredOf("a*b\n", ["axb", "axc"]), ["axb"]);
    assert.deepEqual(ignoredOf("a*b*\n", ["axbx", "axc"]), ["axbx"]);
    assert.deepEqual(ignoredOf("a*b*c\n", ["axbxc", "axbx", "axc"]), ["axbxc", "axbx"]);
    assert.deepEqual(ignoredOf("x/a*b*c/d\n", ["x/axbx/d", "x/axbx/e"]), ["x/axbx/d"]);
    assert.deepEqual(ignoredOf("**/a/**/b\n", ["x/a/y/b", "x/a/y/c"]), ["x/a/y/b"]);
    assert.deepEqual(ignoredOf("**/a/**/b/**/c\n", ["a/b/c", "a/b/d", "a/d"]), ["a/b/c", "a/b/d"]);
    assert.deepEqual(ignoredOf("*.txt\n!a*b.txt\n!x*y*z*.txt\n", ["axb.txt", "xyz1.txt", "c.txt"]), [
      ...["xyz1.txt", "c.txt"],
    ]);
  });

  it("holds in its folder alone, and an inner one overrides an outer one", () => {
    work.put("in/.rondoignore", "a\n!b\n");
    assert.deepEqual(ignoredOf("b\n", ["a", "in/a", "in/x/a", "b", "in/b", "in/x/b", "other/b", "inn/a"]), [
      ...["in/a", "in/x/a", "b", "other/b"],
    ]);
  });

  it("is read again when it has changed, by time or size", () => {
    const files = new ProtectedFiles([work.folder], []);
    const isIgnored = (name: string) => files.isIgnored(work.path(name));
    assert.equal(isIgnored("a"), false);
    work.put(".rondoignore", "a\n");
    utimesSync(work.path(".rondoignore"), 5, 5);
    assert.deepEqual([isIgnored("a"), isIgnored("b")], [true, false]);
    work.put(".rondoignore", "b\n");
    utimesSync(work.path(".rondoignore"), 6, 6);
    assert.deepEqual([isIgnored("a"), isIgnored("b")], [false, true]);
    work.put(".rondoignore", "b\na\n");
    utimesSync(work.path(".rondoignore"), 6, 6);
    assert.deepEqual([isIgnored("a"), isIgnored("b")], [true, true]);
  });

  it("says nothing of what is outside of the workspace", () => {
    writeFileSync(path.join(work.root, ".rondoignore"), "*\n");
    assert.deepEqual(ignoredOf("b\n", ["a", "../a", "../workshop/b"]), []);
  });
});

describe("T8 the user's own patterns of secrets", () => {
  it("name paths within a workspace folder, and whole paths outside", () => {
    const patterns = ["/conf/*.ini", "keys/", "*.cert", "!.env.test", "!/open/**"];
    const of = (name: string) => judged(name, patterns);
    for (const name of ["conf/a.ini", "CONF/A.INI", "keys", "keys/a", "x/keys/a", "a.cert", "../out/a.cert"])
      assert.equal(of(name), "secret", name);
    for (const name of ["x/conf/a.ini", "conf/x/a.ini", "keys.ts", ".env.test", "open/server.pem", "../out/conf/a.ini"])
      assert.equal(of(name), "none", name);
    assert.equal(of("x/open/server.pem"), "secret");
    assert.equal(of("."), "none");
  });

  it("hold in searches, where exceptions are found too", () => {
    const filterOf = (secrets: readonly string[]) =>
      new ProtectedFiles([work.folder], secrets).searchFilter(work.folder, "none");
    const plain = filterOf(["*.ini"]);
    assert.ok(plain.args.length > 50);
    for (const name of ["a.ini", "x/a.ini", ".env", "x/id_rsa"]) assert.equal(plain.isExcluded(name), true, name);
    for (const name of ["a.ts", "x/a.ts"]) assert.equal(plain.isExcluded(name), false, name);
    const excepting = filterOf(["!a.pem"]);
    assert.deepEqual(excepting.args, []);
    assert.deepEqual([excepting.isExcluded("a.pem"), excepting.isExcluded("b.pem")], [false, true]);
  });
});

describe("T8 searches in a folder", () => {
  const filterOf = (folder: string, protection: Protection = "none", folders = [work.folder]) =>
    new ProtectedFiles(folders, []).searchFilter(work.path(folder), protection);

  it("leave nothing out of one that holds secrets, and only secrets of one that is ignored", () => {
    work.put(".rondoignore", "shut/\n");
    const secret = filterOf(".ssh", "secret");
    assert.deepEqual([secret.args, secret.isExcluded("id_rsa"), secret.rules], [[], false, ""]);
    const ignored = filterOf("shut", "ignored");
    assert.deepEqual([ignored.isExcluded("a.ts"), ignored.isExcluded("id_rsa"), ignored.rules], [false, true, ""]);
    assert.equal(filterOf(".").isExcluded("shut/a.ts"), true);
    assert.equal(filterOf("shut").isExcluded("a.ts"), true);
  });

  it("hand a workspace folder's .rondoignore to ripgrep, where there is one", () => {
    const given = (folder: string, protection?: Protection) =>
      filterOf(folder, protection).args.includes("--ignore-file=.rondoignore");
    assert.equal(given("."), false, "there is none");
    mkdirSync(work.path(".rondoignore"));
    assert.equal(given("."), false, "it is a folder");
    work.dispose();
    work = new TestWorkspace();
    work.put(".rondoignore", "x\n");
    work.put("in/.rondoignore", "x\n");
    // The path of a workspace folder has no slash at its end.
    const root = new ProtectedFiles([work.folder], []);
    assert.equal(root.searchFilter(work.folder, "none").args.includes("--ignore-file=.rondoignore"), true);
    assert.equal(root.searchFilter(work.folder, "ignored").args.includes("--ignore-file=.rondoignore"), false);
    assert.equal(root.searchFilter(work.path("in"), "none").args.includes("--ignore-file=.rondoignore"), false);
  });

  it("know when a file was changed", () => {
    work.put("in/a.ts", "");
    utimesSync(work.path("in/a.ts"), 5, 5);
    const filter = filterOf(".");
    assert.deepEqual([filter.modified("in/a.ts"), filter.modified("none")], [5000, 0]);
    const secret = filterOf("in", "secret");
    assert.deepEqual([secret.modified("a.ts"), secret.modified("none")], [5000, 0]);
  });

  it("leave out what is protected by the folders above it, and what a protected link leads to", () => {
    work.put("conf/values.txt", "");
    work.put("conf/other.txt", "");
    symlinkSync("conf/values.txt", work.path(".env"));
    const filter = filterOf(".");
    const excluded = [
      "conf/values.txt",
      "conf/other.txt",
      ".aws/credentials",
      "aws/credentials",
      ".ssh/x",
      "x/.ssh/y/z",
    ];
    assert.deepEqual(
      excluded.filter((name) => filter.isExcluded(name)),
      ["conf/values.txt", ".aws/credentials", ".ssh/x", "x/.ssh/y/z"],
    );
    assert.equal(filterOf(".aws").isExcluded("credentials"), true);
  });

  it("leave files with a secret's content out, but not those that are settings", () => {
    work.put(".env", "x");
    work.put(".vscode/settings.json", "{}");
    linkSync(work.path(".env"), work.path("notes.txt"));
    linkSync(work.path(".vscode/settings.json"), work.path("data.json"));
    const filter = filterOf(".");
    assert.deepEqual(
      ["notes.txt", "data.json", "none.txt"].filter((name) => filter.isExcluded(name)),
      ["notes.txt"],
    );
    assert.equal(judged("data.json"), "settings");
  });
});

describe("T8 what makes a file protected", () => {
  it("a link in the workspace folder under each of the names that are often links", () => {
    const names = {
      secret: [".env", ".env.local", ".npmrc", ".netrc"],
      settings: [
        ...[".git", ".rondo", ".claude", ".vscode", ".cursor", ".mcp.json", ".husky", ".githooks", ".devcontainer"],
        ...["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "AGENT.md", "GEMINI.md", ".idea", ".yarnrc.yml"],
      ],
    } as const;
    for (const kind of ["secret", "settings"] as const) {
      for (const name of names[kind]) {
        work.put(`held/${name}.d/a`, "");
        symlinkSync(`held/${name}.d`, work.path(name));
        assert.equal(judged(`held/${name}.d/a`), kind, name);
        assert.equal(judged(`held/${name}.d`), kind, name);
      }
    }
    work.put("rules", "x\n");
    symlinkSync("rules", work.path(".rondoignore"));
    assert.equal(judged("rules"), "settings");
    work.put("held/other/a", "");
    assert.equal(judged("held/other/a"), "none");
  });

  it("links are noticed when they come and go", () => {
    const files = new ProtectedFiles([work.folder], []);
    const of = (name: string) => files.of(work.path(name), work.path(name));
    work.put("values.txt", "");
    assert.equal(of("values.txt"), "none");
    symlinkSync("values.txt", work.path(".env"));
    utimesSync(work.folder, 5, 5);
    assert.equal(of("values.txt"), "secret");
  });

  it("both names: the one that was asked for, and the one that it leads to", () => {
    work.put(".rondoignore", "held.txt\n");
    const files = new ProtectedFiles([work.folder], []);
    const of = (real: string, asked: string) => files.of(work.path(real), work.path(asked));
    assert.equal(of("a.txt", ".env"), "secret");
    assert.equal(of(".env", "a.txt"), "secret");
    assert.equal(of("a.txt", "held.txt"), "ignored");
    assert.equal(of("held.txt", "a.txt"), "ignored");
    assert.equal(of("held.txt", ".env"), "secret");
    assert.equal(of("a.txt", ".vscode/x"), "settings");
    assert.equal(of(".vscode/x", "a.txt"), "settings");
    assert.equal(of("held.txt", ".vscode/x"), "ignored");
    assert.equal(of("a.txt", "b.txt"), "none");
  });

  it("a folder with HEAD and objects is a repository", () => {
    work.put("store/HEAD", "");
    assert.equal(judged("store/config"), "none");
    mkdirSync(work.path("store/objects"));
    assert.equal(judged("store/config"), "settings");
    assert.equal(judged("store/hooks/a/b"), "settings");
    assert.equal(judged("store"), "none");
    work.put("file/objects", "");
    work.put("file/HEAD", "");
    assert.equal(judged("file/config"), "none");
    mkdirSync(work.path("folder/HEAD"), { recursive: true });
    mkdirSync(work.path("folder/objects"));
    assert.equal(judged("folder/config"), "none");
  });

  it("a name that controls execution counts within a workspace folder as relative to it", () => {
    work.dispose();
    work = new TestWorkspace({ name: ".vscode" });
    assert.equal(judged("a.ts"), "none");
    assert.equal(judged(".vscode/a.ts"), "settings");
    assert.equal(judged("../.vscode-x/a.ts"), "none");
  });
});

describe("T8 hard links", () => {
  const linksOf = (folders: readonly string[], protectionOf: (file: string) => Protection) => {
    const links = new HardLinks(folders, protectionOf);
    return { links, of: (name: string) => links.of(statsOf(work.path(name))) };
  };
  const byName = (file: string): Protection =>
    file.includes("secret") ? "secret" : file.includes("held") ? "ignored" : file.includes("set") ? "settings" : "none";

  it("the strictest of the names counts, in whatever order they are found", () => {
    for (const [first, second] of [
      ["a-set", "b-secret"],
      ["a-secret", "b-set"],
    ]) {
      work.put(`${first}/x`, "");
      mkdirSync(work.path(`${second}`));
      linkSync(work.path(`${first}/x`), work.path(`${second}/x`));
      linkSync(work.path(`${first}/x`), work.path(`${first}${second}-plain.txt`));
      assert.equal(linksOf([work.folder], byName).of(`${first}/x`), "secret", first);
    }
    work.put("c-held", "");
    linkSync(work.path("c-held"), work.path("d-secret-x"));
    assert.equal(linksOf([work.folder], byName).of("c-held"), "ignored", "either is left out of searches");
  });

  it("files with one name, folders and missing files have none", () => {
    work.put("secret", "");
    const { links, of } = linksOf([work.folder], byName);
    assert.deepEqual([of("secret"), of("."), of("none"), links.isEmpty], ["none", "none", "none", true]);
    linkSync(work.path("secret"), work.path("copy"));
    assert.equal(linksOf([work.folder], byName).links.isEmpty, false);
    assert.equal(of("copy"), "none", "they are looked for once a minute");
  });

  it("are looked for again after a minute", () => {
    work.put("secret", "");
    const { now } = performance;
    let time = now.call(performance);
    performance.now = () => time;
    try {
      const { of } = linksOf([work.folder], byName);
      linkSync(work.path("secret"), work.path("copy"));
      assert.equal(of("copy"), "secret");
      work.put("later-secret", "");
      linkSync(work.path("later-secret"), work.path("later"));
      time += 59_999;
      assert.equal(of("later"), "none");
      time += 1;
      assert.equal(of("later"), "secret");
    } finally {
      performance.now = now;
    }
  });

  it("are not looked for where package managers and git keep theirs", () => {
    for (const folder of ["node_modules", "x/node_modules", ".git/objects", ".pnpm-store", ".venv"]) {
      work.put(`${folder}/secret`, "");
      linkSync(work.path(`${folder}/secret`), work.path(`${folder}/copy`));
    }
    assert.equal(linksOf([work.folder], byName).links.isEmpty, true);
    for (const folder of ["my_node_modules", ".git/x", "objects", "node_modulesx", ".venvs"]) {
      work.put(`${folder}/secret`, "");
      linkSync(work.path(`${folder}/secret`), work.path(`${folder}/copy`));
      assert.equal(linksOf([work.folder], byName).of(`${folder}/copy`), "secret", folder);
    }
  });

  it("are looked for among a limited number of entries, those of outer folders first", () => {
    for (const name of ["many/1", "many/2", "many/zz/secret"]) work.put(name, "");
    linkSync(work.path("many/zz/secret"), work.path("a-copy"));
    // `a-copy` and `many`, then `1`, `2` and `zz`: the secret is the sixth.
    for (const [limit, expected] of [
      [5, "none"],
      [6, "secret"],
    ] as const) {
      const links = new HardLinks([work.folder], byName, limit);
      assert.equal(links.of(statsOf(work.path("a-copy"))), expected, `${limit} entries`);
    }
  });
});
