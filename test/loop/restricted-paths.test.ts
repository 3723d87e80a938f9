/** Which paths rules that deny or ask cover, and how a tool sees them (spec T8, M1). */
import assert from "node:assert/strict";
import path from "node:path";
import type { PermissionMode } from "../../src/chat/permission-mode.ts";
import type { Rule } from "../../src/chat/requests.ts";
import { ruledOut } from "../../src/loop/permissions/own-reads.ts";
import { judgeCommand, partsOf } from "../../src/loop/permissions/parts.ts";
import { judgePath, ruledHost } from "../../src/loop/permissions/ruled-host.ts";
import { judge, type Lineage, restrictedPath } from "../../src/loop/permissions/rules.ts";
import { bash } from "../../src/tools/built-in/bash.ts";
import { nodeHost } from "../../src/tools/node-host/node-host.ts";
import { registryOf } from "../../src/tools/registry.ts";
import { TestWorkspace } from "../tools/workspace.ts";

const rule = (permission: string, pattern: string, action: Rule["action"] = "deny"): Rule => ({
  permission,
  pattern,
  action,
});

/** A pattern, names that it covers, and names that it does not. */
const rows: [pattern: string, covered: string[], free: string[]][] = [
  [
    "private",
    ["private", "private/x", "private/a/b", "Private/X", "private/", "private//"],
    ["privates", "a/private", "/private", "x"],
  ],
  ["private/x.txt", ["private/x.txt", "private/x.txt/below"], ["private", "private/x-txt", "private/x.txt2"]],
  // Folders are meant as a whole, however that is written.
  ...[
    "private/",
    "private/*",
    "private/**",
    "private/**/*",
    "./private",
    "private//",
    "a/../private",
    "./a/.././private",
  ].map((pattern): [string, string[], string[]] => [
    pattern,
    ["private", "private/x", "private/a/b"],
    ["a/private", "priv", "a"],
  ]),
  ["private\\**", ["private/x"], ["x"]],
  ["/etc/x", ["/etc/x", "/etc/x/y", "/ETC/x"], ["etc/x", "/etc/xy", "/etc"]],
  ["/", ["/", "/etc"], ["etc"]],
  [".", [".", "a", "a/b"], ["/a", "~/a"]],
  ["./", ["a", "a/b"], ["/a", "~/a"]],
  ["a/..", ["a", "b"], ["/a"]],
  ["~/.ssh", ["~/.ssh", "~/.ssh/id"], [".ssh", "/.ssh", "a/~/.ssh"]],
  ["c:/x", ["C:\\x", "c:/x/y"], ["x", "d:/x", "/c:/x"]],
  // Stars and question marks.
  ["*.env", ["a.env", ".env", "a/b.env", "/abs/c.env", "a.env/x"], ["a.envs", "env"]],
  ["a*c", ["ac", "abc", "a/b/c", "abc/x"], ["b/ac", "ab"]],
  ["a?c", ["abc", "a/c", "abc/x"], ["ac", "abbc", "a"]],
  ["a??", ["abc"], ["ab", "abcd"]],
  ["**/private/**", ["private", "private/x", "a/private/x", "/a/private", "./private/x"], ["aprivate/x", "a/privatex"]],
  ["**/x", ["x", "a/x", "a/b/x", "/x"], ["ax", "a/bx"]],
  ["a/**/b", ["a/b", "a/x/b", "a/x/y/b", "a/b/z"], ["ab", "a/xb", "b"]],
  ["a/**/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a/xb", "a/x/yb", "ab"]],
  ["a/**/b*/**/c", ["a/b/c", "a/x/bx/y/c"], ["a/xb/c", "a/b/yc"]],
  ["a**/b", ["a/b", "ax/b", "ax/y/b"], ["ab"]],
  ["*/x", ["a/x", "a/b/x", "./x"], ["ax"]],
  ["src/*/*", ["src", "src/a"], ["a"]],
  ["*", ["a", "/a", "~/a"], []],
  // `..` takes away the name before it if that is one name alone.
  ["../x", ["../x", "../x/y"], ["x"]],
  ["../../x", ["../../x"], ["x", "../x"]],
  ["*/../x", ["a/../x"], ["x"]],
  ["a../../x", ["x"], ["a../x"]],
  ["..a/../x", ["x"], ["..a/x"]],
  ["src/a*", ["src/ab", "src/a/b"], ["src", "src/b"]],
  ["src/*a", ["src/ba"], ["src", "src/b"]],
  ["", [""], ["a", "/a"]],
  ["a/b/../../x", ["x"], ["a/x"]],
  // Names that are written in another way.
  ["caf\u00e9", ["cafe\u0301", "CAF\u00c9/x"], ["cafe"]],
  ["a+(b)[c]{d}|e^$.f", ["a+(b)[c]{d}|e^$.f"], ["a+(b)[c]{d}|e^$xf"]],
];

