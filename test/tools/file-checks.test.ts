/** What tools say about files that they do not use, what they require for a path, and how they list files (T8, T12). */
import assert from "node:assert/strict";
import {
  asSeen,
  asText,
  openToChange,
  requireRead,
  requireTrust,
  staleError,
} from "../../src/tools/file-access/file-checks.ts";
import {
  fileRequirements,
  folderRequirements,
  isReadProtected,
  isWithin,
  namedOutside,
  pathFor,
} from "../../src/tools/file-access/requirements.ts";
import { countExcluded, excludedNote, FileList, pathMatcher } from "../../src/tools/file-access/search-filter.ts";
import type { FileKind, Location, SearchFilter, TextFile, TextSearch } from "../../src/tools/host.ts";
import { TestWorkspace } from "./workspace.ts";

const place = (more: Partial<Location> = {}): Location => ({
  path: "/w/src/a.ts",
  relative: "src/a.ts",
  inside: true,
  names: [],
  protection: "none",
  restricted: false,
  changesRestricted: false,
  ...more,
});
const file = (more: Partial<TextFile> = {}): TextFile => ({
  ...place(),
  text: "x",
  version: "1",
  unsaved: false,
  ...more,
});

describe("T12 a file that is no text", () => {
  const location = place();
  const rows: [kind: Exclude<FileKind, { type: "text" }>, sentence: string][] = [
    [{ type: "missing", similar: [], location }, "src/a.ts does not exist. Look for it with glob."],
    [{ type: "missing", similar: ["b", "c"], location }, "src/a.ts does not exist. Did you mean b or c?"],
    [{ type: "folder", entries: [], location }, "src/a.ts is a folder, not a file."],
    [
      { type: "binary", size: 1, location },
      "src/a.ts is not text (1 byte): it is binary, or UTF-16 without a byte order mark.",
    ],
    [
      { type: "unknown-encoding", text: "", location },
      "src/a.ts is not text in UTF-8, and its encoding is not known: it can be read, but a change would lose characters. Convert it first (iconv), or ask the user to set `files.encoding` in VS Code.",
    ],
    [{ type: "media", mime: "image/png", bytes: Buffer.alloc(0), location }, "src/a.ts is not text but image/png."],
    [
      { type: "special", location },
      "src/a.ts is not a regular file but a device, a pipe or a socket; it is not opened.",
    ],
    [
      { type: "too-large", size: 12_345_678, limit: 10_000_000, location },
      "src/a.ts is too large: 12.3 MB, and at most 10.0 MB are read. Search in it with grep, or take parts of it with bash.",
    ],
  ];
  for (const [kind, message] of rows) {
    it(`is named as what it is: ${kind.type}`, () => {
      assert.throws(() => asText(kind), { name: "ToolError", message });
    });
  }

  it("or is returned", () => {
    assert.equal(asText({ type: "text", file: file() }).text, "x");
  });
});

describe("T12 a change needs what was seen", () => {
  const kind = (more: Partial<TextFile> = {}): FileKind => ({ type: "text", file: file(more) });
  const stale = "src/a.ts has changed since it was read: read it again, then repeat the change.";

  it("in the same version", () => {
    assert.equal(asSeen(kind(), new Map()).version, "1");
    assert.equal(asSeen(kind(), new Map([["/w/src/a.ts", "1"]])).version, "1");
    assert.throws(() => asSeen(kind(), new Map([["/w/src/a.ts", "0"]])), { message: stale });
    assert.equal(staleError(place()).message, stale);
  });

  it("where it removes text that it does not quote, except for files whose text is hidden", () => {
    const require = (more: Partial<TextFile>, seen: readonly string[] = []) =>
      requireRead(file(more), new Map(seen.map((path) => [path, "1"])), "write it");
    const unread = "src/a.ts exists already, and you have not read it: read it first, then write it.";
    assert.throws(() => require({}), { name: "ToolError", message: unread });
    assert.throws(() => require({ protection: "settings" }), { message: unread });
    require({}, ["/w/src/a.ts"]);
    for (const more of [{ protection: "secret" }, { protection: "ignored" }, { restricted: true }] as const)
      require(more);
  });

  it("and a protected file must have been read before a part of it is looked for", async () => {
    const work = new TestWorkspace();
    try {
      const { signal } = new AbortController();
      const open = async (more: Partial<Location>, seen = new Map<string, string>()) =>
        await openToChange(place({ path: work.path("a.ts"), ...more }), work.host, seen, signal);
      const needs = "src/a.ts needs permission to be read, and you have not read it: read it first";
      await assert.rejects(open({ protection: "secret" }), { message: `${needs}, or write it as a whole.` });
      await assert.rejects(open({ protection: "ignored" }), { message: `${needs}, or write it as a whole.` });
      await assert.rejects(open({ restricted: true }), { message: `${needs}, or write it as a whole.` });
      await assert.rejects(open({ inside: false }), { message: `${needs}.` });
      for (const more of [{}, { protection: "settings" }] as const) assert.equal((await open(more)).type, "missing");
      const seen = new Map([[work.path("a.ts"), "1"]]);
      assert.equal((await open({ protection: "secret" }, seen)).type, "missing");
    } finally {
      work.dispose();
    }
  });

  it("and a trusted workspace", () => {
    const work = new TestWorkspace();
    const untrusted = new TestWorkspace({ trusted: false });
    requireTrust(work.host.workspace);
    assert.throws(() => requireTrust(untrusted.host.workspace), {
      message:
        "This workspace is not trusted: nothing is written and nothing is run in it. Reading and searching work. The user can trust it in the editor.",
    });
    work.dispose();
    untrusted.dispose();
  });
});

