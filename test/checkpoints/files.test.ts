/** States of paths: how they are read, compared and restored. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { mock } from "node:test";
import {
  datedHash,
  type FileState,
  fileState,
  hashOf,
  linkTarget,
  lstat,
  maxNamedBytes,
  maxUnnamedBytes,
  missing,
  readFile,
  readState,
  sameStamp,
  sameState,
  toStamp,
} from "../../src/checkpoints/files/file-state.ts";
import { TimeSlices } from "../../src/checkpoints/files/time-slices.ts";
import { isWithinRoots, readWithinRoots, relativeToRoots } from "../../src/checkpoints/files/within-roots.ts";
import { putState } from "../../src/checkpoints/restore/put-file.ts";
import { openFiles } from "./world.ts";

describe("states of files", () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "files-test-")));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const at = (name: string) => path.join(folder, name);
  function put(name: string, text = "one\n"): string {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
    return at(name);
  }
  const file = (text: string, mode = 0o644) => fileState(Buffer.from(text), mode);

  it("are the same if a restore would make no difference", () => {
    const link = (target: string): FileState => ({ type: "link", target });
    const unknown: FileState = { type: "file", mode: 0o644, size: 4, hash: "" };
    const different: FileState[] = [
      missing,
      { type: "folder" },
      { type: "special" },
      link("a"),
      link("b"),
      file("a"),
      file("b"),
      file("a", 0o755),
    ];
    for (const [at, one] of different.entries()) {
      for (const [index, other] of different.entries()) {
        assert.equal(sameState(one, structuredClone(other)), at === index, JSON.stringify([one, other]));
      }
    }
    assert.equal(sameState(unknown, { ...unknown }), false, "contents that are not known may differ");
  });

  it("have stamps that differ in each of their fields", () => {
    const stamp = toStamp(statSync(put("a")));
    assert.ok(sameStamp(stamp, { ...stamp }));
    for (const field of ["size", "mtime", "ctime", "ino", "mode"] as const) {
      assert.ok(!sameStamp(stamp, { ...stamp, [field]: stamp[field] + 1 }), field);
    }
  });

  it("are read as they are, without following links", () => {
    put("file", "text");
    chmodSync(at("file"), 0o754);
    mkdirSync(at("folder"));
    symlinkSync("file", at("link"));
    execFileSync("mkfifo", [at("pipe")]);
    const read = (name: string) => readState(at(name), 100);
    assert.deepEqual(read("file").state, { type: "file", mode: 0o754, size: 4, hash: hashOf(Buffer.from("text")) });
    assert.deepEqual(read("file").bytes, Buffer.from("text"));
    assert.deepEqual(read("file").stamp, toStamp(lstatSync(at("file"))));
    for (const [name, state] of [
      ["folder", { type: "folder" }],
      ["link", { type: "link", target: "file" }],
      ["pipe", { type: "special" }],
    ] as const) {
      const found = read(name);
      assert.deepEqual([found.state, found.bytes, found.stamp], [state, undefined, toStamp(lstatSync(at(name)))], name);
    }
    assert.deepEqual(read("none"), { state: missing, bytes: undefined, stamp: undefined });
    assert.deepEqual([linkTarget(at("link")), linkTarget(at("file"))], ["file", ""]);
    assert.equal(lstat(path.join(at("file"), "below")), undefined);
  });

  it("of files above the limit are told by size and times", () => {
    const name = put("large", "12345");
    const { state, bytes } = readState(name, 4);
    const stamp = toStamp(lstatSync(name));
    assert.deepEqual(state, { type: "file", mode: 0o644, size: 5, hash: `~5-${stamp.mtime}-${stamp.ctime}` });
    assert.equal(datedHash(stamp), `~5-${stamp.mtime}-${stamp.ctime}`);
    assert.equal(bytes, undefined);
    assert.deepEqual(readState(name, 5).bytes, Buffer.from("12345"));
    const before = readState(name, 4).state;
    utimesSync(name, 1, 1);
    assert.ok(!sameState(before, readState(name, 4).state));
    assert.deepEqual([maxUnnamedBytes, maxNamedBytes], [2 * 1024 * 1024, 16 * 1024 * 1024]);
  });

  it("are not known where the bytes do not agree with the size", function () {
    if (process.platform !== "linux") return this.skip();
    // Files of the system have the size 0 and a content.
    assert.equal(readFile("/proc/self/status", 1e6), undefined);
    assert.partialDeepStrictEqual(readState("/proc/self/status", 1e6), {
      state: { type: "file", mode: 0o444, size: 0, hash: "" },
    });
  });

  it("are read from regular files alone, and no file stays open", function () {
    const name = put("a", "12345");
    symlinkSync("a", at("link"));
    mkdirSync(at("folder"));
    execFileSync("mkfifo", [at("pipe")]);
    const read = () => {
      assert.deepEqual(readFile(name, 5)?.bytes, Buffer.from("12345"));
      assert.deepEqual(readFile(name, 5)?.stamp, toStamp(lstatSync(name)));
      for (const other of ["link", "folder", "pipe", "none"]) assert.equal(readFile(at(other), 5), undefined, other);
      assert.equal(readFile(name, 4), undefined);
      assert.equal(readFile(put("empty", ""), 4)?.bytes.length, 0);
    };
    read();
    if (process.platform !== "linux") return this.skip();
    const before = openFiles();
    for (let n = 0; n < 5; n++) read();
    assert.equal(openFiles(), before);
  });

  it("count only below the folders, behind no link", () => {
    put("one/a/b");
    put("two/c");
    put("outside/d");
    symlinkSync("../outside", at("one/link"));
    symlinkSync("../none", at("one/broken"));
    const roots = [at("one"), at("two")];
    const within = (name: string, folders: string[] = []) => isWithinRoots(at(name), roots, new Set(folders.map(at)));
    for (const name of ["one/a", "one/a/b", "one/new", "one/new/er/x", "two/c", "one/link", "one/..x"]) {
      assert.ok(within(name), name);
    }
    for (const name of [
      "one",
      "two",
      "outside/d",
      "onex/a",
      "one/link/d",
      "one/a/b/c",
      "one/broken/x",
      "one/link/x/y",
    ]) {
      assert.ok(!within(name), name);
    }
    assert.ok(within("one/link/d", ["one/link"]), "it will be a folder by then");
    assert.ok(within("one/link/x/y", ["one/link"]));
    assert.ok(!within("one/a/b/c", ["one/a/other"]));
    const read = (name: string) => readWithinRoots(at(name), 100, roots).state.type;
    assert.deepEqual(["one/a/b", "one/link", "one/link/d", "outside/d", "one/a"].map(read), [
      ...["file", "link", "missing", "missing", "folder"],
    ]);
  });

  it("have names relative to their folder", () => {
    const roots = [at("one"), at("two")];
    assert.equal(relativeToRoots(roots, at("two/a/b")), "a/b");
    assert.equal(relativeToRoots(roots, at("three/a")), at("three/a"));
    assert.equal(relativeToRoots(roots, at("one")), "");
  });

  describe("put back", () => {
    const bytes = Buffer.from("back\n");
    const back = (mode = 0o644) => fileState(bytes, mode);
    const names = () => readdirSync(folder, { recursive: true }).sort();

    it("are exact over whatever is there, and leave nothing else", () => {
      const wanted: [FileState, Buffer | undefined][] = [
        [missing, undefined],
        [{ type: "folder" }, undefined],
        [{ type: "link", target: "any where" }, undefined],
        [back(0o600), bytes],
        [back(0o777), bytes],
        [fileState(Buffer.alloc(0), 0o644), Buffer.alloc(0)],
      ];
      for (const [from, make] of Object.entries({
        nothing: () => {},
        file: () => put("a", "a longer text than the other"),
        link: () => symlinkSync("/nowhere", at("a")),
        "empty folder": () => mkdirSync(at("a")),
        "empty folders": () => mkdirSync(at("a/b/c"), { recursive: true }),
      })) {
        for (const [state, content] of wanted) {
          rmSync(at("a"), { recursive: true, force: true });
          make();
          const isFolders = from === "empty folders";
          if (isFolders && (state.type === "missing" || state.type === "folder")) continue;
          putState(at("a"), state, content);
          assert.deepEqual(readState(at("a"), 100).state, state, `${from} to ${state.type}`);
          assert.deepEqual(names(), state.type === "missing" ? [] : ["a"]);
        }
      }
    });

    it("make the folders above them", () => {
      putState(at("a/b/c"), back(), bytes);
      putState(at("d/e/link"), { type: "link", target: "x" }, undefined);
      putState(at("f/g"), { type: "folder" }, undefined);
      assert.deepEqual(names(), ["a", "a/b", "a/b/c", "d", "d/e", "d/e/link", "f", "f/g"]);
      putState(at("none/at/all"), missing, undefined);
      assert.ok(!existsSync(at("none")));
    });

    it("have their mode whatever the process would give new files", () => {
      const before = process.umask(0o077);
      try {
        putState(at("a"), back(0o666), bytes);
        putState(at("b"), back(0o755), bytes);
      } finally {
        process.umask(before);
      }
      assert.deepEqual([statSync(at("a")).mode & 0o777, statSync(at("b")).mode & 0o777], [0o666, 0o755]);
    });

    it("keep the other names of a file, and its owner", () => {
      put("a", "a longer text than the other");
      linkSync(at("a"), at("other"));
      putState(at("a"), back(0o600), bytes);
      assert.equal(readFileSync(at("other"), "utf8"), "back\n");
      assert.deepEqual([statSync(at("a")).nlink, statSync(at("a")).mode & 0o777], [2, 0o600]);
      rmSync(at("other"));
      if (process.getuid?.() !== 0) return;
      for (const [uid, gid] of [
        [1234, 5678],
        [1234, 0],
        [0, 5678],
      ] as const) {
        chownSync(at("a"), uid, gid);
        putState(at("a"), back(), bytes);
        assert.deepEqual([statSync(at("a")).uid, statSync(at("a")).gid], [uid, gid]);
      }
    });

    it("never change the target of a link", () => {
      put("target", "mine\n");
      symlinkSync("target", at("link"));
      linkSync(at("target"), at("other"));
      putState(at("link"), back(), bytes);
      assert.deepEqual([readFileSync(at("target"), "utf8"), lstatSync(at("link")).isFile()], ["mine\n", true]);
      symlinkSync("target", at("again"));
      putState(at("again"), missing, undefined);
      assert.equal(readFileSync(at("target"), "utf8"), "mine\n");
    });

    it("fail with the system's error where a folder has other files, which stay", () => {
      put("a/b/mine", "mine\n");
      mkdirSync(at("a/c"));
      for (const [state, content] of [
        [back(), bytes],
        [{ type: "link", target: "x" }, undefined],
        [missing, undefined],
      ] as const) {
        assert.throws(() => putState(at("a"), state, content), { code: "ENOTEMPTY" });
        assert.equal(readFileSync(at("a/b/mine"), "utf8"), "mine\n");
      }
      assert.deepEqual(
        names().filter((name) => String(name).includes(".rondo-")),
        [],
      );
    });

    it("fail for what cannot be restored", () => {
      assert.throws(() => putState(at("a"), back(), undefined), { message: "its content was not saved" });
      assert.throws(() => putState(at("a"), { type: "special" }, undefined), { message: "it is not a regular file" });
      assert.deepEqual(names(), []);
    });

    it("replace a file at once: who has it open keeps all of the old one", () => {
      const old = openSync(put("a", "old"), "r");
      putState(at("a"), back(), bytes);
      assert.equal(readFileSync(old, "utf8"), "old");
      closeSync(old);
    });

    it("leave no file open", function () {
      if (process.platform !== "linux") return this.skip();
      const work = () => {
        put("a");
        putState(at("a"), back(), bytes);
        linkSync(at("a"), at("b"));
        putState(at("a"), file("other"), Buffer.from("other"));
        rmSync(at("b"));
        put("c/mine");
        assert.throws(() => putState(at("c"), back(), bytes));
      };
      work();
      const before = openFiles();
      for (let n = 0; n < 5; n++) work();
      assert.equal(openFiles(), before);
    });

    it("work for links to nowhere", () => {
      putState(at("l"), { type: "link", target: "no/where" }, undefined);
      assert.equal(readlinkSync(at("l")), "no/where");
    });
  });

  it("are looked at in slices of 8 ms, between which other work runs", async () => {
    let now = 1000;
    mock.method(performance, "now", () => now);
    try {
      const slices = new TimeSlices();
      now = 1007.9;
      assert.equal(slices.yieldIfDue(), undefined);
      now = 1008;
      let other = false;
      setImmediate(() => {
        other = true;
      });
      const due = slices.yieldIfDue();
      assert.ok(due);
      now = 1100;
      await due;
      assert.ok(other);
      now = 1107;
      assert.equal(slices.yieldIfDue(), undefined, "the next slice begins when the work goes on");
      now = 1108;
      await (slices.yieldIfDue() ?? assert.fail());
    } finally {
      mock.restoreAll();
    }
  });
});