describe("T8 the paths of a rule that denies or asks", () => {
  for (const [pattern, covered, free] of rows) {
    it(`T8 of ${JSON.stringify(pattern)}`, () => {
      const covers = restrictedPath(pattern);
      assert.deepEqual([...covered, ...free].filter(covers), covered);
    });
  }

  it("T8 are found in linear time", () => {
    const covers = restrictedPath(`${"*a".repeat(30)}b`);
    assert.equal(covers("a".repeat(20_000)), false);
  });
});

describe("M1 what rules keep Rondo from reading on its own", () => {
  const inside = { path: "/project/notes/a.md", relative: "notes/a.md", inside: true, names: ["alias.md"] };
  const outside = { path: "/home/me/a.md", relative: "/home/me/a.md", inside: false, names: ["~/a.md"] };
  const because = (place: typeof inside, ...user: Rule[]) => ruledOut(place, { user, workspace: [] });

  it("M1 is told with the rule, under each name, for rules of the user and of the workspace", () => {
    assert.equal(because(inside, rule("read", "notes/**")), "the rule `notes/**` denies reading it");
    assert.equal(because(inside, rule("read", "notes/*", "ask")), "the rule `notes/*` asks before reading it");
    assert.equal(because(inside, rule("read", "*.md")), "the rule `*.md` denies reading it");
    assert.equal(because(inside, rule("read", "alias.md")), "the rule `alias.md` denies reading it");
    assert.match(ruledOut(inside, { user: [], workspace: [rule("read", "notes")] }) ?? "", /`notes` denies/);
    assert.equal(because(outside, rule("external_directory", "/home/**")), "the rule `/home/**` denies reading it");
    assert.equal(because(outside, rule("read", "~/a.md")), "the rule `~/a.md` denies reading it");
  });

  it("M1 is nothing for rules about the tool alone, about other paths, or about other tools", () => {
    for (const place of [inside, outside]) {
      assert.equal(because(place), undefined);
      for (const one of [
        rule("read", "*"),
        rule("*", "*"),
        rule("read", "**", "ask"),
        rule("read", "other/**"),
        rule("edit", "**/a.md"),
        rule("bash", "**/a.md"),
        rule("external_directory", "/home/**", "ask"),
      ])
        assert.equal(because(place, one), undefined, `${place.path} ${one.permission} ${one.pattern}`);
    }
    assert.equal(because(inside, rule("read", "notes/**"), rule("read", "notes/a.md", "allow")), undefined);
    assert.equal(because(inside, rule("external_directory", "/project/**")), undefined);
  });
});