describe("T8 permissions for a path", () => {
  const work = new TestWorkspace();
  after(() => work.dispose());
  const shown = (all: ReturnType<typeof fileRequirements>) =>
    all.map(({ permission, pattern, suggestedRule, protection }) => [permission, pattern, suggestedRule, protection]);
  const ofFile = (access: "read" | "edit", more: Partial<Location> = {}) =>
    shown(fileRequirements(access, place(more), work.host));

  it("of the workspace: to read or change it, and for always all of its folder", () => {
    assert.deepEqual(ofFile("read"), [["read", "src/a.ts", "src/**", "none"]]);
    assert.deepEqual(ofFile("edit"), [["edit", "src/a.ts", "src/**", "none"]]);
    assert.deepEqual(ofFile("read", { relative: "a.ts" }), [["read", "a.ts", "a.ts", "none"]]);
    assert.deepEqual(ofFile("read", { relative: "src\\a.ts" }), [["read", "src\\a.ts", "src/**", "none"]]);
    assert.deepEqual(ofFile("edit", { protection: "settings" }), [["edit", "src/a.ts", undefined, "settings"]]);
    assert.deepEqual(ofFile("read", { protection: "settings" }), [["read", "src/a.ts", "src/**", "none"]]);
    assert.deepEqual(ofFile("read", { protection: "secret" }), [["read", "src/a.ts", undefined, "secret"]]);
  });

  it("outside: for the folder as well", () => {
    const outside = { path: "/out/b.ts", relative: "/out/b.ts", inside: false };
    for (const access of ["read", "edit"] as const)
      assert.deepEqual(ofFile(access, outside), [
        [access, "/out/b.ts", "/out/**", "none"],
        ["external_directory", "/out/b.ts", "/out/**", "none"],
      ]);
    assert.deepEqual(ofFile("read", { ...outside, path: "/b", relative: "/b" })[0]?.[2], "/b");
    assert.deepEqual(shown([namedOutside(place({ ...outside, protection: "secret" }), false)]), [
      ["external_directory", "/out/b.ts", undefined, "secret"],
    ]);
    const settings = place({ ...outside, protection: "settings" });
    assert.deepEqual(
      [true, false].map((mayChange) => namedOutside(settings, mayChange).protection),
      ["settings", "none"],
    );
    assert.equal(namedOutside(place(outside), true).suggestedRule, "/out/b.ts");
  });

  it("of Rondo's own output: to read it, like a file of the workspace", () => {
    const path = `${work.root}/overflow/call-1.txt`;
    const outside = { path, relative: path, inside: false };
    const host = { ...work.host, overflow: { ...work.host.overflow, holds: (one: string) => one === path } };
    assert.equal(fileRequirements("read", place(outside), host).length, 1);
    assert.equal(fileRequirements("edit", place(outside), host).length, 2);
  });

  it("of a folder: for all in it", () => {
    const ofFolder = (more: Partial<Location>) => shown(folderRequirements(place(more)));
    assert.deepEqual(ofFolder({ path: "/w/src", relative: "src" }), [["read", "src/", "src/**", "none"]]);
    assert.deepEqual(ofFolder({ path: "/w", relative: "." }), [["read", ".", "*", "none"]]);
    assert.deepEqual(ofFolder({ path: "/out", relative: "/out", inside: false, protection: "secret" }), [
      ["read", "/out/", undefined, "secret"],
      ["external_directory", "/out/", undefined, "secret"],
    ]);
    assert.deepEqual(ofFolder({ path: "/out", relative: "/out", inside: false })[1]?.[2], "/out/**");
  });

  it("carries all names of the file", () => {
    const names = ["b.ts"];
    const outside = place({ names, inside: false });
    for (const all of [
      fileRequirements("read", outside, work.host),
      folderRequirements(outside),
      [namedOutside(outside, true)],
    ])
      assert.deepEqual(new Set(all.map((one) => one.names)), new Set([names]));
  });

  it("is asked for where reading it prompts", () => {
    assert.equal(isReadProtected(place()), false);
    assert.equal(isReadProtected(place({ protection: "settings" })), false);
    for (const more of [
      { protection: "secret" },
      { protection: "ignored" },
      { restricted: true },
      { inside: false },
    ] as const)
      assert.equal(isReadProtected(place(more)), true);
  });

  it("is shown relative to the first folder, else absolute", () => {
    const of = (path: string, ...folders: string[]) => pathFor(place({ path }), { ...work.host.workspace, folders });
    assert.equal(of("/w/src/a.ts", "/w"), "src/a.ts");
    assert.equal(of("/out/a.ts", "/w"), "src/a.ts");
    assert.equal(of("/w/src/a.ts", "/w", "/v"), "src/a.ts");
    assert.equal(of("/v/src/a.ts", "/w", "/v"), "/v/src/a.ts");
    assert.equal(of("/v/src/a.ts"), "/v/src/a.ts");
  });

  it("lies within a folder, whichever way slashes lean", () => {
    for (const [path, folder] of [
      ...[
        ["/w", "/w"],
        ["/w/a", "/w"],
        ["/w/a", "/w/"],
        ["/a", "/"],
        ["C:\\w\\a", "C:\\w"],
        ["C:\\a", "C:\\"],
      ],
    ] as const)
      assert.equal(isWithin(path ?? "", folder ?? ""), true, `${path} in ${folder}`);
    for (const [path, folder] of [
      ...[
        ["/wa", "/w"],
        ["/w", "/w/a"],
        ["/", "/w"],
        ["/x/w/a", "/w"],
        ["C:\\wa", "C:\\w"],
      ],
    ] as const)
      assert.equal(isWithin(path ?? "", folder ?? ""), false, `${path} in ${folder}`);
  });
});

