/** Paths as the system resolves them, and their names. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { leadsTo, locate, placeOf, refusalOf } from "../../src/tools/node-host/locate.ts";
import { ProtectedFiles } from "../../src/tools/node-host/protection.ts";
import { TestWorkspace } from "./workspace.ts";

describe("T8 names that are not looked up", () => {
  it("those of more than 4,096 characters, or with a NUL", () => {
    assert.equal(refusalOf("x".repeat(4096), "linux"), undefined);
    assert.match(refusalOf("x".repeat(4097), "linux") ?? "", /more than 4096 characters/);
    assert.match(refusalOf("a\0", "linux") ?? "", /NUL character/);
  });

  it("on Windows devices, shares and parts of files, with the reason", () => {
    const devices = ["con", "PRN", "aux", "Nul", "conin$", "CONOUT$", "com1", "com¹", "COM²", "lpt9", "lpt³", "com0"];
    for (const name of devices) {
      for (const form of [name, `a\\${name}`, `a/${name}/b`, `${name}.txt`, `${name} .txt`, `${name}  `, `${name}\\x`])
        assert.match(refusalOf(form, "win32") ?? "", / names a device/, form);
      for (const form of [`x${name}`, `${name}x`, `a.${name}`, `${name}x.txt`])
        assert.equal(refusalOf(form, "win32"), undefined, form);
    }
    for (const name of ["\\\\server\\x", "//server/x", "\\/x", "/\\x"])
      assert.match(refusalOf(name, "win32") ?? "", /on the network or a device/, name);
    for (const name of ["c:\\a:b", "ab:c", "c:\\x::$DATA", ":x"])
      assert.match(refusalOf(name, "win32") ?? "", /a part of a file/, name);
    for (const name of ["c:x", "C:\\", "c:", "\\x", "/x", "a\\\\b", "con$", "lpt", "com", "com12", "a.b.c"])
      assert.equal(refusalOf(name, "win32"), undefined, name);
    for (const name of ["con", "a:b", "//x", "\\\\x"]) assert.equal(refusalOf(name, "linux"), undefined, name);
  });
});

describe("T8 where a path leads", () => {
  let root: string;
  const at = (name: string) => path.join(root, name);
  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "locate-test-")));
    mkdirSync(at("work/src"), { recursive: true });
    mkdirSync(at("other/in"), { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("a missing path leads where its nearest folder does", () => {
    symlinkSync(at("other"), at("work/link"));
    assert.equal(leadsTo(at("work/link/none/x.ts")), at("other/none/x.ts"));
    assert.equal(leadsTo(at("work/link/none///")), at("other/none"));
    assert.equal(leadsTo(at("work/link/in/../x.ts")), at("other/x.ts"));
    assert.equal(leadsTo("/none-such/x"), "/none-such/x");
  });

  it("a broken link leads to the file that it would create", () => {
    symlinkSync("../other/new.ts", at("work/broken"));
    assert.equal(leadsTo(at("work/broken")), at("other/new.ts"));
    symlinkSync("work/broken", at("more"));
    assert.equal(leadsTo(at("more")), at("other/new.ts"));
    assert.equal(leadsTo(at("more/x")), at("other/new.ts/x"));
  });

  it("through 40 broken links, and not through 41", () => {
    for (let link = 1; link <= 41; link++) symlinkSync(`link${link - 1}`, at(`link${link}`));
    assert.equal(leadsTo(at("link40")), at("link0"));
    assert.throws(() => leadsTo(at("link41")), { name: "ToolError", message: /goes through too many links/ });
  });

  const locateIn = async (name: string, ...folders: string[]) =>
    await locate(name, folders, new ProtectedFiles(folders, []));

  it("relative ones begin in the first folder, and ~ is the home folder", async () => {
    assert.equal((await locateIn("src/a.ts", at("work"), at("other"))).path, at("work/src/a.ts"));
    assert.equal((await locateIn("~", at("work"))).path, realpathSync(os.homedir()));
    assert.equal((await locateIn("~/none.ts", at("work"))).path, path.join(realpathSync(os.homedir()), "none.ts"));
    assert.equal((await locateIn("~x", at("work"))).path, at("work/~x"));
    assert.equal((await locateIn("src/~/a", at("work"))).path, at("work/src/~/a"));
    assert.equal((await locateIn(at("other/a.ts"))).path, at("other/a.ts"));
    await assert.rejects(locateIn("a.ts"), { message: /No folder is open, so a\.ts cannot be resolved/ });
    await assert.rejects(locateIn("a\0b", at("work")), { message: "A path cannot hold a NUL character." });
  });

  it("has a name in each folder that contains it, the absolute one, and those by which it was asked for", async () => {
    symlinkSync(at("work/src"), at("other/link"));
    assert.deepEqual(placeOf(at("work/src/a.ts"), at("work/src/a.ts"), [at("work"), at("work/src")]), {
      path: at("work/src/a.ts"),
      relative: "src/a.ts",
      inside: true,
      names: ["a.ts", at("work/src/a.ts")],
    });
    const asked = await locateIn(at("other/link/a.ts"), at("work"), at("other"));
    assert.equal(asked.relative, "src/a.ts");
    assert.deepEqual(asked.names, [at("work/src/a.ts"), "link/a.ts", at("other/link/a.ts")]);
    const outside = await locateIn("../out.ts", at("work"));
    assert.deepEqual([outside.relative, outside.inside, outside.names], [at("out.ts"), false, []]);
    const whole = await locateIn(".", at("work"));
    assert.deepEqual([whole.relative, whole.inside, whole.names], [".", true, [at("work")]]);
    assert.equal(asked.restricted, false);
  });

  it("has a name that begins with ~ below the home folder", () => {
    const home = os.homedir();
    assert.deepEqual(placeOf(`${home}/a.ts`, `${home}/a.ts`, [at("work")]).names, ["~/a.ts"]);
    assert.deepEqual(placeOf(home, home, [at("work")]).names, []);
    assert.deepEqual(placeOf(at("work/a.ts"), `${home}/link.ts`, [at("work")]).names, [
      at("work/a.ts"),
      `${home}/link.ts`,
      "~/link.ts",
    ]);
  });
});

describe("T10 names that may have been meant", () => {
  let work: TestWorkspace;
  beforeEach(() => {
    work = new TestWorkspace();
  });
  afterEach(() => work.dispose());

  const suggestedFor = async (name: string, ...there: string[]) => {
    for (const one of there) work.put(one, "");
    const message = await work.refusal("read", { file_path: name });
    return /Did you mean (.*)\?$/.exec(message)?.[1]?.split(" or ") ?? [];
  };

  it("the three nearest, best first", async () => {
    const there = ["abcdefghi", "abcdefghx", "abcdefgxx", "abcdefgh", "abcdexxxx", "abcdxxxxx"];
    assert.deepEqual(await suggestedFor("abcdefghij", ...there), ["abcdefghi", "abcdefgh", "abcdefghx"]);
  });

  it("with another extension before those with other letters", async () => {
    assert.deepEqual(await suggestedFor("d/cart.ts", "d/cart.tsx", "d/cart.py", "d/carts.ts", "d/CART.TS"), [
      "d/CART.TS",
      "d/cart.py",
      "d/cart.tsx",
    ]);
  });

  it("with up to a third of the letters changed, added or left out, at least one", async () => {
    assert.deepEqual(await suggestedFor("abcdef", "xbcdex", "xxcdex"), ["xbcdex"]);
    assert.deepEqual(await suggestedFor("ab", "xb", "xy"), ["xb"]);
    assert.deepEqual(await suggestedFor("mnopqr", "mnop", "mno", "mnopqrst", "mnopqrstu"), ["mnop", "mnopqrst"]);
    assert.deepEqual(await suggestedFor("uvwuvw", "vwuvwu", "wvuwvu"), ["vwuvwu"]);
  });

  it("not those of other folders, nor those that .rondoignore names", async () => {
    work.put(".rondoignore", "plan.txt\n");
    assert.deepEqual(await suggestedFor("plan.tx", "plan.txt", "d/plan.tx"), []);
    assert.deepEqual(await suggestedFor("none/plan.tx"), []);
  });

  it("of at most 100 letters, compared in the same form", async () => {
    const long = "x".repeat(100);
    assert.deepEqual(await suggestedFor(`${long}abc`, `${long}defghi`), [`${long}defghi`]);
    assert.deepEqual(await suggestedFor("ﬁle", "FILE"), ["FILE"]);
  });

  it("outside of the workspace as well", async () => {
    writeFileSync(path.join(work.root, "cart.ts"), "");
    assert.deepEqual(await suggestedFor("../crt.ts"), [path.join(work.root, "cart.ts")]);
  });
});