describe("T8 a tool's sight of the workspace", () => {
  let work: TestWorkspace;
  before(() => {
    work = new TestWorkspace();
    for (const name of ["private/x.txt", "open/a.txt", "sub/b.txt"]) work.put(name, "x");
  });
  after(() => work.dispose());

  const hostWith = (tool: string, user: Rule[], lineage: Lineage = [], mode: PermissionMode = "default") =>
    ruledHost(work.host, { tool, book: { mode, user, workspace: [] }, lineage });
  const agent = (permission: Rule[]) => ({ name: "a", source: "user" as const, permission });
  const denied = rule("read", "private/**");

  it("T8 is the usual one if no rule restricts paths", () => {
    for (const user of [
      [],
      [rule("read", "private/**", "allow")],
      [rule("read", "*")],
      [rule("*", "*", "ask")],
      [rule("edit", "private/**")],
      [rule("bash", "rm *")],
    ])
      assert.equal(hostWith("grep", user), work.host, JSON.stringify(user));
    assert.equal(hostWith("bash", [rule("bash", "rm *")]), work.host, "patterns of commands are no paths");
    assert.equal(hostWith("grep", [], [agent([rule("read", "*")])]), work.host);
  });

  it("T8 is another one with a rule for reading, for what is outside, for everything, for the tool, or of an agent", async () => {
    for (const [tool, user, lineage] of [
      ["grep", [denied], []],
      ["bash", [denied], []],
      ["grep", [rule("bash", "rm *"), denied], []],
      ["grep", [rule("grep", "private/**")], []],
      ["grep", [rule("*", "private/**", "ask")], []],
      ["grep", [rule("external_directory", "/etc/**")], []],
      ["grep", [], [agent([denied])]],
    ] as const) {
      const host = hostWith(tool, [...user], lineage);
      assert.notEqual(host, work.host);
      const isRestricted = async (name: string) => (await host.workspace.locate(name)).restricted;
      const isOutside = user.some(({ permission }) => permission === "external_directory");
      assert.deepEqual([await isRestricted("private/x.txt"), await isRestricted("open/a.txt")], [!isOutside, false]);
      assert.equal(await isRestricted("/etc/hostname"), isOutside);
    }
    const kept = { mode: "default", user: [], workspace: [denied] } as const;
    const { workspace } = ruledHost(work.host, { tool: "grep", book: kept, lineage: [] });
    assert.equal((await workspace.locate("private/x.txt")).restricted, true);
  });

  it("T8 a rule for the tool as a whole does not restrict each path beside one that does", async () => {
    for (const whole of [rule("read", "*", "ask"), rule("*", "*")]) {
      for (const host of [
        hostWith("grep", [whole, denied]),
        hostWith("grep", [denied], [agent([whole])]),
        ruledHost(work.host, {
          tool: "grep",
          book: { mode: "default", user: [denied], workspace: [whole] },
          lineage: [],
        }),
      ])
        assert.equal((await host.workspace.locate("open/a.txt")).restricted, false);
    }
    const exception = [denied, rule("read", "*", "allow")];
    assert.equal((await hostWith("grep", exception).workspace.locate("private/x.txt")).restricted, false);
  });

  it("T8 keeps the rest of the workspace as it is", async () => {
    const { workspace } = hostWith("grep", [denied]);
    assert.deepEqual([workspace.folders, workspace.trusted], [work.host.workspace.folders, true]);
    const { signal } = new AbortController();
    const place = await workspace.locate("open/a.txt");
    const kind = await workspace.open(place, signal);
    assert.ok(kind.type === "text" && kind.file.text === "x");
    assert.equal(await workspace.look(place), "file");
    const filter = workspace.searchFilter(await workspace.locate("."));
    const usual = work.host.workspace.searchFilter(await work.host.workspace.locate("."));
    assert.deepEqual(filter.args, usual.args);
    assert.ok(filter.modified("open/a.txt") > 0);
    const made = await workspace.locate("made.txt");
    const { version } = await workspace.write(made, "y", "missing", signal);
    assert.equal(work.text("made.txt"), "y");
    await workspace.remove(made, version, signal);
    assert.equal(await workspace.look(made), "missing");
  });

  it("T8 leaves out of a search what a rule names, and what was left out before", async () => {
    work.put(".rondoignore", "open/a.txt\n");
    const excluded = async (folder: string, name: string, user: Rule[]) => {
      const { workspace } = hostWith("grep", user);
      return workspace.searchFilter(await workspace.locate(folder)).isExcluded(name);
    };
    assert.equal(await excluded(".", "open/a.txt", [denied]), true);
    assert.equal(await excluded(".", "private/x.txt", [denied]), true);
    assert.equal(await excluded(".", "sub/b.txt", [denied]), false);
    assert.equal(await excluded(".", "sub/b.txt", [denied, rule("read", "sub/**", "allow")]), false);
    assert.equal(await excluded("private", "x.txt", [denied]), true, "a denial counts within a denied folder, too");
    const asks = rule("read", "private/**", "ask");
    assert.equal(await excluded("private", "x.txt", [asks]), false, "the folder has asked");
    assert.equal(await excluded("private", "x.txt", [asks, rule("read", "**/x.txt", "ask")]), true);
    assert.equal(await excluded("sub", "b.txt", [rule("read", "sub/b.txt")]), true, "by its name in the workspace");
    assert.equal(await excluded("sub", "b.txt", [rule("read", "b.txt")]), false);
  });

  it("T8 names files of an inner workspace folder by that folder, too, and no others", async () => {
    const folders = [work.folder, work.path("sub"), work.path("su")];
    work.put("sub/deep/c.txt", "x");
    work.put("su/x", "x");
    const host = nodeHost({ folders, trusted: true, overflowDir: path.join(work.root, "o") });
    const excluded = async (folder: string, name: string, pattern: string) => {
      const book = { mode: "default" as const, user: [rule("read", pattern)], workspace: [] };
      const { workspace } = ruledHost(host, { tool: "grep", book, lineage: [] });
      return workspace.searchFilter(await workspace.locate(folder)).isExcluded(name);
    };
    assert.equal(await excluded(".", "sub/deep/c.txt", "deep/c.txt"), true);
    assert.equal(await excluded(".", "open/b.txt", "b.txt"), false);
    for (const sliced of ["/b.txt", "n/b.txt"]) assert.equal(await excluded(".", "open/b.txt", sliced), false);
    assert.equal(await excluded(work.path("sub/deep"), "c.txt", "deep/c.txt"), true);
  });

  it("T8 searches ask ripgrep again when the rules, the mode or the tool have changed", async () => {
    const key = async (tool: string, user: Rule[], mode: PermissionMode = "default") => {
      const { workspace } = hostWith(tool, user, [], mode);
      return workspace.searchFilter(await workspace.locate(".")).rules;
    };
    const keys = [
      await key("grep", [denied]),
      await key("glob", [denied]),
      await key("grep", [denied], "bypassPermissions"),
      await key("grep", [rule("read", "private/**", "ask")]),
      await key("grep", [denied, rule("read", "private/x.txt", "allow")]),
    ];
    assert.equal(new Set(keys).size, keys.length);
    assert.equal(await key("grep", [denied]), keys[0]);
  });

  it("T8 outside of the workspace only what is denied counts, and the path itself is asked about elsewhere", () => {
    const outside = { path: "/out/a", relative: "/out/a", inside: false, names: [] };
    const decide = (...user: Rule[]) =>
      judgePath(outside, (need) => judge(need, "grep", { mode: "default", user, workspace: [] }));
    assert.equal(decide().decision, "allow");
    assert.equal(decide(rule("external_directory", "/out/**", "ask")).decision, "allow");
    assert.deepEqual(decide(rule("external_directory", "/out/**")).rule?.pattern, "/out/**");
    assert.equal(decide(rule("read", "/out/**", "ask")).decision, "ask");
    const inside = { ...outside, inside: true };
    const book = { mode: "default", user: [rule("external_directory", "/out/**")], workspace: [] } as const;
    assert.equal(judgePath(inside, (need) => judge(need, "grep", book)).decision, "allow");
  });
});

