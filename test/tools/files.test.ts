import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { TestWorkspace } from "./workspace.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+X2Z0AAAAASUVORK5CYII=",
  "base64",
);

const plain = { protection: "none", effect: "" };

describe("files", () => {
  let work: TestWorkspace;
  beforeEach(() => {
    work = new TestWorkspace();
  });
  afterEach(() => work.dispose());

  const read = async (file_path: string, more = {}) => await work.run("read", { file_path, ...more });

  describe("read", () => {
    it("T10 numbers the lines", async () => {
      work.put("s.txt", "a\r\nb\n\nc");
      const { output, metadata } = await read("s.txt");
      assert.equal(output, "     1\ta\n     2\tb\n     3\t\n     4\tc");
      assert.deepEqual(metadata, { fact: "4 lines" });
    });

    it("T10 returns a range, and says how to continue", async () => {
      work.put("s.txt", "1\n2\n3\n4\n5\n");
      const { output, metadata } = await read("s.txt", { offset: 2, limit: 2 });
      assert.equal(output, "     2\t2\n     3\t3\n(lines 2–3 of 5; go on with offset 4)");
      assert.equal(metadata.fact, "lines 2–3 of 5");
      assert.equal(
        await work.refusal("read", { file_path: "s.txt", offset: 6 }),
        "s.txt has 5 lines; there is no line 6.",
      );
    });

    it("T10 T9 stops at 2,000 lines and at 30,000 characters", async () => {
      work.put("many.txt", "x\n".repeat(3000));
      assert.match((await read("many.txt")).output, /\n {2}2000\tx\n\(lines 1–2000 of 3000; go on with offset 2001\)$/);
      work.put("wide.txt", `${"z".repeat(99)}\n`.repeat(1500));
      const { output } = await read("wide.txt");
      assert.ok(output.length <= 30_000 && output.length > 29_000);
      assert.match(output, /of 1500; go on with offset \d+\)$/);
    });

    it("T10 truncates long lines", async () => {
      work.put("min.js", `${"x".repeat(5000)}\nend\n`);
      assert.equal(
        (await read("min.js")).output,
        `     1\t${"x".repeat(2000)}… (line cut; it has 5000 characters)\n     2\tend`,
      );
    });

    it("shows neither a byte order mark nor carriage returns", async () => {
      work.put("bom.cs", "\ufeffusing System;\r\n");
      assert.equal((await read("bom.cs")).output, "     1\tusing System;");
    });

    it("says that a file is empty", async () => {
      work.put("empty", "");
      assert.equal((await read("empty")).output, "(the file is empty)");
    });

    it("T10 attaches images and PDFs, recognized by content, not by name", async () => {
      work.put("i.txt", png);
      const { attachments, output } = await read("i.txt");
      assert.deepEqual(attachments, [
        { type: "file", mime: "image/png", filename: "i.txt", url: `data:image/png;base64,${png.toString("base64")}` },
      ]);
      assert.equal(output, "i.txt is attached (image/png, 68 bytes).");
      work.put("p.pdf", "%PDF-1.4\n");
      assert.equal((await read("p.pdf")).attachments?.[0]?.mime, "application/pdf");
    });

    it("lists a folder", async () => {
      work.put("d/b.txt", "");
      work.put("d/a/c.txt", "");
      assert.equal((await read("d")).output, "d is a folder with 2 entries:\na/\nb.txt");
    });

    it("T10 rejects binary and too large files with a reason", async () => {
      work.put("b.bin", Buffer.from([1, 0, 2]));
      work.put("c.bin", Buffer.from(Array.from({ length: 255 }, (_, at) => at + 1)));
      truncateSync(work.put("big.txt", ""), 10_000_001);
      assert.match(await work.refusal("read", { file_path: "b.bin" }), /^b\.bin is not text \(3 bytes\): it is binary/);
      assert.match(await work.refusal("read", { file_path: "c.bin" }), /^c\.bin is not text/);
      assert.match(await work.refusal("read", { file_path: "big.txt" }), /^big\.txt is too large: 10\.0 MB/);
    });

    for (const [name, bytes, shown] of [
      ["Latin-1", Buffer.from("caf\xe9\ntwo\n", "latin1"), "caf\ufffd"],
      ["Windows-1251", Buffer.from([0xcf, 0xf0, 0xe8, 0x0a, 0x61, 0x0a]), "\ufffd\ufffd\ufffd"],
      ["Shift-JIS", Buffer.from([0x83, 0x65, 0x0a, 0x62, 0x0a]), "\ufffde"],
      ["UTF-8 that is cut", Buffer.from([0x61, 0xe2, 0x82, 0x0a]), "a\ufffd"],
    ] as const) {
      it(`T12 shows ${name} with replacement characters, and changes nothing in it`, async () => {
        work.put("l.txt", bytes);
        const { output } = await read("l.txt");
        assert.ok(output.startsWith(`     1\t${shown}\n`), output);
        assert.match(output, /\n\(This file is not UTF-8 and its encoding is not known/);
        const refused = /^l\.txt is not text in UTF-8, .* a change would lose characters/;
        assert.match(await work.refusal("edit", { file_path: "l.txt", old_string: "a", new_string: "b" }), refused);
        assert.match(await work.refusal("write", { file_path: "l.txt", content: "b" }), refused);
        assert.deepEqual(readFileSync(work.path("l.txt")), bytes);
      });
    }

    it("never opens pipes, devices and sockets", async () => {
      execFileSync("mkfifo", [work.path("pipe")]);
      const sentence = /is not a regular file but a device, a pipe or a socket; it is not opened\.$/;
      assert.match(await work.refusal("read", { file_path: "pipe" }), sentence);
      assert.match(await work.refusal("read", { file_path: "/dev/zero" }), sentence);
    });

    it("reads files whose size is unknown in advance", async function () {
      if (process.platform !== "linux") return this.skip();
      assert.match((await read("/proc/self/status")).output, /Name:/);
    });

    it("T10 suggests similar names", async () => {
      work.put("src/cart.test.ts", "");
      work.put("src/Cart.ts", "");
      assert.equal(
        await work.refusal("read", { file_path: "src/cart.js" }),
        "src/cart.js does not exist. Did you mean src/Cart.ts?",
      );
      assert.equal(
        await work.refusal("read", { file_path: "no/such" }),
        "no/such does not exist. Look for it with glob.",
      );
      work.put("Screenshot at 4\u202fPM.png", png);
      assert.match(
        await work.refusal("read", { file_path: "Screenshot at 4 PM.png" }),
        /Did you mean Screenshot at 4\u202fPM\.png\?/,
      );
    });

    it("does nothing when aborted", async () => {
      work.put("a.txt", "x");
      await assert.rejects(work.run("read", { file_path: "a.txt" }, AbortSignal.abort()), { name: "AbortError" });
    });
  });

  describe("write", () => {
    const write = async (file_path: string, content: string) => await work.run("write", { file_path, content });

    it("T10 creates parents, writes exactly the bytes and counts the lines", async () => {
      const { output, metadata } = await write("a/b/c.txt", "\ufeffa\r\nb");
      assert.equal(work.text("a/b/c.txt"), "\ufeffa\r\nb");
      assert.equal(output, "a/b/c.txt is created; it has 2 lines now.");
      assert.equal(metadata.diff?.added, 2);
    });

    it("T12 replaces a file that was read, after a question that shows the loss; an unread one not", async () => {
      work.put("old.txt", "old content\n");
      const unread =
        "old.txt exists already, and you have not read it: read it first, then write it, or change parts of it with edit.";
      assert.equal(await work.refusal("write", { file_path: "old.txt", content: "new content\n" }), unread);
      await read("old.txt");
      const plan = await work.plan("write", { file_path: "old.txt", content: "new content\n" });
      assert.match(plan.preview.type === "diff" ? plan.preview.diff.patch : "", /-old content\n\+new content/);
      await write("old.txt", "new content\n");
      assert.equal(work.text("old.txt"), "new content\n");
    });

    it("rejects a folder, and a parent that is a file", async () => {
      work.put("d/e.txt", "keep");
      assert.equal(await work.refusal("write", { file_path: "d", content: "x" }), "d is a folder, not a file.");
      assert.equal(
        await work.refusal("write", { file_path: "d/e.txt/f", content: "x" }),
        "d/e.txt/f cannot be written: one of its parents is a file, not a folder.",
      );
      assert.equal(work.text("d/e.txt"), "keep");
    });

    it("T12 rejects a file that has changed or been created meanwhile", async () => {
      work.put("e.txt", "old");
      await read("e.txt");
      work.put("e.txt", "newer");
      assert.match(await work.refusal("write", { file_path: "e.txt", content: "x" }), /has changed since it was read/);
      const plan = await work.plan("write", { file_path: "n.txt", content: "x" });
      work.put("n.txt", "other");
      await assert.rejects(
        plan.run(() => {}),
        { message: "n.txt now exists: read it first." },
      );
      assert.equal(work.text("n.txt"), "other");
    });

    it("T12 keeps CRLF, byte order mark, encoding and mode of a replaced file", async () => {
      const file = work.put("r.sh", "\ufeffa\r\nb\r\n", 0o750);
      await read("r.sh");
      await write("r.sh", "x\ny\n");
      assert.equal(work.text("r.sh"), "\ufeffx\r\ny\r\n");
      assert.equal(statSync(file).mode & 0o777, 0o750);
      work.put("w.txt", Buffer.from("\ufeffé\n", "utf16le"));
      await read("w.txt");
      await write("w.txt", "ü\n");
      assert.deepEqual(work.bytes("w.txt"), Buffer.from("\ufeffü\n", "utf16le"));
    });

    it("writes a file with several hard links in place, and leaves nothing behind", async () => {
      const file = work.put("one.txt", "long old text\n");
      linkSync(file, work.path("two.txt"));
      await read("one.txt");
      await write("one.txt", "new\n");
      assert.equal(work.text("two.txt"), "new\n");
      assert.deepEqual(readdirSync(work.folder).sort(), ["one.txt", "two.txt"]);
    });

    it("writes through a link to its target", async () => {
      const file = work.put("real/f.txt", "a\n");
      symlinkSync(file, work.path("link.txt"));
      await read("link.txt");
      await write("link.txt", "b\n");
      assert.equal(work.text("real/f.txt"), "b\n");
      assert.equal(readFileSync(work.path("link.txt"), "utf8"), "b\n");
    });
  });

  describe("T8 inside and outside the workspace", () => {
    const outsideOf = async (tool: string, input: Record<string, unknown>) =>
      (await work.needs(tool, input))
        .filter((need) => need.permission === "external_directory")
        .map((need) => need.pattern);

    beforeEach(() => {
      mkdirSync(path.join(work.root, "out"));
      writeFileSync(path.join(work.root, "out/secret.txt"), "secret\n");
    });

    it("asks only for the access itself inside", async () => {
      work.put("src/a.ts", "a\n");
      assert.deepEqual(await work.needs("read", { file_path: "src/a.ts" }), [
        {
          permission: "read",
          pattern: "src/a.ts",
          suggestedRule: "src/**",
          match: "pattern",
          names: [work.path("src/a.ts")],
          ...plain,
        },
      ]);
      assert.deepEqual(await work.needs("write", { file_path: "new.ts", content: "" }), [
        {
          permission: "edit",
          pattern: "new.ts",
          suggestedRule: "new.ts",
          match: "pattern",
          names: [work.path("new.ts")],
          ...plain,
        },
      ]);
      assert.deepEqual(await outsideOf("read", { file_path: path.join(work.folder, "src/../src/a.ts") }), []);
    });

    it("asks for paths outside: with .., absolute, in the home folder", async () => {
      const secret = path.join(work.root, "out/secret.txt");
      assert.deepEqual(await work.needs("read", { file_path: "../out/secret.txt" }), [
        {
          permission: "read",
          pattern: secret,
          suggestedRule: `${path.dirname(secret)}/**`,
          match: "pattern",
          names: [],
          ...plain,
        },
        {
          permission: "external_directory",
          pattern: secret,
          suggestedRule: `${path.dirname(secret)}/**`,
          match: "pattern",
          names: [],
          ...plain,
        },
      ]);
      assert.deepEqual(await outsideOf("read", { file_path: secret }), [secret]);
      assert.equal((await outsideOf("read", { file_path: "~/x" })).length, 1);
      assert.deepEqual(await outsideOf("glob", { pattern: "../out/*.txt" }), [`${path.dirname(secret)}/`]);
      assert.deepEqual(await outsideOf("glob", { pattern: "*", path: "../out" }), [`${path.dirname(secret)}/`]);
      assert.deepEqual(await outsideOf("grep", { pattern: "x", path: "../out" }), [`${path.dirname(secret)}/`]);
      assert.deepEqual(await outsideOf("grep", { pattern: "x", path: secret }), [secret]);
    });

    it("a folder with the same prefix is outside", async () => {
      assert.equal((await outsideOf("read", { file_path: `${work.folder}-2/a` })).length, 1);
    });

    it("follows links: of the file, of a new file's parent, and broken ones", async () => {
      const out = path.join(work.root, "out");
      symlinkSync(path.join(out, "secret.txt"), work.path("in.txt"));
      symlinkSync(out, work.path("folder"));
      symlinkSync(path.join(out, "not-yet.txt"), work.path("dangling.txt"));
      assert.deepEqual(await outsideOf("read", { file_path: "in.txt" }), [path.join(out, "secret.txt")]);
      assert.deepEqual(await outsideOf("write", { file_path: "folder/a/new.txt", content: "" }), [
        path.join(out, "a/new.txt"),
      ]);
      assert.deepEqual(await outsideOf("write", { file_path: "dangling.txt", content: "" }), [
        path.join(out, "not-yet.txt"),
      ]);
      assert.deepEqual(await outsideOf("read", { file_path: "folder/../out/secret.txt" }), [
        path.join(out, "secret.txt"),
      ]);
    });

    it("fails on circular links", async () => {
      symlinkSync(work.path("b"), work.path("a"));
      symlinkSync(work.path("a"), work.path("b"));
      assert.match(await work.refusal("read", { file_path: "a" }), /too many links/);
    });

    it("T9 saved outputs are read without a question", async () => {
      const kept = await work.host.overflow.keep("call-9", "all of it\n");
      assert.deepEqual(await outsideOf("read", { file_path: kept }), []);
      assert.deepEqual(await outsideOf("grep", { pattern: "all", path: kept }), []);
      assert.equal((await outsideOf("write", { file_path: `${kept}.txt`, content: "" })).length, 1);
    });
  });

  it("says why a file cannot be written", async function () {
    if (process.getuid?.() === 0) return this.skip();
    work.put("ro.txt", "a\n", 0o444);
    assert.equal(
      await work.refusal("edit", { file_path: "ro.txt", old_string: "a", new_string: "b" }),
      "ro.txt cannot be written: permission is denied.",
    );
  });

  it("loses nothing on a full disk", function () {
    // Only root on Linux can mount a small file system.
    if (process.platform !== "linux" || process.getuid?.() !== 0) return this.skip();
    const mount = work.path("small");
    mkdirSync(mount);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "none", mount], { stdio: "ignore" });
    } catch {
      return this.skip();
    }
    const clean = () => {
      execFileSync("umount", [mount]);
      rmSync(mount, { recursive: true });
    };
    return fillUp(work).finally(clean);
  });
});

async function fillUp(work: TestWorkspace): Promise<void> {
  work.put("small/f.txt", "old\n");
  await work.run("read", { file_path: "small/f.txt" });
  const full = /the disk is full; nothing was changed\.$/;
  assert.match(await work.refusal("write", { file_path: "small/f.txt", content: "x".repeat(100_000) }), full);
  assert.match(await work.refusal("write", { file_path: "small/new.txt", content: "x".repeat(100_000) }), full);
  assert.equal(work.text("small/f.txt"), "old\n");
  assert.deepEqual(readdirSync(work.path("small")), ["f.txt"]);
}