describe("T8 a list of files", () => {
  const filter = (excluded: readonly string[], times: Record<string, number> = {}, rules = ""): SearchFilter => ({
    args: [],
    rules,
    isExcluded: (path) => excluded.includes(path),
    excludedIn: () => [],
    modified: (path) => times[path] ?? 0,
  });

  it("is read in pieces, and leaves out what is excluded", () => {
    const list = new FileList(filter(["b", "d/e"]), (path) => path !== "c");
    for (const piece of ["./a\0", "./b\0c", "\0d/", "e\0.", "/f\0unfinished"]) list.take(piece);
    assert.equal(list.count, 2);
    assert.deepEqual(list.excluded, ["b", "d/e"]);
    assert.deepEqual(list.newest(5), ["a", "f"]);
  });

  it("has the newest first, those of the same time by name", () => {
    const list = new FileList(filter([], { a: 1, b: 3, c: 2, e: 3, d: 3 }), () => true);
    list.take("a\0e\0c\0d\0b\0");
    assert.deepEqual(list.newest(10), ["b", "d", "e", "c", "a"]);
    assert.deepEqual(list.newest(2), ["b", "d"]);
    assert.deepEqual(list.newest(4), ["b", "d", "e", "c"]);
  });

  it("refuses a pattern that would take too long, with the reason", () => {
    assert.equal(pathMatcher("*.ts")("a.ts"), true);
    assert.throws(() => pathMatcher("?".repeat(25)), { name: "ToolError", message: /24 wildcards/ });
  });

  it("has a note on what is left out", () => {
    const note = (count: number, rules = "") => excludedNote(count, "searched", filter([], {}, rules));
    assert.equal(note(0), undefined);
    assert.equal(
      note(1),
      "(1 file is not searched: it may hold secrets, or .rondoignore names it. Ask to read it by name.)",
    );
    assert.equal(
      note(2, "x"),
      "(2 files are not searched: they may hold secrets, or .rondoignore or a permission rule names them. Ask to read them by name.)",
    );
  });

  it("counts what is left out, again after a minute", async () => {
    let listed = "./.env\0a/id_rsa\0";
    const asked: (readonly string[])[] = [];
    const search: TextSearch = {
      ripgrep: async (args, { take }) => {
        asked.push(args);
        take?.(listed);
        return { code: 0, stdout: "", stderr: "", cut: false };
      },
    };
    const { signal } = new AbortController();
    const all = ["a/id_rsa", ".env", "b/.env"];
    const count = async (glob?: string, rules = "", path = "/w") =>
      await countExcluded(place({ path }), { filter: filter(all, {}, rules), glob, search, signal });
    assert.deepEqual([await count(), await count("*rsa"), await count("a/*"), await count("x/**")], [2, 1, 1, 0]);
    assert.equal(await count("**/.env"), 1);
    assert.equal(asked.length, 1);
    assert.ok(asked[0]?.includes("--type=protected"));
    assert.equal(await count(undefined, "rules"), 2);
    assert.equal(asked[1]?.includes("--type=protected"), false, "rules may name any file");
    await count(undefined, "", "/v");
    assert.equal(asked.length, 3, "another folder");
    const { now } = Date;
    let time = now();
    Date.now = () => time;
    try {
      listed = "b/.env\0";
      assert.equal(await count(undefined, "", "/u"), 1);
      listed = "";
      time += 59_999;
      assert.equal(await count(undefined, "", "/u"), 1);
      time += 1;
      assert.equal(await count(undefined, "", "/u"), 0);
    } finally {
      Date.now = now;
    }
  });
});