describe("T7 the parts of a command", () => {
  let work: TestWorkspace;
  before(() => {
    work = new TestWorkspace();
  });
  after(() => work.dispose());
  const { signal } = new AbortController();
  const judging =
    (...user: Rule[]) =>
    (need: Parameters<typeof judge>[0], tool: string) =>
      judge(need, tool, { mode: "default", user, workspace: [] });

  it("T7 are each judged, with what Always allow would add for those that ask", async () => {
    const from = { host: work.host, tools: registryOf([bash]) };
    const checked = await judgeCommand("ls -l && make all", from, judging(rule("bash", "ls *", "allow")), signal);
    assert.partialDeepStrictEqual(checked, {
      command: "ls -l && make all",
      decision: "ask",
      parts: [
        { text: "ls -l", permission: "bash", decision: "allow", why: "Your rule `ls *` allows it." },
        { text: "make all", permission: "bash", decision: "ask", why: "Asks because no rule allows it." },
      ],
    });
    assert.deepEqual(
      checked.always.map(({ pattern }) => pattern),
      ["make all *"],
    );
    const denied = await judgeCommand("ls && make", from, judging(rule("bash", "make *")), signal);
    assert.equal(denied.decision, "deny");
    assert.deepEqual(
      denied.always.map(({ pattern }) => pattern),
      ["ls *"],
      "not for what is denied",
    );
  });

  it("T7 cannot be judged without the tool for commands", async () => {
    const from = { host: work.host, tools: registryOf([]) };
    await assert.rejects(judgeCommand("ls", from, judging(), signal), {
      name: "ToolError",
      message: "Commands are switched off.",
    });
  });

  it("T7 show what each does", () => {
    const need = {
      permission: "edit",
      pattern: "out.txt",
      suggestedRule: undefined,
      match: "pattern",
      protection: "none",
      effect: "writes out.txt",
    } as const;
    assert.deepEqual(
      partsOf([need], () => ({ decision: "ask", rule: undefined, why: "Because." })),
      [{ text: "out.txt", permission: "edit", effect: "writes out.txt", decision: "ask", why: "Because." }],
    );
  });
});
