/** Files that Rondo reads on its own: how much of them, and which (M1, P4, C5). */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { decodeText, realFolder } from "../../src/base/node/read-checked.ts";
import { type ConfigRoot, configRoots, listMarkdown, readConfigFile } from "../../src/tools/node-host/config-files.ts";

describe("T8 files that Rondo reads on its own", () => {
  let root: string;
  let leftOut: string[];
  const at = (name: string) => path.join(root, name);
  const put = (name: string, text: string | Uint8Array = "") => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };
  const rootsOf = (trusted: boolean, ...folders: string[]) =>
    configRoots({
      folders: folders.map(at),
      home: at("home"),
      trusted,
      boundary: {
        secrets: ["own.txt"],
        ruledOut: ({ relative }) => (relative.includes("ruled") ? "a rule forbids it" : undefined),
        onLeftOut: (sentence) => leftOut.push(sentence),
      },
    });
  const workRoot = (): ConfigRoot => {
    const [first] = rootsOf(true, "work");
    assert.ok(first);
    return first;
  };

  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "config-test-")));
    leftOut = [];
    for (const name of ["work", "home", "other"]) mkdirSync(at(name));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const textOf = (from: ConfigRoot, name: string, limit = 100, part: "start" | "end" = "start") => {
    const found = readConfigFile(from, name, limit, part);
    return found.type === "file" ? [found.bytes.toString(), found.size] : found;
  };

  it("are looked for in the workspace's folders, if it is trusted, and in the user's", () => {
    symlinkSync("work", at("link"));
    const shown = (trusted: boolean, ...folders: string[]) =>
      rootsOf(trusted, ...folders).map(({ folder, source, prefix }) => [path.relative(root, folder), source, prefix]);
    assert.deepEqual(shown(true, "link"), [
      ["work", "workspace", ""],
      ["home", "user", "~/"],
    ]);
    assert.deepEqual(shown(true, "work", "other"), [
      ["work", "workspace", "work/"],
      ["other", "workspace", "other/"],
      ["home", "user", "~/"],
    ]);
    assert.deepEqual(shown(false, "work"), [["home", "user", "~/"]]);
    assert.equal(realFolder(at("none/x/..")), at("none"));
  });

  it("are read up to a limit, from the start or the end", () => {
    put("work/a.md", "0123456789");
    assert.deepEqual(textOf(workRoot(), "a.md"), ["0123456789", 10]);
    assert.deepEqual(textOf(workRoot(), "a.md", 10), ["0123456789", 10]);
    assert.deepEqual(textOf(workRoot(), "a.md", 4), ["0123", 10]);
    assert.deepEqual(textOf(workRoot(), "a.md", 4, "end"), ["6789", 10]);
    assert.deepEqual(textOf(workRoot(), "a.md", 100, "end"), ["0123456789", 10]);
  });

  it("may be missing, also below a file", () => {
    put("work/a.md");
    for (const name of ["b.md", "a.md/b.md", "c/b.md"]) assert.deepEqual(textOf(workRoot(), name), { type: "missing" });
    symlinkSync("none.md", at("work/broken.md"));
    assert.deepEqual(textOf(workRoot(), "broken.md"), { type: "missing" });
  });

  it("are regular files, and others are not opened", () => {
    mkdirSync(at("work/folder"));
    execFileSync("mkfifo", [at("work/pipe")]);
    for (const name of ["folder", "pipe"])
      assert.deepEqual(textOf(workRoot(), name), { type: "unusable", why: "it is not a file" });
    symlinkSync("loop.md", at("work/loop.md"));
    assert.deepEqual(textOf(workRoot(), "loop.md"), { type: "unusable", why: "it cannot be read (ELOOP)" });
  });

  it("are left out, with the reason, where a read would ask", () => {
    put("work/.env");
    put("work/held.md");
    put("work/.rondoignore", "held.md\n");
    put("work/ruled.md");
    put("work/own.txt");
    put("other/x.md");
    for (const [name, target, why] of [
      ["a.md", ".env", "it is a link to .env, which may hold secrets"],
      ["b.md", "held.md", "it is a link to held.md, which is named by a .rondoignore file"],
      ["c.md", "ruled.md", "a rule forbids it"],
      ["d.md", "../other/x.md", "it is a link that leads out of the workspace"],
      ["e.md", "own.txt", "it is a link to own.txt, which may hold secrets"],
    ] as const) {
      symlinkSync(target, at(`work/${name}`));
      leftOut = [];
      assert.deepEqual(textOf(workRoot(), name), { type: "unusable", why });
      assert.deepEqual(leftOut, [`Rondo does not use ${name}: ${why}.`]);
    }
    assert.deepEqual(textOf(workRoot(), ".env"), { type: "unusable", why: "it may hold secrets" });
    assert.deepEqual(textOf(workRoot(), "held.md"), { type: "unusable", why: "it is named by a .rondoignore file" });
  });

  it("of the user may be links to anywhere, but not to secrets", () => {
    put("other/x.md", "text");
    symlinkSync("../other/x.md", at("home/a.md"));
    symlinkSync("../other/.env", at("home/b.md"));
    put("other/.env");
    const own = rootsOf(true, "work").at(-1);
    assert.ok(own);
    assert.deepEqual(textOf(own, "a.md"), ["text", 4]);
    assert.deepEqual(textOf(own, "b.md"), {
      type: "unusable",
      why: `it is a link to ${at("other/.env")}, which may hold secrets`,
    });
    assert.deepEqual(leftOut, [
      `Rondo does not use ~/b.md: it is a link to ${at("other/.env")}, which may hold secrets.`,
    ]);
  });

  it("are text, whose last character may have been cut", () => {
    assert.equal(decodeText(Buffer.from("a\r\nb\n")), "a\nb\n");
    assert.equal(decodeText(Buffer.from("é").subarray(0, 1)), "");
    assert.equal(decodeText(Buffer.from("aé").subarray(0, 2)), "a");
    assert.equal(decodeText(Buffer.from("a\0b")), undefined);
  });

  it("are listed by name, at most 200", () => {
    for (const name of ["b.md", "a.md", "c.txt", "d.markdown"]) put(`work/rules/${name}`);
    assert.deepEqual(listMarkdown(workRoot(), "rules"), { names: ["rules/a.md", "rules/b.md"], problems: [] });
    for (let number = 0; number < 201; number++) put(`work/many/${1000 + number}.md`);
    const { names } = listMarkdown(workRoot(), "many");
    assert.deepEqual([names.length, names[0], names.at(-1)], [200, "many/1000.md", "many/1199.md"]);
    put("work/file.md");
    for (const name of ["none", "file.md", "file.md/x"])
      assert.deepEqual(listMarkdown(workRoot(), name), { names: [], problems: [] }, name);
  });

  it("are not listed in a folder that is left out", () => {
    put("other/a.md");
    symlinkSync("../other", at("work/rules"));
    const why = "it is a link that leads out of the workspace";
    assert.deepEqual(listMarkdown(workRoot(), "rules"), { names: [], problems: [`rules is not used: ${why}.`] });
    assert.deepEqual(leftOut, [`Rondo does not use rules: ${why}.`]);
    const [, second] = rootsOf(true, "other", "work");
    assert.ok(second);
    symlinkSync("/", at("work/all"));
    assert.deepEqual(listMarkdown(second, "all").problems, [`work/all is not used: ${why}.`]);
  });
});
